#pragma once

/// Where doubles decide what exact numbers need not.

#include <limits>

namespace redoubt::proofs {

inline constexpr double kEps = std::numeric_limits<double>::epsilon();
/// Between these, products of numbers of a filter neither underflow nor overflow.
inline constexpr double kLeast = 1e-140;
inline constexpr double kGreatest = 1e140;

inline bool is_ordinary(double value) {
    return value > kLeast && value < kGreatest;
}

}  // namespace redoubt::proofs
