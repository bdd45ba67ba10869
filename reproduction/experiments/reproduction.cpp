#include "experiments/reproduction.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <tuple>

#include "experiments/alternatives.hpp"

namespace redoubt::reproduction {

namespace {

class Watch {
public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class Runner {
public:
    explicit Runner(const ReproduceSettings& settings) : settings_(settings) {
        run_.n_threads = settings.n_threads;
        run_.row.stop = settings.stop;
        run_.row_done = [this] {
            if (settings_.progress) settings_.progress(++n_done_, n_rows_);
        };
    }

    std::optional<Reproduction> run() {
        result_.arenas = settings_.arenas;
        for (const Arena& arena : settings_.arenas) {
            if (!result_.problems.contains(arena.dataset))
                result_.problems[arena.dataset] = published_problem(arena.dataset);
        }
        count_rows();
        for (const Arena& arena : settings_.arenas) add_ceiling(arena);
        for (Mode mode : settings_.modes) run_mode(mode);
        run_.row = {.stop = settings_.stop};
        const Watch watch;
        result_.splits = run_splits(settings_.arenas, settings_.n_splits, settings_.seed, run_);
        result_.splits_seconds = watch.seconds();
        if (run_.is_stopped()) return std::nullopt;
        return std::move(result_);
    }

private:
    std::vector<RowKey> rows_of(Mode mode, std::vector<RowKey> (*rows_in)(const Arena&, Mode)) {
        std::vector<RowKey> rows;
        for (const Arena& arena : settings_.arenas) {
            // Nothing was published for it.
            const std::vector<Norm> norms = published_norms(arena.dataset);
            if (mode == Mode::AsPublished && std::ranges::count(norms, arena.norm) == 0) continue;
            const std::vector<RowKey> some = rows_in(arena, mode);
            rows.insert(rows.end(), some.begin(), some.end());
        }
        return rows;
    }

    void count_rows() {
        for (Mode mode : settings_.modes) {
            n_rows_ += static_cast<Index>(rows_of(mode, table_rows).size());
            if (settings_.has_development)
                n_rows_ += static_cast<Index>(rows_of(mode, development_rows).size());
        }
        n_rows_ += settings_.n_splits * static_cast<Index>(settings_.arenas.size());
    }

    void add_ceiling(const Arena& arena) {
        const Problem& problem = result_.problems.at(arena.dataset);
        const Eigen::Map<const Vector> grid(kAttackRadii.data(),
                                            static_cast<Index>(kAttackRadii.size()));
        result_.ceilings.push_back(
            accuracy_ceiling(problem.test_X, problem.test_y, grid, arena.norm));
    }

    void run_mode(Mode mode) {
        run_.row = {.mode = mode, .choices = settings_.choices, .stop = settings_.stop};
        ModeResults results;
        results.mode = mode;
        const Watch watch;
        results.rows = run_rows(result_.problems, rows_of(mode, table_rows), run_);
        results.seconds = watch.seconds();
        if (settings_.has_development) {
            const Watch development_watch;
            results.development =
                run_development(result_.problems, rows_of(mode, development_rows), run_);
            results.development_seconds = development_watch.seconds();
        }
        if (!run_.is_stopped()) compare(results);
        result_.modes.push_back(std::move(results));
    }

    void compare(ModeResults& results) {
        std::map<std::string, Index> n_test;
        for (const auto& [name, problem] : result_.problems) n_test[name] = problem.test_y.size();
        results.accuracy_comparison =
            compare_cells(published_accuracies(), cells_of(results.rows), n_test);
        results.development_comparison =
            compare_cells(published_k_development(), cells_of(results.development), n_test);
        if (results.mode != Mode::AsPublished) return;
        explain_cells(results.accuracy_comparison, result_.problems, n_test, run_);
        explain_development(results.development_comparison, result_.problems, n_test, run_);
    }

    const ReproduceSettings& settings_;
    RunSettings run_{};
    Reproduction result_{};
    Index n_done_ = 0;
    Index n_rows_ = 0;
};

}  // namespace

std::optional<Reproduction> reproduce(const ReproduceSettings& settings) {
    return Runner(settings).run();
}

std::vector<AccuracyCell> accuracy_cells(const Reproduction& reproduction) {
    std::vector<AccuracyCell> cells;
    const auto is_wanted = [&](const PublishedAccuracy& cell) {
        return std::ranges::any_of(reproduction.arenas, [&](const Arena& arena) {
            return arena.dataset == cell.dataset && arena.norm == cell.norm;
        });
    };
    for (const PublishedAccuracy& cell : published_accuracies()) {
        if (!is_wanted(cell)) continue;
        cells.push_back(
            {"published", key_of(cell), cell.percent, std::numeric_limits<double>::quiet_NaN()});
    }
    for (const ModeResults& mode : reproduction.modes) {
        for (const RowResult& row : mode.rows) {
            for (std::size_t i = 0; i < kAttackRadii.size(); ++i) {
                const auto at = static_cast<Index>(i);
                cells.push_back({std::string(to_string(mode.mode)),
                                 {row.key, kAttackRadii[i]},
                                 100.0 * row.scores.accuracy[at],
                                 100.0 * row.scores.balanced_accuracy[at]});
            }
        }
    }
    const auto contest = [](const AccuracyCell& cell) {
        return std::tuple(cell.mode, cell.key.row.dataset, cell.key.row.norm,
                          cell.key.attack_radius);
    };
    std::map<decltype(contest(cells.front())), double> best;
    for (const AccuracyCell& cell : cells) {
        double& most = best[contest(cell)];
        most = std::max(most, cell.accuracy);
    }
    for (AccuracyCell& cell : cells) cell.is_best = cell.accuracy == best[contest(cell)];
    return cells;
}

std::vector<Stability> stability_of(const std::vector<AccuracyCell>& cells) {
    struct Mean {
        double sum = 0.0;
        double n = 0.0;
    };
    // For each mode, measure and method: the mean at every radius.
    std::map<std::tuple<std::string, std::string, RowKey>, std::map<double, Mean>> means;
    for (const AccuracyCell& cell : cells) {
        const double radius = cell.key.row.defense_radius;
        if (std::ranges::count(kDefenseRadii, radius) == 0) continue;
        RowKey method = cell.key.row;
        method.defense_radius = 0.0;
        const auto take = [&](const char* measure, double value) {
            Mean& mean = means[{cell.mode, measure, method}][radius];
            mean.sum += value;
            mean.n += 1.0;
        };
        take("accuracy", cell.accuracy);
        if (cell.mode != "published") take("balanced_accuracy", cell.balanced_accuracy);
    }
    std::vector<Stability> rows;
    for (const auto& [key, by_radius] : means) {
        const auto& [mode, measure, method] = key;
        Stability& row = rows.emplace_back(Stability{mode, method, measure, 100.0, 0.0, 0.0});
        for (const auto& [radius, mean] : by_radius) {
            const double value = mean.sum / mean.n;
            row.least = std::min(row.least, value);
            if (value > row.greatest) {
                row.greatest = value;
                row.best_radius = radius;
            }
        }
    }
    return rows;
}

}  // namespace redoubt::reproduction
