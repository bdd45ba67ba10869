#pragma once

/// What multipliers prove about a least norm over a box.

#include <vector>

#include "redoubt/norm.hpp"
#include "redoubt/types.hpp"
#include "search/plane_set.hpp"

namespace redoubt {

/// For multipliers lambda >= 0 on planes and g = W'lambda, every e in the box that reaches the
/// planes' floors has lambda'floor <= g'e, so that
///
///   l1    ||e||_1  >= lambda'floor - sum_l max over the box of (g_l e_l - |e_l|)
///   l2    ||e||_2^2 / 2 >= lambda'floor - sum_l max over the box of (g_l e_l - e_l^2 / 2)
///   linf  ||e||_inf >= (lambda'floor - sum_(l in F) g_l end_l) / sum_(l not in F) |g_l|
///
/// where end_l is the end of the box on g_l's side and F is any set of features that have one. No e
/// exists at all if lambda'floor > sum_l g_l end_l. Returns the best of these, rounded down, or 0.
/// `g` is W'lambda as computed with planes.W(), which is itself rounded once per entry. `hint` is
/// roughly the norm in question, infinite if no e is expected to exist; any value gives a valid
/// bound, and a good one a better bound. If the bound stays below the hint, the margins' proof is
/// tried as well.
double proven_in_box(const PlaneSet& planes, const PointMargins& margins,
                     const std::vector<int>& active, const std::vector<double>& lambda,
                     const Vector& g, double hint);

/// l2: twice the dual value of these multipliers themselves, rounded down; it may be negative.
double dual_square_in_box(const PlaneSet& planes, const PointMargins& margins,
                          const std::vector<int>& active, const std::vector<double>& lambda,
                          const Vector& g);

}  // namespace redoubt
