#include "certify/radius_slope.hpp"

#include <algorithm>
#include <numeric>

#include "certify/flip.hpp"

namespace redoubt {

namespace {

/// A point nearer than this lies on the planes that decide: its multipliers would be 0 / 0, and a
/// one-sided derivative stands in.
constexpr double kOnPlane = 1e-150;

}  // namespace

RadiusSlope RadiusSloper::solve(const VectorRef& x, int y, const RadiusLimits& limits) {
    const int from = ensemble_.predict(x);
    const double side = from == y ? 1.0 : -1.0;
    const double limit = from == y ? limits.right_limit : limits.wrong_limit;
    const Index need = weight_needed(ensemble_, from) - planes_.constant_weight(-from);
    margins_.compute(planes_, x, from, 1.0);
    const FlipResult flip = engine_.run(margins_, need, limit, PointLimits{});
    RadiusSlope slope;
    slope.is_beyond = flip.e.size() == 0;
    slope.radius = side * (slope.is_beyond ? limit : flip.distance);
    if (slope.is_beyond) return slope;
    slope.moved = x - from * flip.e;
    if (flip.distance < kOnPlane) {
        const Index i = deciding_plane(need);
        slope.is_surrogate = true;
        slope.shares.push_back({planes_.index(i), y * planes_.scale(i) / planes_.size()[i]});
        return slope;
    }
    // The l2 search minimises 1/2 ||e||^2, whose multipliers are ||e|| times those of ||e||.
    const double unit = planes_.norm() == Norm::L2 ? flip.distance : 1.0;
    for (std::size_t a = 0; a < flip.active.size(); ++a) {
        const Index i = flip.active[a];
        slope.shares.push_back({planes_.index(i), y * planes_.scale(i) * flip.lambda[a] / unit});
    }
    return slope;
}

/// Of the planes that are easiest to fool where the point stands, the last one that is needed.
Index RadiusSloper::deciding_plane(Index need) const {
    std::vector<Index> order(static_cast<std::size_t>(planes_.n_planes()));
    std::iota(order.begin(), order.end(), Index{0});
    if (!planes_.is_majority()) {
        std::sort(order.begin(), order.end(),
                  [&](Index a, Index b) { return margins_.goal[a] < margins_.goal[b]; });
        for (Index i : order) {
            need -= planes_.weight(i);
            if (need <= 0) return i;
        }
    }
    const auto last = order.begin() + (need - 1);
    std::nth_element(order.begin(), last, order.end(),
                     [&](Index a, Index b) { return margins_.goal[a] < margins_.goal[b]; });
    return *last;
}

}  // namespace redoubt
