// redoubt adjust: the same planes at another operating point.

#include <CLI/App.hpp>
#include <memory>
#include <optional>
#include <string>

#include "commands/command.hpp"
#include "options/model_argument.hpp"
#include "options/validators.hpp"
#include "output/decision.hpp"
#include "output/messages.hpp"
#include "output/report.hpp"
#include "redoubt/error.hpp"
#include "redoubt/model_file.hpp"
#include "redoubt/operating_point.hpp"
#include "shell/help_text.hpp"

namespace redoubt::app {
namespace {

struct AdjustOptions {
    ModelArguments input;
    double max_fpr = 0.01;
    int n_threads = 0;
    std::string out;
    OutputOptions output{OutputOptions::Usual::Text};
    MessageOptions messages;
};

void add_options(CLI::App& command, AdjustOptions& options) {
    options.input.add_to(command);
    command
        .add_option("--max-fpr", options.max_fpr,
                    "Largest allowed share of class -1 points answered with +1")
        ->check(nonnegative_number())
        ->capture_default_str();
    command.add_option("--model", options.out, "Write the adjusted model to this file")
        ->required()
        ->type_name("FILE");
    command.add_option("--threads", options.n_threads, "Number of threads; 0 means all cores")
        ->check(nonnegative_integer())
        ->capture_default_str();
    options.output.add_to(command);
    options.messages.add_to(command);
}

ExitCode adjust(const AdjustOptions& options) {
    options.output.check();
    const Model model = options.input.load();
    check_two_classes(model, "adjust");
    const PointData points = options.input.load_points(model, options.messages);
    if (!points.y) throw InvalidInput("DATA", kNoLabels);
    const OperatingPoint point =
        choose_operating_point(model.ensemble(), model.scaler().transform_points(points.X),
                               *points.y, options.max_fpr, options.n_threads);
    save_model(Model(model.scaler(), point.ensemble, model.coding(), model.training(),
                     model.attack_model()),
               options.out);
    options.messages.note("model written to " + options.out);
    Report report(options.output.format());
    report.add_fact("planes", point.ensemble.n_planes());
    if (point.ensemble.has_quota()) {
        report.add_fact("quota", point.ensemble.quota());
    } else {
        report.add_fact("bias before", model.ensemble().intercept()[0]);
        report.add_fact("bias", point.ensemble.intercept()[0]);
    }
    report.add_fact("false positive rate", point.false_positive_rate);
    report.add_fact("detection rate", point.detection_rate);
    options.output.write(report);
    return kProven;
}

}  // namespace

Run add_adjust_command(CLI::App& parser) {
    CLI::App* command =
        parser.add_subcommand("adjust", "Run the same planes at another false positive rate");
    auto options = std::make_shared<AdjustOptions>();
    add_options(*command, *options);
    describe(*command,
             "A single plane gets a new bias; a vote gets a quota, the number of planes that must "
             "answer +1. DATA should be neither the training nor the test data.",
             {{"At most 3 % of benign cases called malignant, chosen on held-out points",
               "redoubt adjust model.json bcw:test --max-fpr 0.03 --model adjusted.json"},
              {"The same, printing JSON only",
               "redoubt adjust model.json bcw:test --max-fpr 0.05 --model adjusted.json --format "
               "json --quiet"}});
    return [options] { return adjust(*options); };
}

}  // namespace redoubt::app
