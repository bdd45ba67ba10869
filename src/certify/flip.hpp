#pragma once

#include "redoubt/certificate.hpp"
#include "search/flip_engine.hpp"
#include "search/limits.hpp"
#include "search/plane_set.hpp"

namespace redoubt {

/// The least move that changes a point's answer, bracketed and witnessed.
struct Flip {
    Status status = Status::Optimal;
    double lower = 0.0;       ///< no smaller ||d|| changes the answer
    double upper = HUGE_VAL;  ///< ||d|| of the witness, rounded up
    Vector d;                 ///< empty when no witness is known
    std::vector<int> fooled;  ///< planes that leave `from` at the witness
    std::int64_t n_nodes = 0;
};

/// Finds flips of one ensemble in one norm. One per thread.
class Flipper {
public:
    Flipper(const Ensemble& ensemble, const PlaneSet& planes);

    /// The least ||d|| with predict(x + d) != from, for a point with predict(x) == from.
    Flip flip_answer(const VectorRef& x, int from, const PointLimits& limits);

    /// The least ||d|| at which planes of weight `need` (in units of the ensemble: their number in
    /// a majority vote) do not answer `from`; only below `cutoff`. At x it must be less.
    Flip fool_planes(const VectorRef& x, int from, Index need, double cutoff,
                     const PointLimits& limits);

private:
    void touch_planes(const VectorRef& x, Index need, double cutoff, const PointLimits& limits,
                      Flip& flip);

    const Ensemble& ensemble_;
    const PlaneSet& planes_;
    FlipEngine engine_;
    PointMargins margins_;
};

/// d rounded to few binary digits: rounding errors of a solution on a grid fall away.
Vector snapped(const VectorRef& d);

/// The planes of the ensemble that do not answer `from` at x, ascending.
std::vector<int> fooled_planes(const Ensemble& ensemble, const VectorRef& x, int from);

/// Their weight, in units.
Index weight_of(const Ensemble& ensemble, const std::vector<int>& planes);

/// Planes that must leave `from` for a vote of k planes to leave it: more than half of them towards
/// -1, half of them towards +1, where ties go.
Index planes_needed(Index k, int from);

/// The same by weight, in units.
inline Index weight_needed(const Ensemble& ensemble, int from) {
    return planes_needed(ensemble.total_units(), from);
}

}  // namespace redoubt
