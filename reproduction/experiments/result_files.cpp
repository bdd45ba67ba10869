#include "experiments/result_files.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/errata.hpp"
#include "experiments/machine.hpp"
#include "output/report.hpp"
#include "redoubt/version.hpp"

namespace redoubt::reproduction {

using app::Column;
using app::OutputFormat;
using app::Table;

namespace {

Table csv(std::vector<Column> columns) {
    return {OutputFormat::Csv, "", "", std::move(columns)};
}

/// Hides the noise behind the figures of a percentage.
double rounded(double percent) {
    return std::round(1e6 * percent) / 1e6;
}

Table& add_key(Table& table, const RowKey& key) {
    return table.add(key.dataset).add(to_string(key.norm)).add(key.method);
}

std::string datasets_file(const Reproduction& reproduction) {
    Table table = csv({"dataset", "n_samples", "n_features", "n_train", "n_test",
                       "n_positive_train", "n_positive_test", "constant_accuracy"});
    for (const std::string& name : paper_datasets()) {
        const auto found = reproduction.problems.find(name);
        if (found == reproduction.problems.end()) continue;
        const Problem& problem = found->second;
        const Index n_train = problem.train_y.size();
        const Index n_test = problem.test_y.size();
        const Index n_positive = (problem.test_y.array() > 0.0).count();
        table.add(name).add(n_train + n_test).add(problem.train_X.cols()).add(n_train).add(n_test);
        table.add(static_cast<Index>((problem.train_y.array() > 0.0).count())).add(n_positive);
        table.add(rounded(100.0 * static_cast<double>(std::max(n_positive, n_test - n_positive)) /
                          static_cast<double>(n_test)));
    }
    return table.text();
}

std::string accuracy_file(const std::vector<AccuracyCell>& cells) {
    Table table = csv({"mode", "dataset", "norm", "method", "defense_radius", "attack_radius",
                       "accuracy", "balanced_accuracy", "is_best"});
    for (const AccuracyCell& cell : cells) {
        add_key(table.add(cell.mode), cell.key.row);
        table.add(cell.key.row.defense_radius).add(cell.key.attack_radius);
        table.add(rounded(cell.accuracy)).add(rounded(cell.balanced_accuracy));
        table.add(static_cast<Index>(cell.is_best ? 1 : 0));
    }
    return table.text();
}

/// The two tables of published accuracies with their comparisons.
template <class Take>
void for_each_comparison(const Reproduction& reproduction, const Take& take) {
    for (const ModeResults& mode : reproduction.modes) {
        take(to_string(mode.mode), "accuracy", mode.accuracy_comparison);
        take(to_string(mode.mode), "k_development", mode.development_comparison);
    }
}

std::string comparison_file(const Reproduction& reproduction) {
    Table table =
        csv({"mode", "table", "dataset", "norm", "method", "defense_radius", "attack_radius", "k",
             "published", "own", "n_points", "verdict", "explanation", "evidence"});
    for_each_comparison(reproduction, [&](std::string_view mode, const char* name,
                                          const std::vector<CellComparison>& cells) {
        for (const CellComparison& cell : cells) {
            add_key(table.add(mode).add(name), key_of(cell.published).row);
            table.add(cell.published.defense_radius).add(cell.published.attack_radius);
            table.add(cell.published.n_planes).add(cell.published.percent);
            table.add(rounded(cell.own_percent)).add(cell.n_points);
            table.add(to_string(cell.verdict)).add(cell.explanation.errata);
            table.add(to_string(cell.explanation.evidence));
        }
    });
    return table.text();
}

std::string comparison_summary_file(const Reproduction& reproduction) {
    Table table = csv({"mode", "table", "dataset", "norm", "method", "n_cells", "n_equal",
                       "n_within_one", "n_different"});
    for_each_comparison(reproduction, [&](std::string_view mode, const char* name,
                                          const std::vector<CellComparison>& cells) {
        for (const SummaryRow& row : summarise(cells)) {
            table.add(mode).add(name).add(row.dataset).add(row.norm).add(row.method);
            table.add(row.count.n_cells).add(row.count.n_equal);
            table.add(row.count.n_within_one).add(row.count.n_different());
        }
    });
    return table.text();
}

std::string development_file(const Reproduction& reproduction) {
    Table table = csv({"mode", "dataset", "norm", "method", "defense_radius", "k", "accuracy",
                       "balanced_accuracy"});
    for (const PublishedAccuracy& cell : published_k_development()) {
        const bool is_wanted = std::ranges::any_of(reproduction.arenas, [&](const Arena& arena) {
            return arena.dataset == cell.dataset && arena.norm == cell.norm;
        });
        if (!is_wanted) continue;
        add_key(table.add("published"), key_of(cell).row);
        table.add(cell.defense_radius).add(cell.n_planes).add(cell.percent).add_missing();
    }
    for (const ModeResults& mode : reproduction.modes) {
        for (const DevelopmentResult& row : mode.development) {
            for (std::size_t i = 0; i < kPlaneCounts.size(); ++i) {
                const auto at = static_cast<Index>(i);
                add_key(table.add(to_string(mode.mode)), row.key);
                table.add(row.key.defense_radius).add(kPlaneCounts[i]);
                table.add(rounded(100.0 * row.scores.accuracy[at]));
                table.add(rounded(100.0 * row.scores.balanced_accuracy[at]));
            }
        }
    }
    return table.text();
}

std::vector<PublishedTime> wanted_times(const Reproduction& reproduction) {
    std::vector<PublishedTime> times = published_times();
    std::erase_if(times, [&](const PublishedTime& time) {
        return std::ranges::none_of(reproduction.arenas, [&](const Arena& arena) {
            return arena.dataset == time.dataset && arena.norm == time.norm;
        });
    });
    return times;
}

/// The rows that were trained here from beginning to end: some planes of the as-published mode come
/// from other solvers, and its SVMs are slow on purpose.
std::vector<RowResult> timed_rows(const Reproduction& reproduction) {
    for (const ModeResults& mode : reproduction.modes) {
        if (mode.mode == Mode::Corrected) return mode.rows;
    }
    return {};
}

std::string time_file(const Reproduction& reproduction) {
    Table table = csv({"mode", "dataset", "norm", "method", "defense_radius", "seconds"});
    for (const PublishedTime& time : wanted_times(reproduction)) {
        table.add("published").add(time.dataset).add(to_string(time.norm)).add(time.method);
        table.add(time.defense_radius).add(time.seconds);
    }
    for (const RowResult& row : timed_rows(reproduction)) {
        add_key(table.add(to_string(Mode::Corrected)), row.key);
        table.add(row.key.defense_radius).add(row.seconds);
    }
    return table.text();
}

std::string speedup_file(const Reproduction& reproduction) {
    Table table = csv({"mode", "dataset", "norm", "method", "defense_radius", "published_seconds",
                       "own_seconds", "ratio"});
    const std::vector<RowResult> rows = timed_rows(reproduction);
    for (const PublishedTime& time : wanted_times(reproduction)) {
        for (const RowResult& row : rows) {
            const RowKey& key = row.key;
            if (key.dataset != time.dataset || key.norm != time.norm || key.method != time.method ||
                key.defense_radius != time.defense_radius)
                continue;
            add_key(table.add(to_string(Mode::Corrected)), key).add(key.defense_radius);
            table.add(time.seconds).add(row.seconds);
            if (time.seconds > 0.0) {
                table.add(time.seconds / row.seconds);
            } else {
                table.add_missing();
            }
        }
    }
    return table.text();
}

std::string stability_file(const std::vector<AccuracyCell>& cells) {
    Table table = csv({"mode", "dataset", "norm", "method", "measure", "least", "greatest",
                       "spread", "best_radius"});
    for (const Stability& row : stability_of(cells)) {
        add_key(table.add(row.mode), row.method).add(row.measure);
        table.add(rounded(row.least)).add(rounded(row.greatest));
        table.add(rounded(row.greatest - row.least)).add(row.best_radius);
    }
    return table.text();
}

std::string ceiling_file(const Reproduction& reproduction) {
    Table table = csv({"dataset", "norm", "attack_radius", "accuracy", "balanced_accuracy"});
    for (std::size_t a = 0; a < reproduction.arenas.size(); ++a) {
        const AccuracyCeiling& ceiling = reproduction.ceilings[a];
        for (Index i = 0; i < ceiling.radii.size(); ++i) {
            table.add(reproduction.arenas[a].dataset).add(to_string(reproduction.arenas[a].norm));
            table.add(ceiling.radii[i]).add(rounded(100.0 * ceiling.accuracy[i]));
            table.add(rounded(100.0 * ceiling.balanced_accuracy[i]));
        }
    }
    return table.text();
}

std::string errata_file(const Reproduction& reproduction) {
    Table table = csv({"erratum", "title", "evidence"});
    for (const Erratum& erratum : find_errata(reproduction))
        table.add(erratum.name).add(erratum.title).add(erratum.evidence);
    return table.text();
}

std::string splits_file(const Reproduction& reproduction) {
    Table table = csv({"dataset", "norm", "method", "split", "chosen_radius", "attack_radius",
                       "accuracy", "balanced_accuracy"});
    for (const SplitResult& result : reproduction.splits) {
        for (std::size_t i = 0; i < kAttackRadii.size(); ++i) {
            const auto at = static_cast<Index>(i);
            table.add(result.arena.dataset).add(to_string(result.arena.norm)).add(result.method);
            table.add(result.split).add(result.chosen_radius).add(kAttackRadii[i]);
            table.add(rounded(100.0 * result.scores.accuracy[at]));
            table.add(rounded(100.0 * result.scores.balanced_accuracy[at]));
        }
    }
    return table.text();
}

std::string splits_summary_file(const Reproduction& reproduction) {
    Table table = csv({"dataset", "norm", "method", "attack_radius", "accuracy_mean",
                       "accuracy_deviation", "balanced_mean", "balanced_deviation", "constant_mean",
                       "ceiling_mean", "balanced_ceiling_mean"});
    for (const SplitMean& row : split_means(reproduction.splits)) {
        table.add(row.arena.dataset).add(to_string(row.arena.norm)).add(row.method);
        table.add(row.attack_radius);
        for (double share :
             {row.accuracy.mean, row.accuracy.deviation, row.balanced.mean, row.balanced.deviation,
              row.constant, row.ceiling, row.balanced_ceiling})
            table.add(rounded(100.0 * share));
    }
    return table.text();
}

std::string run_file(const Reproduction& reproduction, const std::string& command) {
    nlohmann::ordered_json run;
    run["redoubt"] = kVersion;
    run["machine"] = {{"processor", processor_name()},
                      {"threads", n_processor_threads()},
                      {"system", system_name()}};
    run["compiler"] = compiler_name();
    run["options"] = command;
    run["modes"] = nlohmann::ordered_json::array();
    run["seconds"] = nlohmann::ordered_json::object();
    std::string summary;
    for (const ModeResults& mode : reproduction.modes) {
        const std::string name(to_string(mode.mode));
        run["modes"].push_back(name);
        run["seconds"][name] = mode.seconds;
        if (!mode.development.empty())
            run["seconds"]["k_development_" + name] = mode.development_seconds;
        summary += (summary.empty() ? "" : "; ") +
                   summary_text(mode.mode, summarise(mode.accuracy_comparison).back().count);
    }
    if (!reproduction.splits.empty()) run["seconds"]["splits"] = reproduction.splits_seconds;
    run["summary"] = summary;
    run["datasets"] = nlohmann::ordered_json::array();
    for (const auto& [name, problem] : reproduction.problems) run["datasets"].push_back(name);
    return run.dump(2) + "\n";
}

}  // namespace

std::vector<SummaryRow> summarise(const std::vector<CellComparison>& cells) {
    std::vector<SummaryRow> rows;
    SummaryRow all{"all", "all", "all", {}};
    for (const CellComparison& cell : cells) {
        const std::string norm(to_string(cell.published.norm));
        auto row = std::ranges::find_if(rows, [&](const SummaryRow& known) {
            return known.dataset == cell.published.dataset && known.norm == norm &&
                   known.method == cell.published.method;
        });
        if (row == rows.end())
            row = rows.insert(row, {cell.published.dataset, norm, cell.published.method, {}});
        row->count.add(cell.verdict);
        all.count.add(cell.verdict);
    }
    rows.push_back(all);
    return rows;
}

std::vector<ResultFile> result_files(const Reproduction& reproduction, const std::string& command) {
    const std::vector<AccuracyCell> cells = accuracy_cells(reproduction);
    std::vector<ResultFile> files{
        {"datasets.csv", datasets_file(reproduction)},
        {"accuracy.csv", accuracy_file(cells)},
        {"comparison.csv", comparison_file(reproduction)},
        {"comparison_summary.csv", comparison_summary_file(reproduction)},
        {"training_time.csv", time_file(reproduction)},
        {"speedup.csv", speedup_file(reproduction)},
        {"stability.csv", stability_file(cells)},
        {"ceiling.csv", ceiling_file(reproduction)},
        {"errata.csv", errata_file(reproduction)},
    };
    const bool has_development = std::ranges::any_of(
        reproduction.modes, [](const ModeResults& mode) { return !mode.development.empty(); });
    if (has_development) files.emplace_back("k_development.csv", development_file(reproduction));
    if (!reproduction.splits.empty()) {
        files.emplace_back("splits.csv", splits_file(reproduction));
        files.emplace_back("splits_summary.csv", splits_summary_file(reproduction));
    }
    // Last: who finds it finds the others, too.
    files.emplace_back("run.json", run_file(reproduction, command));
    return files;
}

}  // namespace redoubt::reproduction
