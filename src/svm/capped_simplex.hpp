#pragma once

#include "redoubt/types.hpp"

namespace redoubt {

/// Projects v[0..count) in place onto { a >= 0, sum a <= 1 }, in the l2 sense; true when the sum is
/// at its cap. The sum is then 1 to a few roundings, whatever the size of v.
bool project_to_capped_simplex(double* v, Index count);

}  // namespace redoubt
