// redoubt evaluate: a model's accuracy under attack on labelled points, and what to compare it
// with.

#include <CLI/App.hpp>
#include <memory>
#include <string>
#include <vector>

#include "commands/command.hpp"
#include "options/model_argument.hpp"
#include "options/search_options.hpp"
#include "options/training_input.hpp"
#include "options/validators.hpp"
#include "output/evaluation.hpp"
#include "output/messages.hpp"
#include "output/report.hpp"
#include "redoubt/error.hpp"
#include "shell/help_text.hpp"

namespace redoubt::app {
namespace {

struct EvaluateOptions {
    ModelArguments input;
    std::vector<double> radii = kUsualAttackRadii;
    double holdout = 0.0;
    std::uint64_t seed = 0;
    SearchOptions search;
    OutputOptions output{OutputOptions::Usual::Text};
    MessageOptions messages;

    CLI::Option* seed_option = nullptr;
};

void add_options(CLI::App& command, EvaluateOptions& options) {
    options.input.add_to(command);
    command.add_option("--radii", options.radii, "Attack radii, in scaled features")
        ->check(nonnegative_number())
        ->delimiter(',')
        ->allow_extra_args(false)
        ->capture_default_str();
    add_holdout_option(
        command, options.holdout,
        "Only the rows that 'train --holdout' kept out, for the same share and seed");
    options.seed_option = command.add_option("--seed", options.seed, "Of --holdout")
                              ->check(nonnegative_integer(std::numeric_limits<std::int64_t>::max()))
                              ->capture_default_str();
    options.search.add_to(command);
    options.output.add_to(command);
    options.messages.add_to(command);
}

/// DATA, or of it the rows that were held out: they are drawn from all rows, which must be known.
PointStream stream_labelled(const EvaluateOptions& options, const Model& model,
                            AttackChoice& rules) {
    if (options.holdout == 0.0) {
        return options.input.stream_points(model, rules, options.messages);
    }
    PointData points = options.input.load_points(model, options.messages);
    if (!points.y) throw InvalidInput("DATA", "points with labels", "none");
    Dataset data{
        std::move(points.X), *std::move(points.y), model.classes(), {}, std::move(points.missing)};
    data = data.subset(hold_out(data.y, options.holdout, options.seed, data.classes.size()).test);
    points.X = std::move(data.X);
    points.y = std::move(data.y);
    points.missing = std::move(data.missing);
    return PointStream(std::move(points));
}

void check_classes(const Evaluator& evaluator, const Model& model) {
    if (model.class_vote()) return;
    for (std::size_t label : {0, 1}) {
        if (evaluator.n_of_class(label) > 0) continue;
        throw InvalidInput("DATA", "points of both classes",
                           "only '" + model.classes()[1 - label] + "'");
    }
}

void warn_of_training_rows(const SeenRows& seen) {
    if (!seen.is_suspicious) return;
    const std::string share =
        seen.n_looked_up == seen.n_rows
            ? std::to_string(seen.n_seen) + " of these " + std::to_string(seen.n_rows) + " rows"
            : "about " +
                  percent_text(static_cast<double>(seen.n_seen) /
                               static_cast<double>(seen.n_looked_up)) +
                  " of these rows";
    warn(share + " were in the model's training data: new points will fare worse");
}

void add_facts(Report& report, const EvaluateOptions& options, const Model& model,
               const AttackChoice& rules, const Evaluation& evaluation) {
    const TrainingRecord& training = model.training();
    report.add_fact("model", options.input.model + ": " + training.method + ", " +
                                 std::to_string(model.ensemble().n_planes()) +
                                 (model.ensemble().n_planes() == 1 ? " plane" : " planes") +
                                 (training.is_partial ? ", partial" : ""));
    report.add_fact(
        "data",
        options.input.data +
            (options.holdout > 0.0 ? ", " + percent_text(options.holdout) + " held out" : ""));
    report.add_fact("points", evaluation.n_points);
    add_rules(report, rules, model);
    if (!evaluation.ceiling) {
        report.add_fact("ceiling", evaluation.n_points > kMaxCeilingPoints
                                       ? "not computed for more than " +
                                             std::to_string(kMaxCeilingPoints) + " points"
                           : model.class_vote() ? "only known for two classes"
                                                : "only known for a plain ball");
    }
}

ExitCode evaluate(const EvaluateOptions& options) {
    if (options.seed_option->count() > 0 && options.holdout == 0.0) {
        throw InvalidInput("--seed", "--holdout beside it", "none");
    }
    options.output.check();
    const Model model = options.input.load();
    AttackChoice rules = options.search.rules_for(model);
    PointStream stream = stream_labelled(options, model, rules);
    Evaluator evaluator(Decision(model), options.radii);
    SeenRows seen;
    double seconds = 0.0;
    bool is_stopped = false;
    {
        ProgressBar bar(options.messages, "certifying", "points");
        while (!is_stopped && stream.next()) {
            const PointData& points = stream.points();
            if (!points.y) throw InvalidInput("DATA", "points with labels", "none");
            rules.admit(points.X, *points.y, model.feature_names(), points.missing,
                        stream.n_before() + 1);
            seen = model.training().rows.look_up(points.X, seen);
            const Stopwatch watch;
            evaluator.add(model.scaler().transform_points(points.X), *points.y,
                          options.search.settings<CertifySettings>(model, rules, points.missing,
                                                                   stream.progress(bar), seconds));
            seconds += watch.seconds();
            is_stopped = stream.is_stopped();
        }
    }
    check_classes(evaluator, model);
    warn_of_training_rows(seen);
    const Stopwatch watch;
    const Evaluation evaluation = evaluator.finish();
    const std::string time = seconds_text(seconds + watch.seconds());
    Report report(options.output.format());
    add_facts(report, options, model, rules, evaluation);
    add_curve(report, options.output.format(), evaluation, rules, model.scaler().kind(),
              options.input.data);
    add_confusion(report, evaluation, model.classes());
    options.output.write(report);
    options.messages.note("evaluated " + std::to_string(evaluation.n_points) + " points in " +
                          time);
    const ExitCode code = warn_of_limits(evaluation.n_unsettled, evaluation.n_points);
    return is_stopped ? kStoppedEarly : code;
}

}  // namespace

Run add_evaluate_command(CLI::App& parser) {
    CLI::App* command =
        parser.add_subcommand("evaluate", "Accuracy of a model under attack at many radii");
    auto options = std::make_shared<EvaluateOptions>();
    add_options(*command, *options);
    describe(
        *command,
        "The ceiling is what no classifier of any kind could beat on these points; the constant "
        "classifier always gives the more frequent label.",
        {{"A model on the published test part", "redoubt evaluate model.json bcw:test"},
         {"The rows that 'train --holdout 0.2' kept out, as JSON",
          "redoubt evaluate model.json patients.csv --holdout 0.2 --format json"}});
    return [options] { return evaluate(*options); };
}

}  // namespace redoubt::app
