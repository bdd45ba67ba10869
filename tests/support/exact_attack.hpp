#pragma once

#include "attack/exact_adversary.hpp"
#include "support/balls.hpp"

namespace redoubt::testing {

/// The exact adversary of a single point, without limits.
inline AdversaryAnswer exact_adversary(const PointProblem& point) {
    const PreparedVote vote(point.ensemble, point.threat);
    return ExactAdversary(vote.planes).solve(point, PointLimits{});
}

}  // namespace redoubt::testing
