#pragma once

#include "attack/exact_adversary.hpp"

namespace redoubt::testing {

/// The exact adversary of a single point, without limits.
inline AdversaryAnswer exact_adversary(const PointProblem& point) {
    const MoveSpace space(point.threat, point.ensemble.n_features());
    const ThreatenedVote vote(point.ensemble, space);
    return ExactAdversary(vote).solve(point, PointLimits{});
}

}  // namespace redoubt::testing
