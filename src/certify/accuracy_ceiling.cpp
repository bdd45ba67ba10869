#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "certify/class_counts.hpp"
#include "certify/conflict_graph.hpp"
#include "core/check.hpp"
#include "redoubt/attack_curve.hpp"

namespace redoubt {

namespace {

/// Two points of opposite class, numbered within their classes.
struct Pair {
    double distance;  ///< rounded up
    int plus;
    int minus;
};

std::vector<Index> points_of(const VectorRef& y, double label) {
    std::vector<Index> points;
    for (Index j = 0; j < y.size(); ++j) {
        if (y[j] == label) points.push_back(j);
    }
    return points;
}

/// The numbers of a - b where one of them has an entry.
void subtract(const SparseRow& a, const SparseRow& b, std::vector<double>& difference) {
    difference.clear();
    Index i = 0;
    Index j = 0;
    while (i < a.n_entries || j < b.n_entries) {
        const Index left = i < a.n_entries ? a.column(i) : a.size;
        const Index right = j < b.n_entries ? b.column(j) : b.size;
        const double value = left <= right ? a.values[i] : 0.0;
        difference.push_back(right <= left ? value - b.values[j] : value);
        i += left <= right ? 1 : 0;
        j += right <= left ? 1 : 0;
    }
}

/// The distances of a point from others, one after the other.
class Distances {
public:
    Distances(const PointsRef& X, Norm norm) : X_(X), norm_(norm) {}

    double between(Index i, Index j) {
        if (!X_.is_sparse()) {
            dense_ = X_.dense().row(i) - X_.dense().row(j);
            return norm_value(norm_, dense_);
        }
        subtract(X_.sparse().row(i), X_.sparse().row(j), sparse_);
        return norm_value(norm_, Eigen::Map<const Vector>(sparse_.data(),
                                                          static_cast<Index>(sparse_.size())));
    }

private:
    const PointsRef& X_;
    Norm norm_;
    Vector dense_;
    std::vector<double> sparse_;
};

/// The pairs at most `reach` apart, nearest first.
std::vector<Pair> find_pairs(const PointsRef& X, const VectorRef& y, double reach, Norm norm) {
    const std::vector<Index> plus = points_of(y, 1.0);
    const std::vector<Index> minus = points_of(y, -1.0);
    const double rounding =
        1.0 + (static_cast<double>(X.cols()) + 8.0) * std::numeric_limits<double>::epsilon();
    std::vector<Pair> pairs;
    Distances distances(X, norm);
    for (std::size_t i = 0; i < plus.size(); ++i) {
        for (std::size_t j = 0; j < minus.size(); ++j) {
            const double distance = distances.between(plus[i], minus[j]) * rounding;
            if (distance <= reach) {
                pairs.push_back({distance, static_cast<int>(i), static_cast<int>(j)});
            }
        }
    }
    std::sort(pairs.begin(), pairs.end(),
              [](const Pair& a, const Pair& b) { return a.distance < b.distance; });
    return pairs;
}

}  // namespace

AccuracyCeiling accuracy_ceiling(const PointsRef& X, const VectorRef& y, const VectorRef& radii,
                                 Norm norm) {
    require_dual("norm", norm);
    check_length("y", y.size(), X.rows());
    const ClassCounts counts = count_classes(y);
    check_points("X", X);
    check_attack_radii(radii);
    AccuracyCeiling ceiling{radii, Vector(radii.size()), Vector(radii.size())};
    if (radii.size() == 0) return ceiling;

    const auto n_plus = static_cast<std::int64_t>(counts.plus);
    const auto n_minus = static_cast<std::int64_t>(counts.minus);
    ConflictGraph plain(static_cast<std::size_t>(n_plus), 1, static_cast<std::size_t>(n_minus), 1);
    // Weights 1 / n_plus and 1 / n_minus, times n_plus n_minus.
    ConflictGraph balanced(static_cast<std::size_t>(n_plus), n_minus,
                           static_cast<std::size_t>(n_minus), n_plus);
    const std::vector<Pair> pairs = find_pairs(X, y, 2.0 * radii.maxCoeff(), norm);
    std::vector<Index> order(static_cast<std::size_t>(radii.size()));
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return radii[a] < radii[b]; });
    auto next = pairs.begin();
    for (Index i : order) {
        for (; next != pairs.end() && next->distance <= 2.0 * radii[i]; ++next) {
            plain.add_edge(static_cast<std::size_t>(next->plus),
                           static_cast<std::size_t>(next->minus));
            balanced.add_edge(static_cast<std::size_t>(next->plus),
                              static_cast<std::size_t>(next->minus));
        }
        const auto lost = static_cast<double>(plain.least_cover_weight());
        const auto lost_balanced = static_cast<double>(balanced.least_cover_weight());
        ceiling.accuracy[i] = (counts.all() - lost) / counts.all();
        ceiling.balanced_accuracy[i] = 1.0 - 0.5 * lost_balanced / (counts.plus * counts.minus);
    }
    return ceiling;
}

}  // namespace redoubt
