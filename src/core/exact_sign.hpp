#pragma once

#include "redoubt/points.hpp"

namespace redoubt {

/// Sign of w'x + b in exact arithmetic: -1, 0 or +1. Cost: about 20 ns a number of x; meant for the
/// rare sums that floating point cannot decide. All numbers must be finite.
int exact_sign(const VectorRef& w, double b, const PointRef& x);

}  // namespace redoubt
