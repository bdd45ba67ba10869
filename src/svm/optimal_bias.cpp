#include "svm/optimal_bias.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace redoubt {

namespace {

/// Slopes below this share of the total weight are sums of rounding errors.
constexpr double kFlatSlope = 1e-12;

}  // namespace

// The function is convex and piecewise linear. Its kinks are b_j = y_j h_j - f_j; far to the left
// its slope is minus the weight of class +1, and every kink raises the slope by c_j, whatever its
// class. So the minimisers are a weighted quantile of the kinks.
double optimal_bias(const VectorRef& f, const VectorRef& h, const VectorRef& y,
                    const VectorRef& c) {
    struct Kink {
        double b;
        double weight;
    };
    std::vector<Kink> kinks;
    kinks.reserve(static_cast<std::size_t>(f.size()));
    double slope = 0.0;
    double total = 0.0;
    for (Index j = 0; j < f.size(); ++j) {
        if (c[j] == 0.0) continue;
        kinks.push_back({y[j] * h[j] - f[j], c[j]});
        if (y[j] > 0.0) slope -= c[j];
        total += c[j];
    }
    std::sort(kinks.begin(), kinks.end(), [](const Kink& a, const Kink& b) { return a.b < b.b; });
    const double flat = kFlatSlope * total;
    for (std::size_t i = 0; i < kinks.size(); ++i) {
        slope += kinks[i].weight;
        if (slope > flat || i + 1 == kinks.size()) return kinks[i].b;
        if (slope >= -flat) return 0.5 * (kinks[i].b + kinks[i + 1].b);
    }
    return 0.0;
}

}  // namespace redoubt
