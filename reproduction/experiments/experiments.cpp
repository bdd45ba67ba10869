#include "experiments/experiments.hpp"

#include <mutex>

#include "core/parallel.hpp"

namespace redoubt::reproduction {

namespace {

/// Where the paper's radii end, Ens-C's begin: its radius is the one it aims at.
const std::vector<double> kFurtherRadii{1.0, 2.0};

std::vector<std::string> methods_of(Norm norm, Mode mode) {
    if (mode == Mode::AsPublished) return published_methods(norm);
    return {"SVM-Ens", "RO-SVM", "Ens-E", "Ens-R", "Ens-H", "Ens-C"};
}

Scores score_growth(const Problem& problem, const RowKey& key, const RowSettings& settings) {
    const auto n_counts = static_cast<Index>(kPlaneCounts.size());
    Scores scores{Vector(n_counts), Vector(n_counts)};
    TrainedRow row;
    if (key.method != "Ens-C") row = train_row(problem, key, settings);
    for (Index i = 0; i < n_counts; ++i) {
        const Index k = kPlaneCounts[static_cast<std::size_t>(i)];
        if (key.method == "Ens-C") {
            RowKey own = key;
            own.n_planes = k;
            row = train_row(problem, own, settings);
        }
        if (row.status == Status::Interrupted) return {};
        const Index n_planes = std::min(k, static_cast<Index>(row.planes.size()));
        const Scores at_k =
            score_planes(problem, row.planes, n_planes, key.norm, {kDevelopmentAttack});
        scores.accuracy[i] = at_k.accuracy[0];
        scores.balanced_accuracy[i] = at_k.balanced_accuracy[0];
    }
    return scores;
}

}  // namespace

void for_each_row(std::size_t n, const RunSettings& settings,
                  const std::function<void(std::size_t)>& compute) {
    std::mutex mutex;
    parallel_for(static_cast<Index>(n), settings.n_threads, [&](Index i) {
        if (settings.is_stopped()) return;
        compute(static_cast<std::size_t>(i));
        const std::lock_guard lock(mutex);
        if (settings.row_done) settings.row_done();
    });
}

std::vector<RowKey> table_rows(const Arena& arena, Mode mode) {
    std::vector<RowKey> rows;
    for (const std::string& method : methods_of(arena.norm, mode)) {
        if (method == "SVM-Ens") {
            rows.push_back({arena.dataset, arena.norm, method});
            continue;
        }
        for (double r : kDefenseRadii) rows.push_back({arena.dataset, arena.norm, method, r});
        if (method != "Ens-C") continue;
        for (double r : kFurtherRadii) rows.push_back({arena.dataset, arena.norm, method, r});
    }
    return rows;
}

std::vector<RowResult> run_rows(const Problems& problems, const std::vector<RowKey>& rows,
                                const RunSettings& settings) {
    std::vector<RowResult> results(rows.size());
    for_each_row(rows.size(), settings, [&](std::size_t i) {
        const RowKey& key = rows[i];
        const Problem& problem = problems.at(key.dataset);
        const TrainedRow row = train_row(problem, key, settings.row);
        results[i] = {key, {}, row.seconds};
        if (row.status == Status::Interrupted) return;
        results[i].scores = score_planes(problem, row.planes, static_cast<Index>(row.planes.size()),
                                         key.norm, kAttackRadii);
    });
    return results;
}

std::vector<RowKey> development_rows(const Arena& arena, Mode mode) {
    std::vector<RowKey> rows;
    for (const std::string& method : methods_of(arena.norm, mode)) {
        // SVM-Ens has no radius; Ens-C's is the one that it should reach.
        const double radius = method == "SVM-Ens" ? 0.0
                              : method == "Ens-C" ? kDevelopmentAttack
                                                  : kDevelopmentDefense;
        rows.push_back({arena.dataset, arena.norm, method, radius, kPlaneCounts.back()});
    }
    return rows;
}

std::vector<DevelopmentResult> run_development(const Problems& problems,
                                               const std::vector<RowKey>& rows,
                                               const RunSettings& settings) {
    std::vector<DevelopmentResult> results(rows.size());
    for_each_row(rows.size(), settings, [&](std::size_t i) {
        results[i] = {rows[i], score_growth(problems.at(rows[i].dataset), rows[i], settings.row)};
    });
    return results;
}

}  // namespace redoubt::reproduction
