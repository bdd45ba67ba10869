#include "svm/duality_gap.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace redoubt {

namespace {

constexpr int kBisections = 100;
constexpr double kTinyShare = 1e-300;

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

/// The point u of the ball { ||u||_p <= radius }, p = 1 or 2, that brings S u nearest to v, for a
/// given multiplier lambda of the ball; its norm falls as lambda grows.
Vector scaled_ball_point(Norm p, const Vector& scale, const VectorRef& v, double lambda) {
    Vector u = Vector::Zero(v.size());
    for (Index l = 0; l < v.size(); ++l) {
        const double s = scale[l];
        if (s == 0.0) continue;
        if (p == Norm::L2) {
            u[l] = s * v[l] / (s * s + lambda);
        } else {
            u[l] = std::copysign(std::max(0.0, std::abs(v[l]) - lambda / s) / s, v[l]);
        }
    }
    return u;
}

/// l2 distance of v to { S u : ||u||_p <= radius }, never less than it really is: that of a point
/// which lies in the set.
double distance_to_scaled_ball(Norm p, const Vector& scale, const VectorRef& v, double radius) {
    if (p == Norm::LInf) return (v.cwiseAbs() - radius * scale).cwiseMax(0.0).norm();
    Vector u = scaled_ball_point(p, scale, v, 0.0);
    const double size = norm_value(p, u);
    if (size > radius) {
        // At the upper end every u_l is below radius / n.
        double low = 0.0;
        double high = scale.cwiseProduct(v.cwiseAbs()).lpNorm<1>();
        if (p == Norm::L2) high /= std::max(radius, high * kTinyShare);
        for (int i = 0; i < kBisections; ++i) {
            const double middle = 0.5 * (low + high);
            const bool is_inside = norm_value(p, scaled_ball_point(p, scale, v, middle)) <= radius;
            (is_inside ? high : low) = middle;
        }
        u = scaled_ball_point(p, scale, v, high);
        const double rest = norm_value(p, u);
        if (rest > radius) u *= radius / rest;
    }
    return (v - scale.cwiseProduct(u)).norm();
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
        return is_scaled
                   ? distance_to_scaled_ball(problem.norm, problem.scale, image.head(n), radius)
                   : distance_to_ball(problem.norm, image.head(n), radius);
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
