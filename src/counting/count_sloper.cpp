#include "counting/count_sloper.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace redoubt {

namespace {

/// Nodes of one point: a move that is nearly the least one says as much about where to go.
constexpr std::int64_t kMostNodes = 200;
/// Multipliers below this share of their sum are rounding.
constexpr double kNoRate = 1e-12;

}  // namespace

/// Of the planes that the move fools those that it passes farthest, as many as are needed.
std::vector<int> CountSloper::deciding_planes(const Vector& moved, const std::vector<int>& fooled,
                                              int label, Index required) const {
    const Ensemble& ensemble = planes_.ensemble();
    std::vector<std::pair<double, int>> order;
    for (int plane : fooled) {
        const auto w = ensemble.coef().row(plane).transpose();
        const double size = length_(w);
        const double margin = label * (w.dot(moved) + ensemble.intercept()[plane]);
        order.emplace_back(size > 0.0 ? margin / size : -HUGE_VAL, plane);
    }
    std::sort(order.begin(), order.end());
    std::vector<int> deciding;
    Index reached = 0;
    for (const auto& [margin, plane] : order) {
        if (reached >= required) break;
        reached += ensemble.weight_units(plane);
        deciding.push_back(plane);
    }
    return deciding;
}

RadiusSlope CountSloper::solve(const PointRef& x, int y, const RadiusLimits& limits) {
    const Ensemble& ensemble = planes_.ensemble();
    const int label = ensemble.predict(x);
    const double side = label == y ? 1.0 : -1.0;
    const double limit = label == y ? limits.right_limit : limits.wrong_limit;
    const Index required = weight_needed(ensemble, label);
    PointLimits search;
    search.max_nodes = kMostNodes;
    const CountFlipper::Answer found = flipper_.fool_planes(x, label, required, limit, search);
    RadiusSlope slope;
    slope.is_beyond = found.features.empty() || !(found.flip.upper < limit);
    slope.radius = side * (slope.is_beyond ? limit : found.flip.upper);
    if (slope.is_beyond) return slope;
    slope.is_surrogate = true;
    slope.moved = x.to_dense();
    Vector there = slope.moved;
    for (std::size_t i = 0; i < found.features.size(); ++i)
        there[found.features[i]] += found.flip.d[static_cast<Index>(i)];
    const std::vector<int> deciding = deciding_planes(there, found.flip.fooled, label, required);
    const CountFlipper::Relaxed relaxed = flipper_.relax(deciding);
    double sum = 0.0;
    for (double rate : relaxed.multipliers) sum += rate;
    for (std::size_t i = 0; i < relaxed.multipliers.size(); ++i) {
        if (relaxed.multipliers[i] > kNoRate * sum)
            slope.shares.push_back({deciding[i], y * relaxed.multipliers[i]});
    }
    if (slope.shares.empty()) {
        // The point lies on the planes.
        const int last = deciding.back();
        const double size = length_(ensemble.coef().row(last).transpose());
        if (size > 0.0) slope.shares.push_back({last, y / size});
        return slope;
    }
    for (const auto& [feature, step] : relaxed.steps) slope.moved[feature] += step;
    return slope;
}

}  // namespace redoubt
