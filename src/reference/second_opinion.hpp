#pragma once

/// Two other ways to the native search's answers, slow and independent of it: the integer programs
/// on HiGHS and the enumeration of every subset. See docs/second_opinions.md.
///
/// Adversary::Heuristic has nothing to solve: std::logic_error.

#include <cmath>
#include <cstdint>

#include "attack/adversary.hpp"
#include "redoubt/ensemble.hpp"
#include "redoubt/norm.hpp"
#include "redoubt/status.hpp"
#include "redoubt/types.hpp"
#include "search/limits.hpp"

namespace redoubt {

/// The least step that makes the vote differ from a label.
struct FlipAnswer {
    Status status = Status::NumericalFailure;
    /// inf ||d||; infinite when no d does it, or when a limit struck before one was found.
    double distance = HUGE_VAL;
    /// The solver's own lower bound on `distance`; equal to it (infinite included) when Optimal, up
    /// to about 1e-6 of it.
    double bound = 0.0;
    /// The vote at x + d, rounded to doubles and recomputed, differs. ||d|| is a hair more than
    /// `distance`; where the nearest flip lies on a plane that no point in doubles need hit (planes
    /// exactly opposite each other, from = -1), it is the least of those that do not. Empty when no
    /// such d is known.
    Vector d{};
    std::int64_t n_nodes = 0;
};

/// Least ||d||_p with predict(x + d) != from, `from` -1 or +1. Throws InvalidInput when HiGHS is
/// absent.
FlipAnswer mip_flip(const Ensemble& ensemble, const VectorRef& x, int from, Norm norm,
                    const PointLimits& limits);

/// The same by enumeration, accurate to about 1e-12. Throws InvalidInput for more than
/// kMaxEnumeratedPlanes planes. `n_nodes` counts the subsets looked at.
FlipAnswer enumerate_flip(const Ensemble& ensemble, const VectorRef& x, int from, Norm norm);

AdversaryAnswer mip_adversary(const PointProblem& point, Adversary adversary,
                              const PointLimits& limits);
AdversaryAnswer enumerate_adversary(const PointProblem& point, Adversary adversary);

}  // namespace redoubt
