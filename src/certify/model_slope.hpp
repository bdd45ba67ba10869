#pragma once

#include <optional>
#include <vector>

#include "threat/move_space.hpp"
#include "certify/model_flip.hpp"
#include "certify/radius_slope.hpp"
#include "search/flip_engine.hpp"
#include "search/plane_set.hpp"

namespace redoubt {

/// ||S w||_q for the scales S of the features that the model moves, relative to their mean; ||w||_2
/// when (next to) no weight lies on such features. It does not change with the units of the radius.
class PlaneLength {
public:
    PlaneLength(const AttackModel& model, Index n_features);

    double operator()(const VectorRef& w) const;

private:
    Norm norm_;
    Vector scale_;
};

/// What ModelSloper needs once for an ensemble and an attack model.
struct ModelPlanes {
    /// The model must have been checked. Everything must outlive this.
    ModelPlanes(const Ensemble& planes, const AttackModel& attack_model);
    ModelPlanes(const ModelPlanes&) = delete;
    ModelPlanes& operator=(const ModelPlanes&) = delete;

    const Ensemble* ensemble;
    const AttackModel* model;
    MoveSpace space;
    PlaneSet planes;
    PlaneLength length;
};

/// Slopes of the radius within an attack model: RadiusSlope's, with the size of the move in the
/// place of ||d||_p. One per thread.
///
/// Scales, frozen and one-sided features and ranges: `rate` is the derivative, from the multipliers
/// of the search in the box. Whole numbers and one-hot groups make R piecewise smooth: their part
/// of the least move is held and the derivative is that of what is left.
///
/// Where whole numbers or switches alone decide R, it does not change with the planes a little. The
/// radius is exact there too, but the shares are a surrogate (`is_surrogate`), a direction in which
/// R is likely to grow: the derivative of the relaxed problem, which takes whole numbers as numbers
/// and holds the switches. Where that is 0 as well, or the point lies on the planes that decide:
/// the derivative of the deciding plane's distance from where the point was moved to.
///
/// The attacking class is not looked at: a point of the other one is treated as if it could move.
class ModelSloper {
public:
    /// The planes must outlive this.
    explicit ModelSloper(const ModelPlanes& planes);

    /// As RadiusSloper's. The model must allow x.
    RadiusSlope solve(const VectorRef& x, int y, const RadiusLimits& limits);

private:
    /// A problem without whole numbers and switches: from `base`, which was reached at the size
    /// `fixed`, the coordinates move within a box around 0.
    struct Rest {
        Vector base;
        double fixed = 0.0;
        Vector lo;  ///< of u = d / scale
        Vector hi;
    };

    RadiusSlope solve_discrete(const VectorRef& x, int y, int from, double limit);
    Rest held_rest(const VectorRef& x, const Vector& moved, bool holds_whole);
    double solve_rest(const Rest& rest, int from, int y, double limit, RadiusSlope& slope);
    Index load_margins(const Rest& rest, int from);
    double multiplier_unit(const FlipResult& flip, double size) const;
    void pull_at(const Vector& moved, int from, int y, RadiusSlope& slope) const;

    const ModelPlanes& planes_;
    FlipEngine engine_;
    std::optional<ModelFlipper> flipper_{};
    PointMoves moves_;
    PointMargins margins_;
};

}  // namespace redoubt
