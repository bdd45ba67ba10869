#pragma once

#include "redoubt/types.hpp"

namespace redoubt {

/// A hard margin is scaled up by at most this share to bring its hinges from almost to zero.
inline constexpr double kLargestStretch = 1e-6;

/// A hard-margin plane whose hinges t are at most `largest` is scaled up by this factor to make
/// them zero: t is 1 - (margin), and margins grow with the plane. 1 if they are not that small.
double stretch_to_margin(const Vector& t, const Vector& c, double largest);

}  // namespace redoubt
