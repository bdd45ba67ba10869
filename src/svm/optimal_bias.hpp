#pragma once

#include "redoubt/types.hpp"

namespace redoubt {

/// The middle of the interval of minimisers b of  sum_j c_j [h_j - y_j (f_j + b)]_+ .
/// Both classes need positive weight, so that the interval is bounded. Cost O(m log m).
double optimal_bias(const VectorRef& f, const VectorRef& h, const VectorRef& y, const VectorRef& c);

}  // namespace redoubt
