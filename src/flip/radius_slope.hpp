#pragma once

#include <optional>
#include <vector>

#include "flip/flipper.hpp"
#include "flip/threat_planes.hpp"
#include "search/flip_engine.hpp"

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
        int plane;  ///< its index in the ensemble
        double rate;
    };

    /// R, or the limit if R lies beyond it; then no plane decides.
    double radius = 0.0;
    bool is_beyond = false;
    /// The shares are a direction, not the derivative; see RadiusSloper.
    bool is_surrogate = false;
    std::vector<Share> shares{};
    Vector moved{};  ///< x + d
};

/// Only radii between -`wrong_limit` and `right_limit` are needed; the search skips everything
/// beyond.
struct RadiusLimits {
    double right_limit = HUGE_VAL;
    double wrong_limit = HUGE_VAL;
};

/// ||S w||_q for the scales S of the features that the threat moves, relative to their mean;
/// ||w||_2 if (almost) no weight lies on such features. Independent of the units of the radius.
/// Where changes are counted q is that of l1: the largest weight.
class PlaneLength {
public:
    explicit PlaneLength(const MoveSpace& space);

    double operator()(const VectorRef& w) const;

private:
    Norm norm_;
    Vector scale_{};  ///< empty = all 1
};

/// Finds slopes for the points of one ensemble. One per thread.
///
/// Balls, scales, frozen and one-directional features and ranges: `rate` is the derivative, from
/// the multipliers of the search. Integers and one-hot groups make R piecewise smooth: their part
/// of the least move is held fixed, and the derivative is that of the rest.
///
/// Where integers or switches alone decide R, small changes of the planes do not affect it. The
/// radius is exact there, too, but the shares are a surrogate (`is_surrogate`), a direction in
/// which R is likely to grow: the derivative of the relaxed problem, which treats integers as real
/// numbers and holds the switches fixed. If that is 0 as well, or the point lies on the deciding
/// planes, it is the derivative of the deciding plane's distance from the moved point.
///
/// The attacking class is ignored: points of the other class are treated as if they could move.
class RadiusSloper {
public:
    /// The planes must outlive this.
    explicit RadiusSloper(const ThreatPlanes& planes);

    /// `y` is -1 or +1; the limits are > 0. The threat must allow x. Accurate to floating point,
    /// without a proof.
    RadiusSlope solve(const VectorRef& x, int y, const RadiusLimits& limits);

private:
    /// The problem without integers and switches: from `base`, which was reached at the size
    /// `fixed`, the coordinates move within a box around 0, if the space has one.
    struct Rest {
        VectorRef base;
        double fixed = 0.0;
        Vector lo{};  ///< of u = d / scale
        Vector hi{};
    };

    RadiusSlope solve_discrete(const VectorRef& x, int y, int current_label, double limit);
    Rest held_rest(const VectorRef& x, const Vector& moved, bool holds_integers);
    double solve_rest(const Rest& rest, int current_label, int y, double limit, RadiusSlope& slope);
    Index load_margins(const Rest& rest, int current_label);
    double multiplier_unit(const SearchResult& flip, double size) const;
    void pull_at(const Vector& moved, int current_label, int y, RadiusSlope& slope) const;

    const ThreatPlanes& threat_;
    FlipEngine engine_;
    std::optional<Flipper> flipper_{};  ///< with integers or groups
    PointMoves moves_;
    PointMargins margins_;
    Vector held_;  ///< what a Rest is based on
};

}  // namespace redoubt
