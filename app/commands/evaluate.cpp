// redoubt evaluate: a model's accuracy under attack on labelled points, and what to compare it
// with.

#include <CLI/App.hpp>
#include <memory>
#include <string>

#include "commands/command.hpp"
#include "commands/evaluation_run.hpp"
#include "output/report.hpp"
#include "shell/help_text.hpp"

namespace redoubt::app {
namespace {

struct EvaluateOptions {
    EvaluationOptions what;
    OutputOptions output{OutputOptions::Usual::Text};
};

void add_options(CLI::App& command, EvaluateOptions& options) {
    options.what.add_to(command);
    options.output.add_to(command);
    options.what.messages.add_to(command);
}

void add_facts(Report& report, const EvaluateOptions& options, const Model& model,
               const EvaluationRun& run) {
    report.add_fact("model", options.what.input.model + ": " + method_text(model));
    report.add_fact("data", options.what.data_text());
    report.add_fact("points", run.evaluation.n_points);
    add_rules(report, run.rules, model);
    if (!run.evaluation.ceiling) report.add_fact("ceiling", no_ceiling_text(run.evaluation, model));
}

ExitCode evaluate(const EvaluateOptions& options) {
    options.what.check();
    options.output.check();
    const Model model = options.what.input.load();
    const EvaluationRun run = run_evaluation(options.what, model);
    Report report(options.output.format());
    add_facts(report, options, model, run);
    add_curve(report, options.output.format(), run.evaluation, run.rules, model.scaler().kind(),
              options.what.input.data);
    add_confusion(report, run.evaluation, model.classes());
    options.output.write(report);
    return end_evaluation(run, options.what);
}

}  // namespace

Run add_evaluate_command(CLI::App& parser) {
    CLI::App* command = parser.add_subcommand("evaluate", "Accuracy under attack at several radii");
    auto options = std::make_shared<EvaluateOptions>();
    add_options(*command, *options);
    describe(*command,
             "The ceiling is a bound that no classifier can beat on these points; the constant "
             "classifier always gives the more frequent label.",
             {{"A model on the published test part", "redoubt evaluate model.json bcw:test"},
              {"The rows that 'train --holdout 0.2' held out, as JSON",
               "redoubt evaluate model.json patients.csv --holdout 0.2 --format json"}});
    return [options] { return evaluate(*options); };
}

}  // namespace redoubt::app
