#include "experiments/splits.hpp"

#include <algorithm>
#include <cmath>

#include "redoubt/attack_curve.hpp"
#include "redoubt/selection.hpp"

namespace redoubt::reproduction {

namespace {

Eigen::Map<const Vector> attack_grid() {
    return {kAttackRadii.data(), static_cast<Index>(kAttackRadii.size())};
}

/// The rows of one method, one for each radius that it may choose.
std::vector<RowKey> candidates_of(const Arena& arena, const std::string& method) {
    std::vector<RowKey> rows = table_rows(arena, Mode::Corrected);
    std::erase_if(rows, [&](const RowKey& row) { return row.method != method; });
    return rows;
}

/// By cross-validation; the only candidate is not tried.
RowKey choose(const Problem& problem, const std::vector<RowKey>& candidates,
              const RowSettings& settings) {
    if (candidates.size() == 1) return candidates.front();
    SelectionSettings selection;
    selection.attack_model.norm = candidates.front().norm;
    selection.attack_radii = attack_grid();
    selection.control.stop = settings.stop;
    const auto fit = [&](Index candidate, const SvmData& part, const std::vector<Index>&) {
        Problem fold;
        fold.train_X = part.X.dense();
        fold.train_y = part.y;
        return Ensemble(
            train_row(fold, candidates[static_cast<std::size_t>(candidate)], settings).planes);
    };
    const SelectionResult result = select_candidate(
        {problem.train_X, problem.train_y}, static_cast<Index>(candidates.size()), fit, selection);
    return candidates[static_cast<std::size_t>(std::max<Index>(result.best, 0))];
}

std::vector<std::string> all_methods() {
    return {"SVM-Ens", "RO-SVM", "Ens-E", "Ens-R", "Ens-H", "Ens-C"};
}

std::vector<SplitResult> run_split(const Arena& arena, Index split, std::uint64_t seed,
                                   const RunSettings& settings) {
    const Problem problem = random_problem(arena.dataset, seed + static_cast<std::uint64_t>(split));
    const AccuracyCeiling ceiling =
        accuracy_ceiling(problem.test_X, problem.test_y, attack_grid(), arena.norm);
    const double positive = (problem.test_y.array() > 0.0).cast<double>().mean();
    std::vector<SplitResult> results;
    for (const std::string& method : all_methods()) {
        if (settings.is_stopped()) return {};
        const RowKey key = choose(problem, candidates_of(arena, method), settings.row);
        const TrainedRow row = train_row(problem, key, settings.row);
        if (row.status == Status::Interrupted) return {};
        const auto n_planes = static_cast<Index>(row.planes.size());
        results.push_back({arena, method, split, key.defense_radius,
                           score_planes(problem, row.planes, n_planes, arena.norm, kAttackRadii),
                           std::max(positive, 1.0 - positive), ceiling.accuracy,
                           ceiling.balanced_accuracy});
    }
    return results;
}

MeanAndDeviation spread(const std::vector<double>& values) {
    const Eigen::Map<const Vector> all(values.data(), static_cast<Index>(values.size()));
    const double mean = all.mean();
    const double degrees = std::max(1.0, static_cast<double>(values.size()) - 1.0);
    return {mean, std::sqrt((all.array() - mean).square().sum() / degrees)};
}

/// At one attack radius; `results` share their arena and method.
SplitMean mean_at(const std::vector<const SplitResult*>& results, std::size_t radius) {
    const auto at = static_cast<Index>(radius);
    std::vector<double> accuracy;
    std::vector<double> balanced;
    SplitMean mean{results.front()->arena, results.front()->method, kAttackRadii[radius], {}, {}};
    const auto n = static_cast<double>(results.size());
    for (const SplitResult* result : results) {
        accuracy.push_back(result->scores.accuracy[at]);
        balanced.push_back(result->scores.balanced_accuracy[at]);
        mean.constant += result->constant_accuracy / n;
        mean.ceiling += result->ceiling[at] / n;
        mean.balanced_ceiling += result->balanced_ceiling[at] / n;
    }
    mean.accuracy = spread(accuracy);
    mean.balanced = spread(balanced);
    return mean;
}

}  // namespace

std::vector<SplitMean> split_means(const std::vector<SplitResult>& results) {
    std::vector<std::vector<const SplitResult*>> groups;
    for (const SplitResult& result : results) {
        auto group = std::ranges::find_if(groups, [&](const auto& known) {
            return known.front()->arena.dataset == result.arena.dataset &&
                   known.front()->arena.norm == result.arena.norm &&
                   known.front()->method == result.method;
        });
        if (group == groups.end()) group = groups.insert(group, std::vector<const SplitResult*>{});
        group->push_back(&result);
    }
    std::vector<SplitMean> means;
    for (const auto& group : groups) {
        for (std::size_t i = 0; i < kAttackRadii.size(); ++i) means.push_back(mean_at(group, i));
    }
    return means;
}

std::vector<SplitResult> run_splits(const std::vector<Arena>& arenas, Index n_splits,
                                    std::uint64_t seed, const RunSettings& settings) {
    std::vector<std::vector<SplitResult>> parts(arenas.size() * static_cast<std::size_t>(n_splits));
    for_each_row(parts.size(), settings, [&](std::size_t i) {
        const auto split = static_cast<Index>(i) % n_splits;
        parts[i] = run_split(arenas[i / static_cast<std::size_t>(n_splits)], split, seed, settings);
    });
    std::vector<SplitResult> results;
    for (std::vector<SplitResult>& part : parts)
        results.insert(results.end(), part.begin(), part.end());
    return results;
}

}  // namespace redoubt::reproduction
