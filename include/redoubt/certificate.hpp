#pragma once

/// How far a point can move before the answer changes.
///
/// The signed radius R of a point x with label y is the least ||d||_p that makes the answer at x +
/// d differ from y; for a point that is wrong to begin with, minus the least ||d||_p that makes it
/// right. R = +-infinity when no d does it.

#include "redoubt/ensemble.hpp"
#include "redoubt/norm.hpp"
#include "redoubt/types.hpp"

namespace redoubt {

/// Signed radii of the rows of X under one plane:  R = y (w'x + b) / ||w||_q  in closed form, as
/// computed in floating point. With w = 0 the answer never changes: R = +-infinity.
/// Throws InvalidInput when sizes do not fit, a number is not finite or a label is not -1 or +1.
Vector plane_radii(const Hyperplane& plane, const MatrixRef& X, const VectorRef& y, Norm norm);

}  // namespace redoubt
