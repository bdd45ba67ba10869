// redoubt certify: how far each point can move before the model changes its answer.

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "csv_output.hpp"
#include "model_argument.hpp"
#include "moved_rows.hpp"
#include "redoubt/certificate.hpp"
#include "report.hpp"
#include "search_options.hpp"

namespace redoubt::app {
namespace {

struct CertifyOptions {
    ModelArguments input;
    SearchOptions search;
    OutputOption output;
    bool witness = false;
};

void add_options(CLI::App& command, CertifyOptions& options) {
    options.input.add_to(command);
    options.search.add_to(command);
    command.add_flag("--witness", options.witness,
                     "Add the nearest point with another answer, in the units of the data");
    options.output.add_to(command);
    command.footer("Radii are in scaled features: those that the model's planes see.");
}

std::vector<Certificate> certificates(const CertifyOptions& options, const Model& model,
                                      const PointData& points) {
    CertifySettings settings;
    settings.norm = options.search.norm_for(model);
    settings.solver = parse_solver(options.search.solver);
    settings.limits = options.search.limits();
    settings.n_threads = options.search.n_threads;
    const Matrix scaled = model.scaler().transform(points.X);
    return points.y ? certify(model.ensemble(), scaled, *points.y, settings)
                    : certify(model.ensemble(), scaled, settings);
}

/// The witnesses as rows of the data.
Matrix witness_rows(const Model& model, const PointData& points,
                    const std::vector<Certificate>& results) {
    const Eigen::VectorXi answers = model.predict_all(points.X);
    std::vector<Move> moves;
    for (std::size_t j = 0; j < results.size(); ++j) {
        moves.push_back({results[j].witness, -answers[static_cast<Index>(j)]});
    }
    const MovedRows moved = move_rows(model, points.X, moves);
    warn_of_undone_moves(moved.n_undone);
    return moved.raw;
}

CsvTable make_table(const CertifyOptions& options, const Model& model, const PointData& points,
                    const std::vector<Certificate>& results) {
    std::vector<std::string> columns{"row"};
    if (points.y) columns.emplace_back("label");
    for (const char* name : {"prediction", "radius", "lower", "upper", "status", "nodes"}) {
        columns.emplace_back(name);
    }
    Matrix witnesses;
    if (options.witness) {
        for (const std::string& name : model.feature_names()) columns.push_back("witness:" + name);
        witnesses = witness_rows(model, points, results);
    }
    CsvTable table(columns);
    const std::vector<std::string> predictions = model.predict_labels(points.X);
    for (std::size_t j = 0; j < results.size(); ++j) {
        const Certificate& result = results[j];
        std::vector<std::string> fields{std::to_string(j + 1)};
        if (points.y) fields.push_back(label_of(model, (*points.y)[static_cast<Index>(j)]));
        fields.push_back(predictions[j]);
        for (double value : {result.radius, result.lower, result.upper}) {
            fields.push_back(exact_text(value));
        }
        fields.emplace_back(to_string(result.status));
        fields.push_back(std::to_string(result.n_nodes));
        if (options.witness) append_row(fields, witnesses.row(static_cast<Index>(j)));
        table.add_row(fields);
    }
    return table;
}

ExitCode certify_points(const CertifyOptions& options) {
    options.output.check();
    const Model model = options.input.load();
    const PointData points = options.input.load_points(model);

    const auto start = std::chrono::steady_clock::now();
    const std::vector<Certificate> results = certificates(options, model, points);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    make_table(options, model, points, results).write_to(options.output);
    std::cerr << "certified " << results.size() << " points in " << seconds.count() << " s; "
              << to_string(options.search.norm_for(model)) << " radii, in scaled features\n";
    return warn_of_limits(results);
}

}  // namespace

Run add_certify_command(CLI::App& parser) {
    CLI::App* command = parser.add_subcommand(
        "certify", "How far each point can move before a model changes its answer");
    auto options = std::make_shared<CertifyOptions>();
    add_options(*command, *options);
    return [options] { return certify_points(*options); };
}

}  // namespace redoubt::app
