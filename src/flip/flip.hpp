#pragma once

/// The least move that changes a point's answer: what a search for it returns, and the counting of
/// planes around it.

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "redoubt/ensemble.hpp"
#include "redoubt/proof.hpp"
#include "redoubt/status.hpp"
#include "redoubt/types.hpp"

namespace redoubt {

/// A radius with a bracket wider than this share of it does not count as found.
inline constexpr double kProvenGap = 1e-6;
/// Distances of this many roundings of a margin say nothing: a bracket that narrow is closed.
inline constexpr double kRoundings = 1e3;

/// The least move, bracketed and witnessed.
struct Flip {
    Status status = Status::Optimal;
    double lower = 0.0;       ///< no smaller move changes the answer
    double upper = HUGE_VAL;  ///< the size of the witness, rounded up
    Vector d;                 ///< empty when no witness is known
    std::vector<int> fooled;  ///< planes that leave the current label at the witness
    std::int64_t n_nodes = 0;
    std::optional<ProofNode> proof;  ///< that `lower` holds, if it was recorded
};

/// d rounded to few binary digits: rounding errors of a solution on a grid fall away.
Vector snapped(const VectorRef& d);

/// The planes of the ensemble that do not answer `label` at x, ascending.
std::vector<int> fooled_planes(const Ensemble& ensemble, const VectorRef& x, int label);

/// Their weight, in units of the ensemble.
Index weight_of(const Ensemble& ensemble, const std::vector<int>& planes);

/// The weight of planes, in units, that must leave `label` for the vote to leave it: the quota
/// towards +1, and towards -1 so much that less than the quota is left. Without a quota that is half
/// of all towards +1, where ties go, and more than half towards -1.
Index weight_needed(const Ensemble& ensemble, int label);

}  // namespace redoubt
