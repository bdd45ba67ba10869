// redoubt predict: the answers of a model, with the votes behind them.

#include <CLI/App.hpp>
#include <memory>
#include <string>
#include <vector>

#include "commands/command.hpp"
#include "options/model_argument.hpp"
#include "options/validators.hpp"
#include "output/messages.hpp"
#include "output/report.hpp"
#include "shell/help_text.hpp"

namespace redoubt::app {
namespace {

struct PredictOptions {
    ModelArguments input;
    int n_threads = 0;
    OutputOptions output{OutputOptions::Usual::TextOnTerminal};
    MessageOptions messages;
};

void add_options(CLI::App& command, PredictOptions& options) {
    options.input.add_to(command);
    command.add_option("--threads", options.n_threads, "Threads; 0 is every core")
        ->check(nonnegative_integer())
        ->capture_default_str();
    options.output.add_to(command);
    options.messages.add_to(command);
}

/// The number behind the answer: positive for classes[1], negative for classes[0], 0 for a tie,
/// which is answered with classes[1]. For one plane its value, for a vote the (weighted) mean of
/// the votes. A quota is taken off: 0 is a vote that just meets it.
Vector margins(const Ensemble& ensemble, const PointsRef& scaled, const Eigen::VectorXi& votes,
               int n_threads) {
    if (ensemble.has_quota()) {
        const auto total = static_cast<double>(ensemble.total_units());
        const double least = 2.0 * static_cast<double>(ensemble.quota_units()) - total;
        const Vector sums = ensemble.weighted_votes(scaled, n_threads) / ensemble.weight_unit();
        return (sums.array() - least) / total;
    }
    if (ensemble.is_weighted())
        return ensemble.weighted_votes(scaled, n_threads) / ensemble.weights().sum();
    if (ensemble.n_planes() > 1) {
        return votes.cast<double>() / static_cast<double>(ensemble.n_planes());
    }
    return scaled.multiply(ensemble.coef().row(0).transpose()).array() + ensemble.intercept()[0];
}

Table& start_table(Report& report, const Model& model, bool has_labels) {
    std::vector<Column> columns{"row"};
    if (has_labels) columns.emplace_back("label");
    for (const std::string& name : {std::string("prediction"), "votes:" + model.classes()[0],
                                    "votes:" + model.classes()[1], std::string("margin")}) {
        columns.emplace_back(name);
    }
    return report.add_table("points", "", std::move(columns));
}

struct Answers {
    Eigen::VectorXi votes;
    Eigen::VectorXi signs;
    Vector margin;
};

Answers answer(const PredictOptions& options, const Model& model, const PointsRef& X) {
    const Stopwatch watch;
    const PointSet scaled = model.scaler().transform_points(X);
    Answers found;
    found.votes = model.ensemble().votes(scaled, options.n_threads);
    // Weights may outvote the majority, and a quota asks for more or less than it.
    if (model.ensemble().is_weighted() || model.ensemble().has_quota()) {
        found.signs = model.ensemble().predict_all(scaled, options.n_threads);
    } else {
        found.signs =
            (found.votes.array() >= 0).select(Eigen::VectorXi::Ones(found.votes.size()), -1);
    }
    found.margin = margins(model.ensemble(), scaled, found.votes, options.n_threads);
    options.messages.detail("predicted in " + watch.text());
    return found;
}

/// Adds the rows of a block, and returns how many answers are as labelled.
Index add_rows(Table& table, const Model& model, const PointStream& stream, const Answers& found) {
    const PointData& points = stream.points();
    const Eigen::VectorXi& votes = found.votes;
    const Index k = model.ensemble().n_planes();
    for (Index j = 0; j < votes.size(); ++j) {
        table.add(stream.n_before() + j + 1);
        if (points.y) table.add(label_of(model, (*points.y)[j]));
        table.add(label_of(model, found.signs[j]));
        table.add((k - votes[j]) / 2).add((k + votes[j]) / 2).add(found.margin[j]);
    }
    if (!points.y) return 0;
    return ((found.signs.array() > 0) == (points.y->array() > 0.0)).count();
}

ExitCode predict(const PredictOptions& options) {
    options.output.check();
    const Model model = options.input.load();
    PointStream stream = options.input.stream_points(model, options.messages);
    Report report(options.output.format());
    ReportSink sink = options.output.open();
    Table* table = nullptr;
    Index n_right = 0;
    bool has_labels = false;
    {
        ProgressBar bar(options.messages, "predicting", "points");
        while (stream.next()) {
            has_labels = stream.points().y.has_value();
            if (table == nullptr) table = &start_table(report, model, has_labels);
            const Answers found = answer(options, model, stream.points().X);
            const Stopwatch writing;
            n_right += add_rows(*table, model, stream, found);
            if (!sink.write(report.take_text())) return kBadInput;
            options.messages.detail("written in " + writing.text());
            stream.progress(bar)(stream.points().X.rows(), 0);
        }
    }
    sink.write(report.take_rest());
    sink.finish();
    std::string note = "predicted " + std::to_string(stream.n_rows()) + " points";
    if (has_labels) note += ", " + std::to_string(n_right) + " as labelled";
    options.messages.note(note);
    return kProven;
}

}  // namespace

Run add_predict_command(CLI::App& parser) {
    CLI::App* command = parser.add_subcommand("predict", "The answers of a model");
    auto options = std::make_shared<PredictOptions>();
    add_options(*command, *options);
    describe(*command,
             "The margin is positive for the label +1: for one plane its value, for a vote the "
             "mean of the "
             "votes, less that of a vote that just meets the quota if there is one. A tie goes to "
             "+1.",
             {{"Labels and votes of new points", "redoubt predict model.json patients.csv"},
              {"The same as JSON, from standard input",
               "redoubt predict model.json - --format json < patients.csv"}});
    return [options] { return predict(*options); };
}

}  // namespace redoubt::app
