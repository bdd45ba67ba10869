#pragma once

#include "attack/adversary.hpp"
#include "certify/flip.hpp"
#include "search/plane_set.hpp"

namespace redoubt {

/// Most planes fooled over ||d||_p <= r, then least ||d||_p, for the points of one ensemble. One
/// per thread.
///
/// Planes count by their weights. Asks the search for all planes that are within reach each for
/// itself, and then closes the interval between what was fooled and what cannot be: see
/// next_weight. The weight is exact unless a limit strikes
/// or a plane can be fooled at the very edge of the ball only, where rounding decides: then `bound`
/// is larger than `objective` and the status says so.
class ExactAdversary {
public:
    ExactAdversary(const Ensemble& ensemble, const PlaneSet& planes);

    AdversaryAnswer solve(const PointProblem& point, const PointLimits& limits);

private:
    Index foolable_weight(const PointProblem& point);
    bool fits(const PointProblem& point, Index need, Flip& flip) const;

    const Ensemble& ensemble_;
    const PlaneSet& planes_;
    Flipper flipper_;
    PointMargins margins_;
};

/// What to ask for after `n_asked` questions, between what was fooled and what may be: the middle.
/// Weights need not add up to anything near it, so every other question about them is whether more
/// than was fooled can be: its no ends the search.
Index next_weight(bool is_majority, Index fooled, Index most, int n_asked);

}  // namespace redoubt
