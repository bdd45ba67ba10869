#include <cmath>
#include <limits>

#include "attack/adversary.hpp"

namespace redoubt {

namespace {

double fooled_weight(const PointProblem& point, const Vector& d) {
    const Vector moved = point.x + d;
    const Matrix& W = point.ensemble.coef();
    std::int64_t fooled = 0;
    for (Index i = 0; i < W.rows(); ++i) {
        if (sign_of_plane(W.row(i).transpose(), point.ensemble.intercept()[i], moved) != point.y)
            fooled += point.ensemble.weight_units(i);
    }
    return point.ensemble.weight_unit() * static_cast<double>(fooled);
}

}  // namespace

AdversaryAnswer heuristic_adversary(const PointProblem& point, HeuristicRule rule) {
    const Matrix& W = point.ensemble.coef();
    const double y = point.y;
    Vector beta(W.rows());
    for (Index i = 0; i < W.rows(); ++i) {
        const double margin = y * (W.row(i).dot(point.x) + point.ensemble.intercept()[i]);
        beta[i] = 1.0 + margin > 0.0 ? point.ensemble.weight(i) * (1.0 + margin) : 0.0;
    }
    const double sum = beta.sum();
    Vector g = Vector::Zero(W.cols());
    if (sum > 0.0) g.noalias() = W.transpose() * (beta / sum);

    AdversaryAnswer answer;
    answer.bound = std::numeric_limits<double>::infinity();
    answer.status = g.allFinite() ? Status::Optimal : Status::NumericalFailure;
    if (!g.allFinite()) g.setZero();
    const bool is_published = rule == HeuristicRule::Published;
    const double radius = is_published && point.norm == Norm::L2 ? 1.0 : point.radius;
    if (!is_published) g *= -y;
    answer.d = radius > 0.0 ? steepest_step(point.norm, g, radius) : Vector::Zero(W.cols());
    while (norm_value(point.norm, answer.d) > radius) {
        answer.d *= 1.0 - std::numeric_limits<double>::epsilon();
    }
    answer.objective = fooled_weight(point, answer.d);
    return answer;
}

}  // namespace redoubt
