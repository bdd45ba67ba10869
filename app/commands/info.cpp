// redoubt info: what a model file holds.

#include <CLI/App.hpp>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "commands/auto_radius.hpp"
#include "commands/command.hpp"
#include "output/evaluation.hpp"
#include "output/messages.hpp"
#include "output/model_facts.hpp"
#include "output/report.hpp"
#include "redoubt/model_file.hpp"
#include "shell/help_text.hpp"

namespace redoubt::app {
namespace {

struct InfoOptions {
    std::string model;
    OutputOptions output{OutputOptions::Usual::Text};
};

/// A vote of more planes than this is summed up in text.
constexpr Index kMaxShownPlanes = 5;

void add_features(Report& report, OutputFormat format, const Model& model) {
    const Ensemble& ensemble = model.ensemble();
    const bool is_summed_up = format == OutputFormat::Text && ensemble.n_planes() > kMaxShownPlanes;
    std::vector<Column> columns{"feature", "offset", "scale"};
    if (is_summed_up) {
        for (const char* name : {"least_weight", "mean_weight", "greatest_weight"}) {
            columns.emplace_back(name);
        }
    } else {
        for (Index i = 0; i < ensemble.n_planes(); ++i) {
            columns.emplace_back("plane:" + std::to_string(i + 1));
        }
    }
    Table& table = report.add_table("features", "Planes in scaled features, (x - offset) / scale",
                                    std::move(columns));
    const auto add_weights = [&](const Vector& weights) {
        if (is_summed_up) {
            table.add(weights.minCoeff()).add(weights.mean()).add(weights.maxCoeff());
        } else {
            table.add_all(weights);
        }
    };
    for (Index j = 0; j < ensemble.n_features(); ++j) {
        table.add(model.feature_names()[static_cast<std::size_t>(j)]);
        table.add(model.scaler().offset()[j]).add(model.scaler().scale()[j]);
        add_weights(ensemble.coef().col(j));
    }
    table.add("(bias)").add_missing().add_missing();
    add_weights(ensemble.intercept());
}

ExitCode show_model(const InfoOptions& options) {
    options.output.check();
    const Model model = load_model(options.model);
    Report report(options.output.format());
    report.add_fact("model", options.model);
    report.add_fact("planes", model.ensemble().n_planes());
    if (model.ensemble().has_quota()) report.add_fact("quota", model.ensemble().quota());
    report.add_fact("features", model.ensemble().n_features());
    if (model.class_vote()) {
        report.add_fact("labels", model.classes());
        report.add_fact("decision", decision_text(*model.class_vote()));
    } else {
        report.add_fact("label -1", model.classes()[0]);
        report.add_fact("label +1", model.classes()[1]);
    }
    report.add_fact("scaling", to_string(model.scaler().kind()));
    add_rules(report, {.model = model.threat(), .is_default = !model.attack_model()},
              model.scaler().kind(), AttackedData::of(model));
    for (const ModelFact& fact : training_facts(model.training())) {
        std::visit([&](const auto& value) { report.add_fact(fact.name, value); }, fact.value);
    }
    add_features(report, options.output.format(), model);
    add_choice(report, model.training());
    options.output.write(report);
    return kProven;
}

}  // namespace

Run add_info_command(CLI::App& parser) {
    CLI::App* command = parser.add_subcommand("info", "Show the contents of a model file");
    auto options = std::make_shared<InfoOptions>();
    command->add_option("MODEL", options->model, "A model file, or - for standard input")
        ->required();
    options->output.add_to(*command);
    describe(
        *command, "",
        {{"How a model was trained, and its planes", "redoubt info model.json"},
         {"The planes as a table for other programs", "redoubt info model.json --format csv"}});
    return [options] { return show_model(*options); };
}

}  // namespace redoubt::app
