// redoubt attack: the worst that an adversary of a given reach can do to each point.

#include <CLI/App.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "commands/command.hpp"
#include "options/model_argument.hpp"
#include "options/search_options.hpp"
#include "options/validators.hpp"
#include "output/evaluation.hpp"
#include "output/messages.hpp"
#include "output/moved_rows.hpp"
#include "output/report.hpp"
#include "output/table_rows.hpp"
#include "redoubt/attack.hpp"
#include "redoubt/error.hpp"
#include "shell/help_text.hpp"

namespace redoubt::app {
namespace {

struct AttackOptions {
    ModelArguments input;
    double radius = 0.0;
    std::string adversary = "exact";
    std::string rule = "corrected";
    SearchOptions search;
    OutputOptions output{OutputOptions::Usual::TextOnTerminal};
    MessageOptions messages;

    CLI::Option* radius_option = nullptr;
    CLI::Option* rule_option = nullptr;
};

void add_options(CLI::App& command, AttackOptions& options) {
    options.input.add_to(command);
    options.radius_option =
        command.add_option("--radius", options.radius, "The adversary's reach, in scaled features")
            ->check(nonnegative_number());
    command
        .add_option("--radius-column", options.input.radius_column,
                    "Column of radii, one per point, instead of --radius")
        ->type_name("COLUMN");
    command.add_option("--adversary", options.adversary, "exact, relaxed or heuristic")
        ->check(one_of({"exact", "relaxed", "heuristic"}))
        ->capture_default_str();
    options.rule_option =
        command.add_option("--rule", options.rule, "heuristic: corrected, or as published")
            ->check(one_of({"corrected", "published"}))
            ->capture_default_str();
    options.search.add_to(command);
    options.output.add_to(command);
    options.messages.add_to(command);
}

/// Refuses options that the chosen adversary would not look at.
void check_options(const AttackOptions& options) {
    const bool has_column = !options.input.radius_column.empty();
    if ((options.radius_option->count() > 0) == has_column) {
        throw InvalidInput("--radius", "it or --radius-column", has_column ? "both" : "neither");
    }
    const std::string adversary = "--adversary " + options.adversary;
    if (options.adversary != "heuristic") {
        if (options.rule_option->count() == 0) return;
        throw InvalidInput("--rule", "--adversary heuristic", adversary);
    }
    const std::string option = options.search.first_given();
    if (option.empty()) return;
    throw InvalidInput(option, "--adversary exact or relaxed", adversary);
}

std::vector<Attack> attacks(const AttackOptions& options, const Model& model,
                            const AttackChoice& rules, const PointData& points,
                            const Vector& labels) {
    ProgressBar bar(options.messages, "attacking", "points");
    auto settings = options.search.settings<AttackSettings>(model, rules, points.missing, bar);
    settings.adversary = parse_adversary(options.adversary);
    settings.rule = parse_heuristic_rule(options.rule);
    const Vector radii =
        points.radii.size() > 0 ? points.radii : Vector(Vector::Constant(1, options.radius));
    return attack(model.ensemble(), model.scaler().transform(points.X), labels, radii, settings);
}

/// The attacked points as rows of the data; a success is one in the row as printed, too.
Matrix attacked_rows(const Model& model, const AttackChoice& rules, const PointData& points,
                     const Vector& labels, const std::vector<Attack>& results) {
    std::vector<RowMove> moves;
    for (std::size_t j = 0; j < results.size(); ++j) {
        const int other = labels[static_cast<Index>(j)] > 0.0 ? -1 : 1;
        moves.push_back({results[j].d, results[j].success ? other : 0});
    }
    return printed_rows(model, rules, points.X, moves);
}

/// "1 4 7": planes count from 1.
std::string plane_list(const std::vector<int>& planes) {
    std::string text;
    for (int plane : planes) text += (text.empty() ? "" : " ") + std::to_string(plane + 1);
    return text;
}

Report make_report(const AttackOptions& options, const Model& model, const AttackChoice& rules,
                   const PointData& points, const Matrix& attacked,
                   const std::vector<Attack>& results) {
    Report report(options.output.format());
    add_rules(report, rules, model);
    if (points.radii.size() == 0) report.add_fact("radius", options.radius);
    report.add_fact("adversary", options.adversary);
    std::vector<Column> columns{"row"};
    if (points.y) columns.emplace_back("label");
    for (const char* name : {"prediction", "attacked", "success", "fooled", "planes", "objective",
                             "bound", "status", "nodes"}) {
        columns.emplace_back(name);
    }
    const TableRows table_rows(model);
    table_rows.add_names(columns, "");
    const RowFeatures frozen = rules.frozen(points.missing);
    Table& table = report.add_table("points", "", std::move(columns));
    const std::vector<std::string> before = model.predict_labels(points.X);
    const std::vector<std::string> after = model.predict_labels(attacked);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const Attack& result = results[i];
        const auto j = static_cast<Index>(i);
        table.add(j + 1);
        if (points.y) table.add(label_of(model, (*points.y)[j]));
        table.add(before[i]).add(after[i]).add(Index{result.success});
        table.add(static_cast<Index>(result.fooled.size())).add(plane_list(result.fooled));
        table.add(result.objective).add(result.bound).add(to_string(result.status));
        table.add(static_cast<Index>(result.n_nodes));
        table_rows.add_row(table, attacked.row(j), frozen, i);
    }
    return report;
}

ExitCode attack_points(const AttackOptions& options) {
    check_options(options);
    options.output.check();
    const Model model = options.input.load();
    AttackChoice rules = options.search.rules_for(model);
    const PointData points = options.input.load_points(model, options.messages);
    // Without labels the adversary's aim is to change the answer.
    const Vector labels = labels_of(model, points);
    rules.admit(points.X, labels, model.feature_names(), points.missing);

    const Stopwatch watch;
    const std::vector<Attack> results = attacks(options, model, rules, points, labels);
    const std::string time = watch.text();
    const Matrix attacked = attacked_rows(model, rules, points, labels, results);
    options.output.write(make_report(options, model, rules, points, attacked, results));
    const auto n_successes =
        std::count_if(results.begin(), results.end(), [](const Attack& a) { return a.success; });
    const std::string reach =
        points.radii.size() > 0 ? "radii of their own" : "radius " + exact_text(options.radius);
    options.messages.note("attacked " + std::to_string(results.size()) + " points in " + time +
                          ": " + std::to_string(n_successes) + " wrong at " +
                          std::string(to_string(rules.model.norm)) + " " + reach + ", in " +
                          rules.unit(model.scaler().kind()));
    return warn_of_limits(results);
}

}  // namespace

Run add_attack_command(CLI::App& parser) {
    CLI::App* command =
        parser.add_subcommand("attack", "The worst that an adversary can do to each point");
    auto options = std::make_shared<AttackOptions>();
    add_options(*command, *options);
    describe(
        *command,
        "The radius is in scaled features, those that the model's planes see, or in the scales of "
        "the attack model; the attacked rows are in the units of the data.",
        {{"The worst within half a standard deviation of every point",
          "redoubt attack model.json bcw:test --radius 0.5"},
         {"A quick attack that changes every feature a little",
          "redoubt attack model.json patients.csv --radius 0.2 --norm linf --adversary "
          "heuristic"}});
    return [options] { return attack_points(*options); };
}

}  // namespace redoubt::app
