#include "experiments/perturbations.hpp"

#include <limits>

namespace redoubt::reproduction {

namespace {

Index n_fooled(const PointProblem& point, const Vector& d) {
    return static_cast<Index>(fooled_planes(point.ensemble, point.x + d, point.y).size());
}

/// `d` made longer, by `share` of what the ball leaves, unless that frees a plane.
Vector stretched(const PointProblem& point, const Vector& d, double share) {
    const double length = norm_value(point.threat.norm, d);
    if (!(length > 0.0)) return d;
    const Vector longer = d * (1.0 + share * (point.radius / length - 1.0));
    return n_fooled(point, longer) >= n_fooled(point, d) ? longer : d;
}

/// The corner of the box that fools the most planes, then the one deepest behind them all; empty if
/// none fools `least`.
Vector best_corner(const PointProblem& point, const std::vector<int>& foolable, Index least) {
    const Index n = point.x.size();
    const Matrix W = -point.y * point.ensemble.coef()(foolable, Eigen::all);
    const Vector depth = W * point.x - point.y * Vector(point.ensemble.intercept()(foolable));
    Vector best;
    Index most = least - 1;
    double deepest = -std::numeric_limits<double>::infinity();
    for (std::uint64_t corner = 0; corner < (std::uint64_t{1} << n); ++corner) {
        Vector d(n);
        for (Index l = 0; l < n; ++l) d[l] = (corner >> l & 1U) != 0 ? point.radius : -point.radius;
        const Vector depths = depth + W * d;
        const Index n_behind = (depths.array() >= 0.0).count();
        if (n_behind < most || (n_behind == most && depths.sum() <= deepest)) continue;
        most = n_behind;
        deepest = depths.sum();
        best = d;
    }
    return best;
}

}  // namespace

Vector worst_perturbation(const PointProblem& point, const std::vector<int>& foolable,
                          Perturbation choice, ExactAdversary& exact) {
    const AdversaryAnswer shortest = exact.solve(point, {});
    switch (choice) {
        case Perturbation::Shortest:
            break;
        case Perturbation::Stretched:
            return stretched(point, shortest.d, 1.0);
        case Perturbation::Halfway:
            return stretched(point, shortest.d, 0.5);
        case Perturbation::Corner: {
            if (point.x.size() > kMaxCornerFeatures) break;
            const Vector corner =
                best_corner(point, foolable, static_cast<Index>(shortest.objective));
            if (corner.size() > 0) return corner;
            break;
        }
    }
    return shortest.d;
}

}  // namespace redoubt::reproduction
