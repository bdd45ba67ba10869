#include "svm/duality_gap.hpp"

#include <algorithm>

#include "svm/norm_cone.hpp"

namespace redoubt {

namespace {

double class_weight(const HingeProblem& problem, const HingeMap& map, const Vector& a,
                    double label) {
    return map.sum([&](Index begin, Index end) {
        double sum = 0.0;
        for (Index j = begin; j < end; ++j) {
            if (problem.y[j] == label) sum += problem.c[j] * a[j];
        }
        return sum;
    });
}

}  // namespace

double DualityGap::relative(double floor) const {
    return (primal - dual) / std::max(primal, floor);
}

DualityGap measure_gap(const HingeProblem& problem, HingeMap& map, double mu, const Vector& z,
                       const Vector& t, const Vector& a) {
    const Index n = problem.n();
    const double size = problem.size_of(z.head(n));
    const double excess = problem.is_robust() ? size - z[problem.size()] : 0.0;
    DualityGap gap;
    gap.hinge = map.sum([&](Index begin, Index end) {
        double sum = 0.0;
        for (Index j = begin; j < end; ++j) {
            const double shift = excess == 0.0 ? 0.0 : problem.r[j] * excess;
            sum += problem.c[j] * std::max(0.0, t[j] + shift);
        }
        return sum;
    });
    gap.primal = gap.hinge + 0.5 * mu * z.head(n).squaredNorm();

    const double plus = class_weight(problem, map, a, 1.0);
    const double minus = class_weight(problem, map, a, -1.0);
    const double lighter = std::min(plus, minus);
    if (lighter <= 0.0) return gap;
    Vector alpha = problem.c.cwiseProduct(a);
    for (Index j = 0; j < problem.m; ++j) alpha[j] *= lighter / (problem.y[j] > 0.0 ? plus : minus);
    Vector image(problem.n_variables());
    map.multiply_transposed(alpha, image);
    const double radius = problem.is_robust() ? image[problem.size()] : 0.0;
    // The plain SVM is the robust one with R = 0, whose ball is the origin in every norm.
    const bool is_scaled = problem.scale.size() > 0;
    const auto distance_to_moves = [&] {
        return distance_to_ball(problem.norm, problem.scale, image.head(n), radius);
    };
    if (mu > 0.0) {
        const double distance = distance_to_moves();
        gap.dual = 2.0 * lighter - 0.5 * distance * distance / mu;
    } else if (is_scaled) {
        gap.dual = 2.0 * lighter - 2.0 * z.head(n).norm() * distance_to_moves();
    } else {
        gap.dual = 2.0 * lighter -
                   2.0 * size * std::max(0.0, norm_value(problem.norm, image.head(n)) - radius);
    }
    gap.dual = std::max(gap.dual, 0.0);
    return gap;
}

}  // namespace redoubt
