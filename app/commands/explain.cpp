// redoubt explain: what would have to change, feature by feature, for another answer.

#include <CLI/App.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "commands/command.hpp"
#include "options/model_argument.hpp"
#include "options/search_options.hpp"
#include "options/validators.hpp"
#include "output/decision.hpp"
#include "output/evaluation.hpp"
#include "output/messages.hpp"
#include "output/report.hpp"
#include "output/table_rows.hpp"
#include "redoubt/error.hpp"
#include "redoubt/explain.hpp"
#include "shell/help_text.hpp"

namespace redoubt::app {
namespace {

struct ExplainOptions {
    ModelArguments input;
    std::vector<Index> rows;
    std::string norm;
    AttackModelOption attack_model;
    bool no_ranges = false;
    double max_seconds_per_point = SearchLimits{}.max_seconds_per_point;
    OutputOptions output{OutputOptions::Usual::Text};
    MessageOptions messages;
};

void add_options(CLI::App& command, ExplainOptions& options) {
    options.input.add_to(command);
    command.add_option("--row", options.rows, "Only these rows, counted from 1 (default: all)")
        ->check(positive_integer())
        ->delimiter(',')
        ->allow_extra_args(false);
    command
        .add_option(
            "--norm", options.norm,
            "The adversary's norm: l1, l2, linf or l0, which counts changed features (default: "
            "the model's)")
        ->check(one_of({"l1", "l2", "linf", "l0"}));
    options.attack_model.add_to(command,
                                "Rules for the adversary: a file, or none for a plain ball "
                                "(default: the model's own)");
    command.add_flag("--no-ranges", options.no_ranges,
                     "Let features leave the ranges of the training data, unless an attack model "
                     "limits them");
    command
        .add_option("--point-time-limit", options.max_seconds_per_point,
                    "Seconds for one point (default: no limit)")
        ->check(nonnegative_number());
    options.output.add_to(command);
    options.messages.add_to(command);
}

/// The rows that were asked for, counted from 0.
std::vector<Index> chosen_rows(const ExplainOptions& options, Index n_rows) {
    std::vector<Index> rows;
    for (Index row : options.rows) {
        if (row > n_rows) {
            throw InvalidInput("--row", "a row of DATA, from 1 to " + std::to_string(n_rows),
                               std::to_string(row));
        }
        rows.push_back(row - 1);
    }
    if (rows.empty()) {
        for (Index row = 0; row < n_rows; ++row) rows.push_back(row);
    }
    return rows;
}

void add_sentences(Report& report, const Model& model, const std::vector<Index>& rows,
                   const std::vector<Explanation>& results) {
    std::vector<Column> columns{"row", "prediction"};
    if (model.class_vote()) columns.emplace_back("nearest");
    for (const char* name : {"radius", "lower", "upper", "status", "explanation"})
        columns.emplace_back(name);
    Table& table = report.add_table("points", "", std::move(columns));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Certificate& certificate = results[i].certificate;
        table.add(rows[i] + 1).add(label_of(model, results[i].answer));
        if (model.class_vote()) {
            const bool is_known = results[i].moved_answer >= 0;
            table.add(is_known ? label_of(model, results[i].moved_answer) : std::string());
        }
        table.add(certificate.radius).add(certificate.lower).add(certificate.upper);
        table.add(to_string(certificate.status));
        table.add(results[i].sentence);
    }
}

/// The table of single changes and of the cheapest attack, a row per column of the data.
class ChangeTable {
public:
    ChangeTable(Report& report, const Model& model, Norm norm)
        : rows_(model), names_(model.feature_names()), norm_(norm) {
        const auto& columns = rows_.columns();
        has_text_ = std::any_of(columns.begin(), columns.end(),
                                [](const ColumnFeatures& column) { return column.is_text(); });
        std::vector<Column> names{"row",           "feature",      "value",       "attack_to",
                                  "attack_change", "attack_share", "up_to",       "up_change",
                                  "up_size",       "down_to",      "down_change", "down_size"};
        if (has_text_) {
            names.emplace_back("switch_to");
            names.emplace_back("switch_size");
        }
        table_ = &report.add_table("features",
                                   "The cheapest attack, and the least change of one feature alone",
                                   std::move(names));
    }

