#include <cmath>
#include <limits>

#include "attack/adversary.hpp"
#include "flip/flip.hpp"
#include "redoubt/error.hpp"
#include "threat/support.hpp"

namespace redoubt {

void check_rule(HeuristicRule rule, const AttackModel& threat) {
    if (rule == HeuristicRule::Corrected || threat.is_plain()) return;
    throw InvalidInput("rule", "'corrected' with an attack model", "'published'");
}

void fit_into_ball(Norm norm, double radius, Vector& d) {
    while (norm_value(norm, d) > radius) d *= 1.0 - std::numeric_limits<double>::epsilon();
}

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
    const Norm norm = point.threat.norm;
    const double radius = is_published && norm == Norm::L2 ? 1.0 : point.radius;
    if (!is_published) g *= -y;
    const MoveSpace space(point.threat, point.x.size());
    Support support(space);
    support.load(point.x);
    answer.d = radius > 0.0 ? support.maximise(g, radius) : Vector::Zero(W.cols());
    if (space.is_ball) fit_into_ball(norm, radius, answer.d);
    answer.objective =
        point.ensemble.weight_unit() *
        static_cast<double>(
            weight_of(point.ensemble, fooled_planes(point.ensemble, point.x + answer.d, point.y)));
    return answer;
}

}  // namespace redoubt
