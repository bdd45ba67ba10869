#pragma once

/// Groups rows by the features that do not move, so that equal rows share one attack model.

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "redoubt/attack_model.hpp"
#include "search/limits.hpp"

namespace redoubt {

/// Throws InvalidInput unless there are no lists, or one list of features for each of n rows.
inline void check_frozen(const RowFeatures& frozen, Index n_rows, Index n_features) {
    if (frozen.empty()) return;
    check_length("frozen", static_cast<Index>(frozen.size()), n_rows);
    for (const std::vector<int>& features : frozen) {
        for (int l : features) {
            if (l >= 0 && l < n_features) continue;
            throw InvalidInput("frozen", "features 1 to " + std::to_string(n_features),
                               "feature " + std::to_string(l + 1));
        }
    }
}

/// The rows, ascending, for each list of features that do not move.
inline std::map<std::vector<int>, std::vector<Index>> row_patterns(const RowFeatures& frozen) {
    std::map<std::vector<int>, std::vector<Index>> patterns;
    for (std::size_t j = 0; j < frozen.size(); ++j) {
        patterns[frozen[j]].push_back(static_cast<Index>(j));
    }
    return patterns;
}

/// Calls `solve(rows, settings)` for the rows of each pattern, with settings of their own (their
/// attack model, the seconds left, progress of the whole), and returns the results in the order of
/// the rows.
template <class Result, class Settings, class Solve>
std::vector<Result> solve_by_pattern(const Settings& settings, Index n_rows, Index n_features,
                                     const Solve& solve) {
    const auto start = Clock::now();
    std::vector<Result> results(static_cast<std::size_t>(n_rows));
    Index n_done = 0;
    for (const auto& [features, rows] : row_patterns(settings.frozen)) {
        Settings own = settings;
        own.frozen.clear();
        if (!features.empty()) {
            own.attack_model = settings.attack_model.with_frozen(features, n_features);
        }
        const std::chrono::duration<double> spent = Clock::now() - start;
        own.limits.max_seconds = std::max(0.0, settings.limits.max_seconds - spent.count());
        if (settings.progress) {
            own.progress = [&, n_before = n_done](Index n, Index) {
                settings.progress(n_before + n, n_rows);
            };
        }
        std::vector<Result> part = solve(rows, own);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            results[static_cast<std::size_t>(rows[i])] = std::move(part[i]);
        }
        n_done += static_cast<Index>(rows.size());
    }
    return results;
}

}  // namespace redoubt
