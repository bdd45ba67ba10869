#pragma once

#include <cmath>
#include <vector>

#include "redoubt/proof.hpp"
#include "redoubt/types.hpp"

namespace redoubt {

/// l2: violations below this share of a plane's scale are rounding errors of the solution.
inline constexpr double kSatisfied = 1e-13;
/// l1 and linf: violations, rates and slopes below this, relative to their scale, are rounding
/// errors.
inline constexpr double kVertexTolerance = 1e-12;
/// Pivots before a node problem is left with the bound it has; ordinary problems take 2 to 6.
inline constexpr int kMaxPivots = 500;
/// See is_far_beyond.
inline constexpr double kFarBeyond = 1e3;

/// A solved node problem: the least-norm e with w_i'e >= goal_i for all members i, and the
/// multipliers that prove it. Assigning a state to another of the same history allocates no memory.
struct NodeState {
    std::vector<int> members;  ///< planes that must be fooled
    std::vector<int> active;   ///< members with a multiplier
    std::vector<double> lambda;
    /// The least norm for the goals; infinite if no e exists.
    double distance = 0.0;
    /// A lower bound on the least norm for the floors that holds in exact arithmetic.
    double proven = 0.0;
    /// The multipliers behind `proven`; kept for searches that record their proof only.
    Refutation by{};
    /// l2: twice the dual value of exactly these multipliers, which bounds the square of the norm;
    /// it may be negative (see quick_proven).
    double proven_square = 0.0;

    /// False if numerical trouble or a cutoff ended the solve early: `distance` is then only a
    /// lower bound, and `e` is not a solution.
    bool is_exact = true;

    // For l1 and linf, where a vertex is described by features as well as planes.
    std::vector<int> basis;  ///< linf: features inside their bounds; l1: features that move
    Vector sign;             ///< linf: side of each other feature; l1: side of the basic ones
    Vector e;                ///< the point itself
    double level = 0.0;      ///< linf in a box: how far the features with a choice move

    bool is_feasible() const { return distance < HUGE_VAL; }
};

}  // namespace redoubt