    void add(Index row, const PointRef& features, const Explanation& result) {
        if (features.is_sparse()) {
            for (const SingleChange& change : result.singles) {
                table_->add(row).add(names_[static_cast<std::size_t>(change.feature)]);
                add_number(change, result);
            }
            return;
        }
        for (const ColumnFeatures& column : rows_.columns()) {
            table_->add(row).add(column.name);
            if (column.is_text()) {
                add_text(column, features.dense(), result);
            } else {
                add_number(result.singles[static_cast<std::size_t>(column.first)], result);
            }
        }
    }

private:
    static const FeatureMove* move_of(int feature, const Explanation& result) {
        const auto found =
            std::find_if(result.attack.begin(), result.attack.end(),
                         [&](const FeatureMove& move) { return move.feature == feature; });
        return found == result.attack.end() ? nullptr : &*found;
    }

    void add_gaps(int n) {
        for (int i = 0; i < n; ++i) table_->add_missing();
    }

    void add_end(double to, double from, double size) {
        if (std::isfinite(to)) {
            table_->add(to).add(to - from).add(size);
        } else {
            table_->add_missing().add(to).add(size);
        }
    }

    void add_number(const SingleChange& change, const Explanation& result) {
        table_->add(change.from);
        if (const FeatureMove* move = move_of(change.feature, result)) {
            table_->add(move->to).add(move->to - move->from).add(move->share);
        } else {
            add_gaps(3);
        }
        add_end(change.up_to, change.from, change.up_size);
        add_end(change.down_to, change.from, change.down_size);
        if (has_text_) add_gaps(2);
    }

    void add_category(const std::string& category) {
        if (category.empty()) {
            table_->add_missing();
        } else {
            table_->add(category);
        }
    }

    /// The category, where the attack moves it, and those that alone change the answer.
    void add_text(const ColumnFeatures& column, const VectorRef& features,
                  const Explanation& result) {
        add_category(TableRows::category(column, features));
        double share = 0.0;
        for (int feature : column.features()) {
            if (const FeatureMove* move = move_of(feature, result)) {
                // Of linf each member has the whole.
                share = norm_ == Norm::LInf ? move->share : share + move->share;
            }
        }
        if (share > 0.0) {
            add_category(TableRows::category(column, result.moved));
            table_->add_missing().add(share);
        } else {
            add_gaps(3);
        }
        add_gaps(6);
        std::string switches;
        double size = SingleChange::kNone;
        for (int feature : column.features()) {
            const SingleChange& change = result.singles[static_cast<std::size_t>(feature)];
            if (!change.goes_on) continue;
            switches += (switches.empty() ? "" : "; ") +
                        column.members[static_cast<std::size_t>(feature - column.first)];
            size = change.size();
        }
        add_category(switches);
        table_->add(size);
    }

