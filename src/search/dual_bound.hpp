#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "redoubt/types.hpp"

namespace redoubt {

/// lambda'floor, rounded down.
inline double lambda_floor(const std::vector<int>& planes, const std::vector<double>& lambda,
                           const Vector& floor) {
    constexpr double eps = std::numeric_limits<double>::epsilon();
    double sum = 0.0;
    double sum_of_sizes = 0.0;
    for (std::size_t j = 0; j < planes.size(); ++j) {
        const double term = lambda[j] * floor[planes[j]];
        sum += term;
        sum_of_sizes += std::abs(term);
    }
    return sum - (static_cast<double>(planes.size()) + 4.0) * eps * sum_of_sizes;
}

/// For multipliers lambda >= 0 on a set of planes, every e with w_i'e >= floor_i satisfies
///
///     ||e||_p >= lambda'floor / ||W'lambda||_q      whenever lambda'floor > 0
///
/// because lambda'floor <= lambda'W e <= ||W'lambda||_q ||e||_p. This evaluates the right-hand side
/// rounded down. `computed_norm` is ||W'lambda||_q as floating point gave it, with an error of at
/// most `norm_error` sum_i lambda_i size_i beyond the roundings that are accounted for here.
inline double proven_bound(const std::vector<int>& planes, const std::vector<double>& lambda,
                           const Vector& floor, const Vector& size, double computed_norm,
                           double norm_error) {
    constexpr double eps = std::numeric_limits<double>::epsilon();
    const double numerator = lambda_floor(planes, lambda, floor);
    const double terms = static_cast<double>(planes.size()) + 4.0;
    double weight = 0.0;
    for (std::size_t j = 0; j < planes.size(); ++j) weight += lambda[j] * size[planes[j]];
    if (!(numerator > 0.0)) return 0.0;
    const double denominator = computed_norm + norm_error * weight * (1.0 + terms * eps);
    if (!(denominator > 0.0)) return HUGE_VAL;
    return numerator / denominator * (1.0 - 8.0 * eps);
}

/// l2: twice a dual value at multipliers for which the next plane lacks `reach`; one more
/// multiplier raises it by reach^2. Returns the least norm that this proves, or 0.
inline double raised_bound(double dual_square, double reach) {
    constexpr double eps = std::numeric_limits<double>::epsilon();
    const double square = dual_square + reach * reach;
    const double sure = square - 4.0 * eps * (std::abs(dual_square) + reach * reach);
    return sure > 0.0 ? std::sqrt(sure) * (1.0 - 8.0 * eps) : 0.0;
}

}  // namespace redoubt
