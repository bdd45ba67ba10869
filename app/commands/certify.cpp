// redoubt certify: how far each point can move before the model changes its answer.

#include <CLI/App.hpp>
#include <memory>
#include <string>
#include <vector>

#include "commands/command.hpp"
#include "options/model_argument.hpp"
#include "options/search_options.hpp"
#include "output/evaluation.hpp"
#include "output/messages.hpp"
#include "output/moved_rows.hpp"
#include "output/report.hpp"
#include "output/table_rows.hpp"
#include "redoubt/certificate.hpp"
#include "shell/help_text.hpp"

namespace redoubt::app {
namespace {

struct CertifyOptions {
    ModelArguments input;
    SearchOptions search;
    OutputOptions output{OutputOptions::Usual::TextOnTerminal};
    MessageOptions messages;
    bool witness = false;
};

void add_options(CLI::App& command, CertifyOptions& options) {
    options.input.add_to(command);
    options.search.add_to(command);
    command.add_flag("--witness", options.witness,
                     "Add the nearest point with another answer, in the units of the data");
    options.output.add_to(command);
    options.messages.add_to(command);
}

std::vector<Certificate> certificates(const CertifyOptions& options, const Model& model,
                                      const AttackChoice& rules, const PointData& points) {
    ProgressBar bar(options.messages, "certifying", "points");
    const auto settings =
        options.search.settings<CertifySettings>(model, rules, points.missing, bar);
    const Matrix scaled = model.scaler().transform(points.X);
    return points.y ? certify(model.ensemble(), scaled, *points.y, settings)
                    : certify(model.ensemble(), scaled, settings);
}

/// The witnesses as rows of the data.
Matrix witness_rows(const Model& model, const AttackChoice& rules, const PointData& points,
                    const std::vector<Certificate>& results) {
    const Eigen::VectorXi answers = model.predict_all(points.X);
    std::vector<RowMove> moves;
    for (std::size_t j = 0; j < results.size(); ++j) {
        moves.push_back({results[j].witness, -answers[static_cast<Index>(j)]});
    }
    return printed_rows(model, rules, points.X, moves);
}

Report make_report(const CertifyOptions& options, const Model& model, const AttackChoice& rules,
                   const PointData& points, const std::vector<Certificate>& results) {
    Report report(options.output.format());
    add_rules(report, rules, model);
    std::vector<Column> columns{"row"};
    if (points.y) columns.emplace_back("label");
    for (const char* name : {"prediction", "radius", "lower", "upper", "status", "nodes"}) {
        columns.emplace_back(name);
    }
    const TableRows table_rows(model);
    const RowFeatures frozen = rules.frozen(points.missing);
    Matrix witnesses;
    if (options.witness) {
        table_rows.add_names(columns, "witness:");
        witnesses = witness_rows(model, rules, points, results);
    }
    Table& table = report.add_table("points", "", std::move(columns));
    const std::vector<std::string> predictions = model.predict_labels(points.X);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const Certificate& result = results[i];
        const auto j = static_cast<Index>(i);
        table.add(j + 1);
        if (points.y) table.add(label_of(model, (*points.y)[j]));
        table.add(predictions[i]).add(result.radius).add(result.lower).add(result.upper);
        table.add(to_string(result.status)).add(static_cast<Index>(result.n_nodes));
        if (options.witness) table_rows.add_row(table, witnesses.row(j), frozen, i);
    }
    return report;
}

ExitCode certify_points(const CertifyOptions& options) {
    options.output.check();
    const Model model = options.input.load();
    AttackChoice rules = options.search.rules_for(model);
    const PointData points = options.input.load_points(model, options.messages);
    rules.admit(points.X, labels_of(model, points), model.feature_names(), points.missing);

    const Stopwatch watch;
    const std::vector<Certificate> results = certificates(options, model, rules, points);
    const std::string time = watch.text();
    options.output.write(make_report(options, model, rules, points, results));
    options.messages.note("certified " + std::to_string(results.size()) + " points in " + time +
                          "; " + std::string(to_string(rules.model.norm)) + " radii in " +
                          rules.unit(model.scaler().kind()));
    return warn_of_limits(results);
}

}  // namespace

Run add_certify_command(CLI::App& parser) {
    CLI::App* command = parser.add_subcommand(
        "certify", "How far each point can move before a model changes its answer");
    auto options = std::make_shared<CertifyOptions>();
    add_options(*command, *options);
    describe(*command,
             "Radii are in scaled features, those that the model's planes see, or in the scales of "
             "the attack model. Without labels the radius of the prediction is certified.",
             {{"How far each test point may move",
               "redoubt certify model.json bcw:test --out certificates.csv"},
              {"The nearest points with another answer, at most one second for each",
               "redoubt certify model.json patients.csv --witness --point-time-limit 1"}});
    return [options] { return certify_points(*options); };
}

}  // namespace redoubt::app
