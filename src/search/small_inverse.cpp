#include "search/small_inverse.hpp"

#include <algorithm>
#include <cmath>

namespace redoubt {

namespace {

/// A pivot below this share of the largest entry of the matrix counts as zero.
constexpr double kLeastPivot = 1e-13;

}  // namespace

void SmallInverse::resize(std::size_t n) {
    n_ = n;
    matrix_.resize(n * n);
    pivot_.resize(n);
}

bool SmallInverse::invert() {
    double* a = matrix_.data();
    double largest = 0.0;
    for (std::size_t i = 0; i < n_ * n_; ++i) largest = std::max(largest, std::abs(a[i]));
    for (std::size_t step = 0; step < n_; ++step) {
        std::size_t best = step;
        for (std::size_t i = step + 1; i < n_; ++i) {
            if (std::abs(a[i * n_ + step]) > std::abs(a[best * n_ + step])) best = i;
        }
        const double pivot = a[best * n_ + step];
        if (!(std::abs(pivot) > kLeastPivot * largest)) return false;
        pivot_[step] = best;
        if (best != step) std::swap_ranges(a + best * n_, a + (best + 1) * n_, a + step * n_);
        a[step * n_ + step] = 1.0;
        for (std::size_t j = 0; j < n_; ++j) a[step * n_ + j] /= pivot;
        for (std::size_t i = 0; i < n_; ++i) {
            if (i == step) continue;
            const double factor = a[i * n_ + step];
            if (factor == 0.0) continue;
            a[i * n_ + step] = 0.0;
            for (std::size_t j = 0; j < n_; ++j) a[i * n_ + j] -= factor * a[step * n_ + j];
        }
    }
    // Undo the row exchanges, as column exchanges in reverse order.
    for (std::size_t step = n_; step-- > 0;) {
        if (pivot_[step] == step) continue;
        for (std::size_t i = 0; i < n_; ++i) std::swap(a[i * n_ + step], a[i * n_ + pivot_[step]]);
    }
    return true;
}

}  // namespace redoubt
