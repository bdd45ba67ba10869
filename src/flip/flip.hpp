#pragma once

/// The least move that changes a point's answer: the result of a search for it, and the bookkeeping
/// of planes around it.

#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "redoubt/ensemble.hpp"
#include "redoubt/proof.hpp"
#include "redoubt/status.hpp"
#include "redoubt/types.hpp"

namespace redoubt {

/// A radius with a bracket wider than this share of it does not count as found.
inline constexpr double kProvenGap = 1e-6;
/// Distances within this many rounding errors of a margin mean nothing: a bracket that narrow is
/// closed.
inline constexpr double kRoundings = 1e3;

/// The least move, bracketed and witnessed.
struct Flip {
    Status status = Status::Optimal;
    double lower = 0.0;       ///< no smaller move changes the answer
    double upper = HUGE_VAL;  ///< the size of the witness, rounded up
    Vector d;                 ///< empty if no witness is known
    std::vector<int> fooled;  ///< planes that do not give the current label at the witness
    std::int64_t n_nodes = 0;
    std::optional<ProofNode> proof{};  ///< proof that `lower` holds, if recorded
    /// Rounding hides whether the proof is right: it must be checked in exact
    /// arithmetic.
    bool is_proof_doubtful = false;
    /// If a proof was wanted and there is none; one of the texts below.
    std::string_view why_no_proof{};
};

inline constexpr std::string_view kProofTooLong =
    "the search took so many boxes that its proof would be too long";
inline constexpr std::string_view kFloatingPointOnly =
    "this end is proven by floating-point analysis only";

/// d rounded to few binary digits, which removes the rounding errors of a
/// solution on a grid.
Vector snapped(const VectorRef& d);

/// The planes of the ensemble that do not answer `label` at x, ascending.
std::vector<int> fooled_planes(const Ensemble& ensemble, const VectorRef& x, int label);

/// Their weight, in units of the ensemble.
Index weight_of(const Ensemble& ensemble, const std::vector<int>& planes);

/// The weight of planes, in units, that must leave `label` for the vote to leave it: the quota for
/// a change to +1; for a change to -1 enough to leave less than the quota. Without a quota that is
/// half of the weight for +1, which wins ties, and more than half for -1.
Index weight_needed(const Ensemble& ensemble, int label);

}  // namespace redoubt
