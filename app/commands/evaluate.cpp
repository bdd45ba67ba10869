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

/// The labelled points of DATA that are to be tried.
Dataset load_labelled(const EvaluateOptions& options, const Model& model) {
    PointData points = options.input.load_points(model, options.messages);
    if (!points.y) throw InvalidInput("DATA", "points with labels", "none");
    Dataset data{
        std::move(points.X), *std::move(points.y), model.classes(), {}, std::move(points.missing)};
    if (options.holdout > 0.0) {
        data = data.subset(hold_out(data.y, options.holdout, options.seed).test);
    }
    if (data.y.minCoeff() == data.y.maxCoeff()) {
        throw InvalidInput("DATA", "points of both classes",
                           "only '" + data.class_of(data.y[0]) + "'");
    }
    return data;
}

void warn_of_training_rows(const Model& model, const Dataset& data) {
    const SeenRows seen = model.training().rows.look_up(data.X);
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
               const AttackChoice& rules, const Dataset& data, const Evaluation& evaluation) {
    const TrainingRecord& training = model.training();
    report.add_fact("model", options.input.model + ": " + training.method + ", " +
                                 std::to_string(model.ensemble().n_planes()) +
                                 (model.ensemble().n_planes() == 1 ? " plane" : " planes") +
                                 (training.is_partial ? ", partial" : ""));
    report.add_fact(
        "data",
        options.input.data +
            (options.holdout > 0.0 ? ", " + percent_text(options.holdout) + " held out" : ""));
    report.add_fact("points", data.n_samples());
    add_rules(report, rules, model);
    if (!evaluation.ceiling) {
        report.add_fact("ceiling", evaluation.n_points > kMaxCeilingPoints
                                       ? "not computed for more than " +
                                             std::to_string(kMaxCeilingPoints) + " points"
                                       : "only known for a plain ball");
    }
}

ExitCode evaluate(const EvaluateOptions& options) {
    if (options.seed_option->count() > 0 && options.holdout == 0.0) {
        throw InvalidInput("--seed", "--holdout beside it", "none");
    }
    options.output.check();
    const Model model = options.input.load();
    const Dataset data = load_labelled(options, model);
    AttackChoice rules = options.search.rules_for(model);
    rules.admit(data.X, data.y, model.feature_names(), data.missing);
    warn_of_training_rows(model, data);

    const Stopwatch watch;
    ProgressBar bar(options.messages, "certifying", "points");
    const Evaluation evaluation =
        evaluate_points(model.ensemble(), model.scaler().transform(data.X), data.y, options.radii,
                        options.search.settings<CertifySettings>(model, rules, data.missing, bar));
    const std::string time = watch.text();
    Report report(options.output.format());
    add_facts(report, options, model, rules, data, evaluation);
    add_curve(report, options.output.format(), evaluation, rules, model.scaler().kind(),
              options.input.data);
    add_confusion(report, evaluation, model.classes());
    options.output.write(report);
    options.messages.note("evaluated " + std::to_string(evaluation.n_points) + " points in " +
                          time);
    return warn_of_limits(evaluation.n_unsettled, evaluation.n_points);
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
