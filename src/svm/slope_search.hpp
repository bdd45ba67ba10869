#pragma once

#include <algorithm>
#include <cmath>

namespace redoubt {

/// A line search ends when the slope has fallen to this share of the first one.
inline constexpr double kSlopeReduction = 0.1;
inline constexpr double kLongestStep = 4.0;
inline constexpr int kMaxSlopes = 40;

/// The step of a line search: about a root of `slope(step)`, which is continuous and increasing and
/// negative at 0. Full step if that will do, else doubling
/// until it is bracketed, then regula falsi (the Illinois variant) kept away from the ends.
template <typename Slope>
double find_step(Slope&& slope, double slope_at_zero) {
    const double goal = kSlopeReduction * -slope_at_zero;
    double low = 0.0;
    double high = 1.0;
    double slope_low = slope_at_zero;
    double slope_high = slope(1.0);
    while (slope_high < -goal && high < kLongestStep) {
        low = high;
        slope_low = slope_high;
        high *= 2.0;
        slope_high = slope(high);
    }
    if (slope_high <= goal) return high;
    int last_side = 0;
    for (int i = 0; i < kMaxSlopes; ++i) {
        const double margin = 0.05 * (high - low);
        const double guess = low + (high - low) * slope_low / (slope_low - slope_high);
        const double middle = std::clamp(guess, low + margin, high - margin);
        const double value = slope(middle);
        if (std::abs(value) <= goal) return middle;
        const int side = value > 0.0 ? 1 : -1;
        if (side > 0) {
            high = middle;
            slope_high = value;
            if (last_side == side) slope_low *= 0.5;
        } else {
            low = middle;
            slope_low = value;
            if (last_side == side) slope_high *= 0.5;
        }
        last_side = side;
    }
    return low > 0.0 ? low : high;
}

/// The same for functions whose slope may change a great deal within a short step: never accepts a
/// step that does not go down for sure. 0 when none was found.
template <typename Slope>
double find_descent_step(Slope&& slope, double slope_at_zero) {
    const double goal = kSlopeReduction * -slope_at_zero;
    double low = 0.0;
    double slope_low = slope_at_zero;
    double descent = 0.0;  ///< at least this much from 0 to `low`, by convexity
    double high = 1.0;
    double slope_high = slope(1.0);
    const auto move_low = [&](double step, double value) {
        descent += (step - low) * -value;
        low = step;
        slope_low = value;
    };
    while (slope_high <= 0.0) {
        move_low(high, slope_high);
        if (slope_high >= -goal || high >= kLongestStep) return high;
        high *= 2.0;
        slope_high = slope(high);
    }
    // From `low` to a step with a positive slope it goes up by less than their product.
    const auto is_down = [&](double step, double value) {
        return (step - low) * value <= 0.5 * descent;
    };
    double weight_low = 1.0;
    double weight_high = 1.0;
    if (low == 0.0 && slope_high <= goal) {
        const double value = slope(0.5);
        if (value <= 0.0) {
            move_low(0.5, value);
        } else {
            high = 0.5;
            slope_high = value;
        }
    }
    for (int i = 0; i < kMaxSlopes; ++i) {
        if (slope_high <= goal && is_down(high, slope_high)) return high;
        const double margin = 0.05 * (high - low);
        const double left = weight_low * slope_low;
        const double right = weight_high * slope_high;
        const double guess = low + (high - low) * left / (left - right);
        const double middle = std::clamp(guess, low + margin, high - margin);
        const double value = slope(middle);
        if (value > 0.0) {
            high = middle;
            slope_high = value;
            weight_low *= 0.5;
            weight_high = 1.0;
        } else {
            move_low(middle, value);
            if (value >= -goal) return low;
            weight_high *= 0.5;
            weight_low = 1.0;
        }
    }
    return low;
}

}  // namespace redoubt
