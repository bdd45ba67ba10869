#pragma once

#include "attack/adversary.hpp"
#include "certify/flip.hpp"
#include "search/plane_set.hpp"

namespace redoubt {

/// Most planes fooled over ||d||_p <= r, then least ||d||_p, for the points of one ensemble. One
/// per thread.
///
/// Planes count by their weights; most_fooled.hpp tells how it is found and what the status says.
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

}  // namespace redoubt
