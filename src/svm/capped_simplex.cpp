#include "svm/capped_simplex.hpp"

#include <algorithm>

namespace redoubt {

bool project_to_capped_simplex(double* v, Index count) {
    double sum = 0.0;
    double largest = 0.0;
    for (Index i = 0; i < count; ++i) {
        v[i] = std::max(0.0, v[i]);
        sum += v[i];
        largest = std::max(largest, v[i]);
    }
    if (sum < 1.0) return false;
    // Take the same amount off all that stay positive: those that would not, drop out first. The
    // result does not change when all move alike, and near 0 the numbers have all their digits.
    sum = 0.0;
    for (Index i = 0; i < count; ++i) {
        v[i] = std::max(v[i] - largest, -1.0);
        sum += v[i];
    }
    Index n_left = count;
    double threshold = (sum - 1.0) / static_cast<double>(count);
    for (;;) {
        double rest = 0.0;
        Index n_above = 0;
        for (Index i = 0; i < count; ++i) {
            if (v[i] <= threshold) continue;
            rest += v[i];
            ++n_above;
        }
        // More than before only by rounding.
        if (n_above >= n_left || n_above == 0) break;
        n_left = n_above;
        threshold = (rest - 1.0) / static_cast<double>(n_above);
    }
    for (Index i = 0; i < count; ++i) v[i] = std::max(0.0, v[i] - threshold);
    return true;
}

}  // namespace redoubt
