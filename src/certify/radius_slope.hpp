#pragma once

#include <vector>

#include "search/flip_engine.hpp"
#include "search/plane_set.hpp"

namespace redoubt {

/// A point's signed radius R and how it changes with the planes:
///
///     dR/dw_i = rate_i (x + d),    dR/db_i = rate_i      for the planes that decide, else 0
///
/// d is the least move that changes the answer (towards y for a point that is wrong). With
/// multipliers mu of D(S) = min { ||d||_p : .. }, rate_i = y mu_i for right and wrong points alike.
/// R is differentiable wherever the best set of planes and its multipliers are unique.
struct RadiusSlope {
    struct Share {
        int plane;  ///< its place in the ensemble
        double rate;
    };

    /// R, or the limit if R lies beyond it; then nothing decides.
    double radius = 0.0;
    bool is_beyond = false;
    /// The shares are a direction, not the derivative: see ModelSloper, and points that lie on the
    /// planes that decide.
    bool is_surrogate = false;
    std::vector<Share> shares{};
    Vector moved{};  ///< x + d
};

/// Radii between -`wrong_limit` and `right_limit` only, which spares the search everything beyond.
struct RadiusLimits {
    double right_limit = HUGE_VAL;
    double wrong_limit = HUGE_VAL;
};

/// Finds slopes for the points of one ensemble. One per thread.
class RadiusSloper {
public:
    RadiusSloper(const Ensemble& ensemble, const PlaneSet& planes)
        : ensemble_(ensemble), planes_(planes), engine_(planes) {}

    /// `y` is -1 or +1; the limits are > 0. As exact as floating point makes it, without a proof.
    RadiusSlope solve(const VectorRef& x, int y, const RadiusLimits& limits);

private:
    Index deciding_plane(Index need) const;

    const Ensemble& ensemble_;
    const PlaneSet& planes_;
    FlipEngine engine_;
    PointMargins margins_;
};

}  // namespace redoubt
