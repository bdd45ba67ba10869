#pragma once

#include "attack/adversary.hpp"
#include "moves/move_finder.hpp"
#include "threat/support.hpp"

namespace redoubt {

/// The most weight fooled within the radius, then the smallest move, for the points of one
/// ensemble. One per thread.
///
/// First asks for all planes within reach at once, which settles ordinary points, where few or all
/// are in reach. Then it asks for weights between what was fooled and what cannot be: half-way in a
/// majority vote; in a weighted vote alternately half-way and anything more, because most weights
/// in between belong to no set. The weight is exact unless a limit is reached or a plane can be
/// fooled only at the very edge, where rounding decides: then `bound` is larger than `objective`
/// and the status says so.
class ExactAdversary {
public:
    /// The vote must outlive this.
    explicit ExactAdversary(const ThreatenedVote& vote);

    AdversaryAnswer solve(const PointProblem& point, const PointLimits& limits);

private:
    Index foolable_weight(const PointProblem& point);
    bool fits(const PointProblem& point, Index required_weight, Flip& flip) const;

    const ThreatenedVote& threat_;
    MoveFinder finder_;
    Support support_;
};

}  // namespace redoubt
