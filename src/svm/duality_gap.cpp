#include "svm/duality_gap.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace redoubt {

namespace {

/// l2 distance of v to the ball { ||v||_p <= radius }.
double distance_to_ball(Norm p, const VectorRef& v, double radius) {
    switch (p) {
        case Norm::L2:
            return std::max(0.0, v.norm() - radius);
        case Norm::LInf:
            return (v.cwiseAbs().array() - radius).max(0.0).matrix().norm();
        case Norm::L1:
            break;
    }
    if (v.lpNorm<1>() <= radius) return 0.0;
    // The nearest point is v soft-thresholded by the kappa that brings its l1 norm to the radius.
    std::vector<double> sizes(v.data(), v.data() + v.size());
    for (double& size : sizes) size = std::abs(size);
    std::sort(sizes.begin(), sizes.end(), std::greater<>());
    double sum = -radius;
    double kappa = 0.0;
    for (std::size_t i = 0; i < sizes.size() && (i == 0 || sizes[i] > kappa); ++i) {
        sum += sizes[i];
        kappa = sum / static_cast<double>(i + 1);
    }
    return v.cwiseAbs().cwiseMin(kappa).norm();
}

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
    const double size = norm_value(dual(problem.norm), z.head(n));
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
    if (mu > 0.0) {
        const double distance = distance_to_ball(problem.norm, image.head(n), radius);
        gap.dual = 2.0 * lighter - 0.5 * distance * distance / mu;
    } else {
        gap.dual = 2.0 * lighter -
                   2.0 * size * std::max(0.0, norm_value(problem.norm, image.head(n)) - radius);
    }
    gap.dual = std::max(gap.dual, 0.0);
    return gap;
}

}  // namespace redoubt