    TableRows rows_;
    const std::vector<std::string>& names_;
    Norm norm_;
    bool has_text_ = false;
    Table* table_ = nullptr;
};

/// Leaves of the single changes those of features that are in the row or in its cheapest attack.
void keep_present(const PointRef& row, Explanation& result) {
    std::vector<Index> shown;
    row.for_each([&](Index l, double) { shown.push_back(l); });
    for (const FeatureMove& move : result.attack) shown.push_back(move.feature);
    std::sort(shown.begin(), shown.end());
    std::erase_if(result.singles, [&](const SingleChange& change) {
        return !std::binary_search(shown.begin(), shown.end(), change.feature);
    });
}

void warn_of_rounding(const std::vector<Explanation>& results) {
    const auto n_undone = std::count_if(
        results.begin(), results.end(),
        [](const Explanation& result) { return result.moved.size() > 0 && !result.is_changed; });
    if (n_undone == 0) return;
    warn(std::to_string(n_undone) +
         " cheapest attacks keep the answer because of rounding to the units of the data");
}

AttackChoice rules_for(const ExplainOptions& options, const Model& model) {
    SearchOptions search;
    search.norm = options.norm;
    search.attack_model = options.attack_model;
    return search.rules_for(model);
}

/// Those of the training data, unless an attack model has the say.
FeatureRanges ranges_for(const ExplainOptions& options, const Model& model) {
    const bool has_rules = options.attack_model.is_file() || !options.attack_model.bounds.empty() ||
                           (options.attack_model.leaves_own() && model.attack_model());
    return options.no_ranges || has_rules ? FeatureRanges{} : model.training().ranges;
}

ExitCode explain_points(const ExplainOptions& options) {
    options.output.check();
    const Model model = options.input.load();
    AttackChoice rules = rules_for(options, model);
    const PointData points = options.input.load_points(model, options.messages);
    const std::vector<Index> rows = chosen_rows(options, points.X.rows());
    const PointSet raw(points.X, rows);
    RowFeatures missing;
    for (Index row : rows) {
        if (!points.missing.empty())
            missing.push_back(points.missing[static_cast<std::size_t>(row)]);
    }
    rules.admit(raw, model.predict_all(raw).cast<double>(), model.feature_names(), missing);
    const RowFeatures frozen = rules.frozen(missing);

    ExplainSettings settings;
    settings.attack_model = rules.model;
    settings.ranges = ranges_for(options, model);
    settings.limits.stop = &stop_on_interrupt();
    settings.limits.max_seconds_per_point = options.max_seconds_per_point;
    ProgressBar bar(options.messages, "explaining", "points");
    std::vector<Explanation> results;
    std::vector<Certificate> certificates;
    for (Index i = 0; i < raw.rows(); ++i) {
        if (!frozen.empty()) settings.frozen = frozen[static_cast<std::size_t>(i)];
        results.push_back(explain(model, raw.row(i).to_dense(), settings));
        certificates.push_back(results.back().certificate);
        if (raw.is_sparse()) keep_present(raw.row(i), results.back());
        bar.set(static_cast<double>(i + 1), static_cast<double>(raw.rows()));
    }
    Report report(options.output.format());
    add_rules(report, rules, model);
    if (settings.ranges.is_known()) {
        report.add_fact("ranges", "those of the training data, widened for a row outside them");
    }
    // The first table is what CSV holds: there, numbers serve better than sentences.
    const bool is_csv = options.output.format() == OutputFormat::Csv;
    if (!is_csv) add_sentences(report, model, rows, results);
    ChangeTable changes(report, model, rules.model.norm);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        changes.add(rows[i] + 1, raw.row(static_cast<Index>(i)), results[i]);
    }
    options.output.write(report);
    warn_of_rounding(results);
    return warn_of_limits(certificates);
}

}  // namespace

Run add_explain_command(CLI::App& parser) {
    CLI::App* command = parser.add_subcommand(
        "explain", "What would have to change, feature by feature, for another answer");
    auto options = std::make_shared<ExplainOptions>();
    add_options(*command, *options);
    describe(*command,
             "Everything except radii and sizes is in the units of the data. The least change of a "
             "feature alone is exact: every smaller one keeps the answer.",
             {{"What keeps the answer of the first test point",
               "redoubt explain model.json bcw:test --row 1"},
              {"The same, with a feature that cannot change",
               "redoubt explain model.json patients.csv --row 3 --frozen age"},
              {"All numbers for two rows, as JSON",
               "redoubt explain model.json patients.csv --row 3,7 --format json"}});
    return [options] { return explain_points(*options); };
}

}  // namespace redoubt::app
