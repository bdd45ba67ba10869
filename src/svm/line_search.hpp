#pragma once

#include <algorithm>

namespace redoubt {

/// A line search ends when the slope has fallen to this share of the first one.
inline constexpr double kSlopeReduction = 0.1;
inline constexpr double kLongestStep = 4.0;
inline constexpr int kMaxSlopes = 40;

enum class LineSearch {
    Quick,    ///< takes the first step whose slope is small
    Careful,  ///< only steps that surely go down: for slopes that change much within a short step
};

/// About a root of `slope(step)`, which is continuous and increasing and negative at 0: the full
/// step if that will do, else doubling until the root is bracketed, then regula falsi (the Illinois
/// variant) kept away from the ends. 0 when a careful search finds no step.
template <typename Slope>
double find_step(LineSearch search, Slope&& slope, double slope_at_zero) {
    const bool is_careful = search == LineSearch::Careful;
    const double goal = kSlopeReduction * -slope_at_zero;
    double low = 0.0;
    double slope_low = slope_at_zero;
    double descent = 0.0;  // at least this much from 0 to `low`, by convexity
    double high = 1.0;
    double slope_high = slope(1.0);
    const auto move_low = [&](double step, double value) {
        descent += (step - low) * -value;
        low = step;
        slope_low = value;
    };
    // From `low` to `high` it goes up by less than the product of their distance and the slope.
    const auto is_high_good = [&] {
        return slope_high <= goal && (!is_careful || (high - low) * slope_high <= 0.5 * descent);
    };
    while (slope_high <= 0.0) {
        move_low(high, slope_high);
        if (slope_high >= -goal || high >= kLongestStep) return high;
        high *= 2.0;
        slope_high = slope(high);
    }
    if (!is_high_good() && low == 0.0 && slope_high <= goal) {
        // The slope is small already, so regula falsi would hardly leave `high`.
        const double value = slope(0.5);
        if (value <= 0.0) {
            move_low(0.5, value);
        } else {
            high = 0.5;
            slope_high = value;
        }
    }
    double weight_low = 1.0;
    double weight_high = 1.0;
    int last_side = 0;
    for (int i = 0; i < kMaxSlopes; ++i) {
        if (is_high_good()) return high;
        const double margin = 0.05 * (high - low);
        const double left = weight_low * slope_low;
        const double right = weight_high * slope_high;
        const double guess = low + (high - low) * left / (left - right);
        const double middle = std::clamp(guess, low + margin, high - margin);
        const double value = slope(middle);
        const int side = value > 0.0 ? 1 : -1;
        // The Illinois variant: an end that stays where it is counts half, and half again.
        const double halving = is_careful || side == last_side ? 0.5 : 1.0;
        last_side = side;
        if (side > 0) {
            high = middle;
            slope_high = value;
            weight_low *= halving;
            weight_high = 1.0;
        } else {
            move_low(middle, value);
            if (value >= -goal) return low;
            weight_high *= halving;
            weight_low = 1.0;
        }
    }
    // Slopes of rounding errors: a careful search goes no further than where it is surely down.
    if (is_careful || (low > 0.0 && !is_high_good())) return low;
    return high;
}

}  // namespace redoubt
