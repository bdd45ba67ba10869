#include "svm/hard_margin.hpp"

#include <algorithm>
#include <limits>

namespace redoubt {

double stretch_to_margin(const Vector& t, const Vector& c, double largest) {
    double most = 0.0;
    for (Index j = 0; j < t.size(); ++j) {
        if (c[j] > 0.0) most = std::max(most, t[j]);
    }
    if (most > largest) return 1.0;
    // Twice what is needed, and a little more against the rounding still to come.
    if (most <= kLargestStretch)
        return 1.0 + 2.0 * most + 8.0 * std::numeric_limits<double>::epsilon();
    return (1.0 + 64.0 * std::numeric_limits<double>::epsilon()) / (1.0 - most);
}

}  // namespace redoubt
