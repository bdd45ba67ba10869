#pragma once

/// From the least step of a set of planes to a step in doubles that really fools them.

#include <cstdint>
#include <vector>

#include "reference/plane_system.hpp"

namespace redoubt::mip {

/// Shrinks d by a rounding or more until its length, as `norm_value` evaluates it, is within the
/// radius.
void fit_into_ball(Norm norm, double radius, Vector* d);

/// Planes whose answer at x + d, rounded to doubles, is not `label`, by weight in units of the
/// ensemble: their number in a majority vote.
std::int64_t count_differing(const Ensemble& ensemble, const VectorRef& x, const VectorRef& d,
                             int label);

/// The weight of planes, in units, that must answer differently from `label` before the vote does.
std::int64_t weight_needed(const Ensemble& ensemble, int label);

struct Witness {
    Vector d{};
    std::int64_t n_differing = 0;  ///< as count_differing
};

/// A step for the rows with planes of weight `wanted` fooled when recomputed at x + d, and
/// ||d|| <= `radius` as evaluated. The least step itself where that does, otherwise a hair beyond:
/// all inequalities are tightened together, by 1e-13 of the length and then ever more up to 1e-6.
/// Where even that fails (the ball ends exactly on a plane, or the rows are met on a plane only)
/// the best step that was seen.
Witness make_witness(const PlaneSystem& system, const Ensemble& ensemble, const VectorRef& x,
                     const std::vector<int>& rows, std::int64_t wanted, double radius);

}  // namespace redoubt::mip
