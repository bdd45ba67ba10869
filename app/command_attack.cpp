// redoubt attack: the worst that an adversary of a given reach can do to each point.

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "csv_output.hpp"
#include "model_argument.hpp"
#include "moved_rows.hpp"
#include "redoubt/attack.hpp"
#include "redoubt/error.hpp"
#include "report.hpp"
#include "search_options.hpp"
#include "validators.hpp"

namespace redoubt::app {
namespace {

struct AttackOptions {
    ModelArguments input;
    double radius = 0.0;
    std::string adversary = "exact";
    std::string rule = "corrected";
    SearchOptions search;
    OutputOption output;

    CLI::Option* rule_option = nullptr;
};

void add_options(CLI::App& command, AttackOptions& options) {
    options.input.add_to(command);
    command.add_option("--radius", options.radius, "The adversary's reach, in scaled features")
        ->check(nonnegative_number())
        ->required();
    command.add_option("--adversary", options.adversary, "exact, relaxed or heuristic")
        ->check(one_of({"exact", "relaxed", "heuristic"}))
        ->capture_default_str();
    options.rule_option =
        command.add_option("--rule", options.rule, "heuristic: corrected, or as published")
            ->check(one_of({"corrected", "published"}))
            ->capture_default_str();
    options.search.add_to(command);
    options.output.add_to(command);
    command.footer(
        "The radius is in scaled features, those that the model's planes see; the attacked rows "
        "are "
        "in the units of the data.");
}

/// Refuses options that the chosen adversary would not look at.
void check_options(const AttackOptions& options) {
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
                            const PointData& points, const Vector& labels) {
    AttackSettings settings;
    settings.norm = options.search.norm_for(model);
    settings.adversary = parse_adversary(options.adversary);
    settings.rule = parse_heuristic_rule(options.rule);
    settings.solver = parse_solver(options.search.solver);
    settings.limits = options.search.limits();
    settings.n_threads = options.search.n_threads;
    return attack(model.ensemble(), model.scaler().transform(points.X), labels,
                  Vector::Constant(1, options.radius), settings);
}

/// The attacked points as rows of the data; a success is one in the row as printed, too.
Matrix attacked_rows(const Model& model, const PointData& points, const Vector& labels,
                     const std::vector<Attack>& results) {
    std::vector<Move> moves;
    for (std::size_t j = 0; j < results.size(); ++j) {
        const int other = labels[static_cast<Index>(j)] > 0.0 ? -1 : 1;
        moves.push_back({results[j].d, results[j].success ? other : 0});
    }
    const MovedRows moved = move_rows(model, points.X, moves);
    warn_of_undone_moves(moved.n_undone);
    return moved.raw;
}

/// "1 4 7": planes count from 1.
std::string plane_list(const std::vector<int>& planes) {
    std::string text;
    for (int plane : planes) text += (text.empty() ? "" : " ") + std::to_string(plane + 1);
    return text;
}

CsvTable make_table(const Model& model, const PointData& points, const Matrix& attacked,
                    const std::vector<Attack>& results) {
    std::vector<std::string> columns{"row"};
    if (points.y) columns.emplace_back("label");
    for (const char* name : {"prediction", "attacked", "success", "fooled", "planes", "objective",
                             "bound", "status", "nodes"}) {
        columns.emplace_back(name);
    }
    for (const std::string& name : model.feature_names()) columns.push_back(name);
    CsvTable table(columns);
    const std::vector<std::string> before = model.predict_labels(points.X);
    const std::vector<std::string> after = model.predict_labels(attacked);
    for (std::size_t j = 0; j < results.size(); ++j) {
        const Attack& result = results[j];
        std::vector<std::string> fields{std::to_string(j + 1)};
        if (points.y) fields.push_back(label_of(model, (*points.y)[static_cast<Index>(j)]));
        fields.insert(
            fields.end(),
            {before[j], after[j], result.success ? "1" : "0", std::to_string(result.fooled.size()),
             plane_list(result.fooled), exact_text(result.objective), exact_text(result.bound),
             std::string(to_string(result.status)), std::to_string(result.n_nodes)});
        append_row(fields, attacked.row(static_cast<Index>(j)));
        table.add_row(fields);
    }
    return table;
}

ExitCode attack_points(const AttackOptions& options) {
    check_options(options);
    options.output.check();
    const Model model = options.input.load();
    const PointData points = options.input.load_points(model);
    // Without labels the adversary's aim is to change the answer.
    const Vector labels = points.y ? *points.y : Vector(model.predict_all(points.X).cast<double>());

    const auto start = std::chrono::steady_clock::now();
    const std::vector<Attack> results = attacks(options, model, points, labels);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const Matrix attacked = attacked_rows(model, points, labels, results);
    make_table(model, points, attacked, results).write_to(options.output);
    const auto n_successes =
        std::count_if(results.begin(), results.end(), [](const Attack& a) { return a.success; });
    std::cerr << "attacked " << results.size() << " points in " << seconds.count()
              << " s: " << n_successes << " wrong at " << to_string(options.search.norm_for(model))
              << " radius " << exact_text(options.radius) << ", in scaled features\n";
    return warn_of_limits(results);
}

}  // namespace

Run add_attack_command(CLI::App& parser) {
    CLI::App* command =
        parser.add_subcommand("attack", "The worst that an adversary can do to each point");
    auto options = std::make_shared<AttackOptions>();
    add_options(*command, *options);
    return [options] { return attack_points(*options); };
}

}  // namespace redoubt::app
