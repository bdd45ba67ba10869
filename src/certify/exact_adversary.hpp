#pragma once

#include "attack/adversary.hpp"
#include "certify/flip.hpp"
#include "search/plane_set.hpp"

namespace redoubt {

/// Most planes fooled over ||d||_p <= r, then least ||d||_p, for the points of one ensemble. One
/// per thread.
///
/// Asks the search for as many planes as are within reach each for itself, and then halves the
/// interval between what was fooled and what cannot be. The count is exact unless a limit strikes
/// or a plane can be fooled at the very edge of the ball only, where rounding decides: then `bound`
/// is larger than `objective` and the status says so.
class ExactAdversary {
public:
    ExactAdversary(const Ensemble& ensemble, const PlaneSet& planes);

    AdversaryAnswer solve(const PointProblem& point, const PointLimits& limits);

private:
    Index n_foolable(const PointProblem& point);
    bool fits(const PointProblem& point, Index need, Flip& flip) const;

    const Ensemble& ensemble_;
    const PlaneSet& planes_;
    Flipper flipper_;
    PointMargins margins_;
};

}  // namespace redoubt
