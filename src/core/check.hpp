#pragma once

/// Checks of what a caller passes in; each throws InvalidInput with the argument's name.

#include <cmath>
#include <string>
#include <string_view>

#include "redoubt/error.hpp"
#include "redoubt/points.hpp"
#include "redoubt/types.hpp"

namespace redoubt {

/// The shortest text that reads back as the same number.
std::string format_number(double value);

inline void check_length(std::string_view argument, Index length, Index wanted) {
    if (length == wanted) return;
    throw InvalidInput(argument, "length " + std::to_string(wanted),
                       "length " + std::to_string(length));
}

/// Throws unless `valid`; the message shows `value`.
inline void check_value(bool valid, std::string_view argument, std::string_view wanted,
                        double value) {
    if (!valid) throw InvalidInput(argument, wanted, format_number(value));
}

/// Every entry finite, and of magnitude at most `limit`. Names the first entry that is not.
void check_finite(std::string_view argument, const VectorRef& values, double limit = HUGE_VAL);
void check_finite(std::string_view argument, const MatrixRef& values, double limit = HUGE_VAL);
/// The same of points; compressed ones must have their rows in order, too.
void check_points(std::string_view argument, const PointsRef& X, double limit = HUGE_VAL);

/// Every entry finite, in [0, limit]. Names the first entry that is not.
void check_non_negative(std::string_view argument, const VectorRef& values,
                        double limit = HUGE_VAL);

/// Every entry -1 or +1.
void check_labels(std::string_view argument, const VectorRef& labels);

}  // namespace redoubt
