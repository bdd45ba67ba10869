#pragma once

/// The unit of rounding errors.

#include <limits>

namespace redoubt {

/// The distance from 1 to the next double.
inline constexpr double kEps = std::numeric_limits<double>::epsilon();

}  // namespace redoubt
