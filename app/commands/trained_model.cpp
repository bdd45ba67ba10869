#include "commands/trained_model.hpp"

#include <cmath>
#include <utility>

#include "options/data_argument.hpp"
#include "output/decision.hpp"
#include "output/evaluation.hpp"
#include "output/progress_bar.hpp"
#include "redoubt/atomic_file.hpp"
#include "redoubt/model_file.hpp"
#include "shell/interrupt.hpp"

namespace redoubt::app {
namespace {

/// A class that is answered less often than this share of its size is hardly ever found.
constexpr double kRareAnswer = 0.1;

Model model_of(const TrainingInput& input, const TrainedPlanes& trained) {
    const TableCoding& coding = input.training.coding;
    if (trained.class_vote)
        return {input.scaler, *trained.class_vote, coding, trained.record, input.rules.kept()};
    return {input.scaler, *trained.ensemble, coding, trained.record, input.rules.kept()};
}

/// "-1 is 'a', +1 is 'b'", or a list of more than two.
std::string classes_text(const ClassNames& classes) {
    if (classes.size() == 2) return "-1 is '" + classes[0] + "', +1 is '" + classes[1] + "'";
    return std::to_string(classes.size()) + " classes, " + some_of(classes);
}

}  // namespace

void complete_record(TrainingRecord& record, const TrainingInput& input) {
    record.data = input.name;
    record.rows = RowSketch::of(input.training.data.X);
    record.ranges = FeatureRanges::of(input.training.data.X);
}

void rehearse_saving(const TrainingInput& input, const std::string& path) {
    check_can_write(path);
    const Dataset& data = input.training.data;
    const Ensemble nothing(Hyperplane{Vector::Zero(data.n_features()), 0.0});
    TrainedPlanes trained;
    trained.ensemble = nothing;
    if (data.classes.size() > 2)
        trained.class_vote.emplace(std::vector<Ensemble>(data.classes.size(), nothing),
                                   ClassScore::Value);
    trained.record.data = input.name;
    model_to_json(model_of(input, trained));
}

void save_trained(const TrainingInput& input, const TrainedPlanes& trained, const std::string& path,
                  const MessageOptions& messages) {
    save_model(model_of(input, trained), path);
    messages.note((trained.record.is_partial ? "partial model written to " : "model written to ") +
                  path);
}

void warn_of_constant(const TrainingInput& input, const MethodOptions& method,
                      const TrainedPlanes& trained) {
    const Vector& y = input.training.data.y;
    const ClassNames& classes = input.training.coding.classes;
    const std::size_t n = classes.size();
    std::vector<double> size(n, 0.0);
    std::vector<double> given(n, 0.0);
    std::vector<double> right(n, 0.0);
    const Vector answers =
        Decision(*trained.ensemble, trained.class_vote).predict_all(input.scaled, method.n_threads);
    for (Index j = 0; j < y.size(); ++j) {
        const std::size_t label = class_number(y[j], n);
        const std::size_t answer = class_number(answers[j], n);
        size[label] += 1.0;
        given[answer] += 1.0;
        right[label] += label == answer ? 1.0 : 0.0;
    }
    const std::string reason =
        trained.warning.empty() ? "" : "no plane is worth its risk at these radii: ";
    const std::string cure =
        std::string(method.has_radius() ? "a smaller --radius or " : "") +
        (method.class_weight == "none" ? "--class-weight balanced" : "more data or other features");
    for (std::size_t label = 0; label < n; ++label) {
        if (given[label] >= kRareAnswer * size[label]) continue;
        warn(reason + "the model answers '" + classes[label] + "' for " +
             (given[label] == 0.0 ? "none" : std::to_string(std::llround(given[label]))) +
             " of its " + std::to_string(y.size()) + " training points, of which " +
             std::to_string(std::llround(size[label])) + " are; try " + cure);
        return;
    }
    double balanced = 0.0;
    for (std::size_t label = 0; label < n; ++label) balanced += right[label] / size[label];
    balanced /= static_cast<double>(n);
    if (balanced > 1.0 / static_cast<double>(n)) return;
    warn(
        reason +
        "the model is no better than a constant answer on its training points (balanced accuracy " +
        percent_text(balanced) + "); try " + cure);
}

void add_training_facts(Report& report, const MethodOptions& method, const TrainingInput& input,
                        const TrainedPlanes& trained) {
    const Dataset& data = input.training.data;
    report.add_fact("data", input.name + ": " + std::to_string(data.n_samples()) + " points, " +
                                std::to_string(data.n_features()) + " features; " +
                                classes_text(data.classes));
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
                        const TrainedPlanes& trained, const CurveSettings& settings) {
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
        evaluate_points(Decision(*trained.ensemble, trained.class_vote), scaled, input.tried().y,
                        settings.radii, certify_settings);
    add_curve(report, format, evaluation, input.rules, input.scaler.kind(), input.test_name);
    return warn_of_limits(evaluation.n_unsettled, evaluation.n_points);
}

void add_plane(Report& report, const TrainingInput& input, const TrainedPlanes& trained) {
    const Ensemble& ensemble = *trained.ensemble;
    const ClassNames& classes = input.training.coding.classes;
    const bool is_by_class = trained.class_vote && trained.class_vote->score() == ClassScore::Value;
    if (ensemble.n_planes() > 1 && !is_by_class) return;
    const std::vector<std::string> names = input.training.coding.feature_names();
    std::vector<Column> columns{"feature"};
    if (!is_by_class) columns.emplace_back("weight");
    for (std::size_t c = 0; is_by_class && c < classes.size(); ++c)
        columns.emplace_back("weight:" + classes[c]);
    Table& table = report.add_table(
        "plane", is_by_class ? "Planes in scaled features" : "Plane in scaled features",
        std::move(columns));
    for (Index i = 0; i < ensemble.n_features(); ++i) {
        table.add(names[static_cast<std::size_t>(i)]);
        table.add_all(ensemble.coef().col(i));
    }
    table.add("(bias)");
    table.add_all(ensemble.intercept());
}

}  // namespace redoubt::app
