#pragma once

/// What a search for the least move is asked for, finds, and reports on the way.

#include <cmath>
#include <cstdint>
#include <vector>

#include "redoubt/status.hpp"
#include "redoubt/types.hpp"
#include "search/search_log.hpp"

namespace redoubt {

/// A bracket no wider than this share of the distance counts as closed.
inline constexpr double kClosedGap = 1e-9;

/// The outcome of a search. All distances are those of one point, unsigned.
struct SearchResult {
    Status status = Status::Optimal;
    /// The best point e and its distance for the goals; infinite and empty if there is none (below
    /// the cutoff).
    double distance = HUGE_VAL;
    Vector e;
    /// The planes that determine it and their multipliers:  lambda'goal / ||W'lambda||_q =
    /// distance.
    std::vector<int> active;
    std::vector<double> lambda;
    /// No point nearer than this fools enough planes; holds in exact arithmetic, whatever the
    /// status.
    double proven = HUGE_VAL;
    std::int64_t n_nodes = 0;
    /// Why `proven` holds, if the search was asked to record it.
    SearchLog log{};
};

/// What a search records in addition to the bracket.
struct SearchWish {
    /// The best point. Without it its multipliers describe it, at no cost per feature.
    bool point = true;
    /// Why nothing nearer was found.
    bool proof = false;
};

/// What a search reports about its prunes: nothing, unless a test listens.
struct NoWatch {
    /// True if sets that complete these members with these free planes may contain the watched one.
    bool is_below(const std::vector<int>& /*members*/, const std::vector<int>& /*free*/) const {
        return false;
    }
    /// Sets with `plane` are given up at this cutoff, below a node for which is_below was true.
    void on_drop(int /*plane*/, double /*cutoff*/) {}
    /// Sets whose costliest member among these candidates is number `at` are given up.
    template <typename Candidates>
    void on_skip(const Candidates& /*sorted*/, std::size_t /*at*/, double /*cutoff*/) {}
};

}  // namespace redoubt
