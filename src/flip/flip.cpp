#include "flip/flip.hpp"

namespace redoubt {

namespace {

/// Data on a grid have their solutions on one too: numbers with this many bits.
constexpr int kSnapBits = 24;

}  // namespace

Vector snapped(const VectorRef& d) {
    const double largest = d.lpNorm<Eigen::Infinity>();
    if (!(largest > 0.0) || !std::isfinite(largest)) return d;
    const double unit = std::ldexp(1.0, std::ilogb(largest) - kSnapBits);
    return d.unaryExpr([&](double value) { return std::round(value / unit) * unit; });
}

std::vector<int> fooled_planes(const Ensemble& ensemble, const VectorRef& x, int label) {
    std::vector<int> fooled;
    const Eigen::VectorXi answers = ensemble.answers(x);
    for (Index i = 0; i < answers.size(); ++i) {
        if (answers[i] != label) fooled.push_back(static_cast<int>(i));
    }
    return fooled;
}

Index weight_of(const Ensemble& ensemble, const std::vector<int>& planes) {
    Index sum = 0;
    for (int i : planes) sum += ensemble.weight_units(i);
    return sum;
}

Index weight_needed(const Ensemble& ensemble, int label) {
    const Index total = ensemble.total_units();
    return label > 0 ? total - ensemble.quota_units() + 1 : ensemble.quota_units();
}

}  // namespace redoubt
