#include "svm/ball_gap.hpp"

#include <algorithm>

#include "svm/hard_margin.hpp"
#include "svm/norm_cone.hpp"
#include "svm/optimal_bias.hpp"

namespace redoubt {

double BallGap::size_of(const VectorRef& w) const {
    const Vector& scale = problem_.threat.scale;
    const Norm norm = dual(problem_.threat.norm);
    return scale.size() == 0 ? norm_value(norm, w) : norm_value(norm, scale.cwiseProduct(w));
}

double BallGap::class_weight(const Vector& a, double label) const {
    return rows_.sum([&](Index begin, Index end) {
        double sum = 0.0;
        for (Index j = begin; j < end; ++j)
            sum += problem_.y[j] == label ? problem_.c[j] * a[j] : 0.0;
        return sum;
    });
}

DualityGap BallGap::measure(double mu, const Vector& z, const Vector& t, const Vector& a) {
    const auto w = z.head(problem_.n());
    const double size = size_of(w);
    // The hinges are those of s = ||S w||_q, whatever s is in z.
    const double excess = problem_.is_robust() ? size - z[rows_.size()] : 0.0;
    DualityGap gap;
    gap.hinge = rows_.sum([&](Index begin, Index end) {
        double sum = 0.0;
        for (Index j = begin; j < end; ++j) {
            const double shift = excess == 0.0 ? 0.0 : problem_.r[j] * excess;
            sum += problem_.c[j] * std::max(0.0, t[j] + shift);
        }
        return sum;
    });
    gap.primal = gap.hinge + 0.5 * mu * w.squaredNorm();

    const double plus = class_weight(a, 1.0);
    const double minus = class_weight(a, -1.0);
    const double lighter = std::min(plus, minus);
    if (lighter <= 0.0) return gap;
    const double share_of_plus = lighter / plus;
    const double share_of_minus = lighter / minus;
    Vector alpha = problem_.c.cwiseProduct(a);
    for (Index j = 0; j < problem_.m; ++j)
        alpha[j] *= problem_.y[j] > 0.0 ? share_of_plus : share_of_minus;
    Vector image(rows_.n_variables());
    rows_.multiply_transposed(alpha, image);
    const auto v = image.head(problem_.n());
    // The plain SVM is the robust one with radius 0, whose ball is the origin in every norm.
    const double radius = problem_.is_robust() ? image[rows_.size()] : 0.0;
    const AttackModel& ball = problem_.threat;
    const bool is_euclidean = mu > 0.0 || ball.scale.size() > 0;
    gap.multipliers = 2.0 * lighter;
    gap.distance = is_euclidean ? distance_to_ball(ball.norm, ball.scale, v, radius)
                                : std::max(0.0, norm_value(ball.norm, v) - radius);
    gap.squared_distance = gap.distance * gap.distance;
    gap.set_dual(mu, is_euclidean ? w.norm() : size);
    return gap;
}

void BallGap::complete(const Vector& w, Vector& z, Vector& t) const {
    const double size = problem_.is_robust() ? size_of(w) : 0.0;
    z.setZero(rows_.n_variables());
    z.head(problem_.n()) = w;
    if (problem_.is_robust()) z[rows_.size()] = size;
    t.resize(problem_.m);
    rows_.multiply(z, t);
    t.array() += 1.0;
    Vector height = Vector::Ones(problem_.m);
    if (problem_.is_robust()) height += size * problem_.r;
    const Vector score = problem_.y.cwiseProduct(height - t);
    const double bias = optimal_bias(score, height, problem_.y, problem_.c);
    z[rows_.bias()] = bias;
    t = height - problem_.y.cwiseProduct((score.array() + bias).matrix());
}

DualityGap BallGap::finish(Hyperplane& plane, const Vector& a, double largest_stretch) {
    Vector z;
    Vector t;
    complete(plane.w, z, t);
    z[rows_.bias()] -= problem_.mean.dot(plane.w);
    rows_.multiply_uncentred(z, t);
    t.array() += 1.0;
    if (largest_stretch > 0.0) {
        z *= stretch_to_margin(t, problem_.c, largest_stretch);
        rows_.multiply_uncentred(z, t);
        t.array() += 1.0;
    }
    plane = {z.head(problem_.n()), z[rows_.bias()]};
    return measure(problem_.mu, z, t, a);
}

}  // namespace redoubt
