#include "commands/trained_model.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "output/evaluation.hpp"
#include "output/progress_bar.hpp"
#include "redoubt/atomic_file.hpp"
#include "redoubt/model_file.hpp"
#include "shell/interrupt.hpp"

namespace redoubt::app {
namespace {

/// A class that is answered less often than this share of its size is hardly ever found.
constexpr double kRareAnswer = 0.1;

}  // namespace

void complete_record(TrainingRecord& record, const TrainingInput& input) {
    record.data = input.name;
    record.rows = RowSketch::of(input.training.data.X);
    record.ranges = FeatureRanges::of(input.training.data.X);
}

void rehearse_saving(const TrainingInput& input, const std::string& path) {
    check_can_write(path);
    const Ensemble nothing(Hyperplane{Vector::Zero(input.training.data.n_features()), 0.0});
    TrainingRecord record;
    record.data = input.name;
    model_to_json(
        Model(input.scaler, nothing, input.training.coding, std::move(record), input.rules.kept()));
}

void save_trained(const TrainingInput& input, const TrainedPlanes& trained, const std::string& path,
                  const MessageOptions& messages) {
    save_model(Model(input.scaler, *trained.ensemble, input.training.coding, trained.record,
                     input.rules.kept()),
               path);
    messages.note((trained.record.is_partial ? "partial model written to " : "model written to ") +
                  path);
}

void warn_of_constant(const TrainingInput& input, const MethodOptions& method,
                      const Ensemble& ensemble) {
    const Vector& y = input.training.data.y;
    // [class][answer]
    std::array<std::array<double, 2>, 2> count{};
    const Eigen::VectorXi answers = ensemble.predict_all(input.scaled, method.n_threads);
    for (Index j = 0; j < y.size(); ++j) count[y[j] > 0.0][answers[j] > 0] += 1.0;
    const std::string cure =
        std::string(method.has_radius() ? "a smaller --radius or " : "") +
        (method.class_weight == "none" ? "--class-weight balanced" : "more data or other features");
    for (int label : {0, 1}) {
        const double size = count[label][0] + count[label][1];
        const double given = count[0][label] + count[1][label];
        if (given >= kRareAnswer * size) continue;
        warn("the model answers '" + input.training.coding.classes[label] + "' for " +
             (given == 0.0 ? "none" : std::to_string(std::llround(given))) + " of its " +
             std::to_string(y.size()) + " training points, of which " +
             std::to_string(std::llround(size)) + " are; try " + cure);
        return;
    }
    const double balanced = 0.5 * (count[0][0] / (count[0][0] + count[0][1]) +
                                   count[1][1] / (count[1][0] + count[1][1]));
    if (balanced > 0.5) return;
    warn(
        "the model is no better than a constant answer on its training points (balanced accuracy " +
        percent_text(balanced) + "); try " + cure);
}

void add_training_facts(Report& report, const MethodOptions& method, const TrainingInput& input,
                        const TrainedPlanes& trained) {
    const Dataset& data = input.training.data;
    report.add_fact("data", input.name + ": " + std::to_string(data.n_samples()) + " points, " +
                                std::to_string(data.n_features()) + " features; -1 is '" +
                                data.classes[0] + "', +1 is '" + data.classes[1] + "'");
    report.add_fact("method", method.describe(input.training.radii.size() > 0) + ", scaling " +
                                  std::string(to_string(input.scaler.kind())));
    report.add_fact("status", std::string(to_string(trained.status)) +
                                  (trained.record.is_partial ? ", so partial" : ""));
    if (trained.record.objective) report.add_fact("objective", *trained.record.objective);
    if (trained.record.gap) report.add_fact("relative gap", *trained.record.gap);
    report.add_fact("planes", trained.ensemble->n_planes());
    add_rules(report, input.rules, input.scaler.kind(),
              AttackedData::of(input.training.coding, input.scaler));
}

ExitCode add_test_curve(Report& report, OutputFormat format, const TrainingInput& input,
                        const Ensemble& ensemble, const CurveSettings& settings) {
    ProgressBar bar(settings.messages, "certifying", "points");
    CertifySettings certify_settings;
    certify_settings.attack_model = input.rules.model.scaled(input.scaler);
    certify_settings.frozen = input.rules.frozen(input.tried().missing);
    certify_settings.n_threads = settings.n_threads;
    certify_settings.limits.stop = &stop_on_interrupt();
    certify_settings.progress = bar.points();
    const PointSet scaled =
        input.test ? input.scaler.transform_points(input.test->X) : input.scaled;
    const Evaluation evaluation =
        evaluate_points(ensemble, scaled, input.tried().y, settings.radii, certify_settings);
    add_curve(report, format, evaluation, input.rules, input.scaler.kind(), input.test_name);
    return warn_of_limits(evaluation.n_unsettled, evaluation.n_points);
}

void add_plane(Report& report, const TrainingInput& input, const Ensemble& ensemble) {
    if (ensemble.n_planes() > 1) return;
    const std::vector<std::string> names = input.training.coding.feature_names();
    Table& table = report.add_table("plane", "Plane in scaled features", {"feature", "weight"});
    for (Index i = 0; i < ensemble.n_features(); ++i) {
        table.add(names[static_cast<std::size_t>(i)]).add(ensemble.coef()(0, i));
    }
    table.add("(bias)").add(ensemble.intercept()[0]);
}

}  // namespace redoubt::app
