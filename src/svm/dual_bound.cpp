#include "redoubt/svm.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "svm/check_data.hpp"
#include "svm/hinge_problem.hpp"
#include "svm/norm_cone.hpp"

namespace redoubt {

SvmBound robust_svm_bound(const SvmData& data, const VectorRef& radii,
                          const RobustSvmSettings& settings, const VectorRef& dual_ratio) {
    settings.check();
    HingeProblem problem(data);
    check_radii(radii, problem.m);
    check_length("dual_ratio", dual_ratio.size(), problem.m);
    check_non_negative("dual_ratio", dual_ratio, 1.0);
    require_dual("attack_model.norm", settings.attack_model.norm);
    settings.attack_model.check_data(data.X, data.y);
    problem.set_threat(settings.attack_model, radii);
    if (!problem.is_ball())
        throw InvalidInput("attack_model", "a ball, scaled or not", "other rules");

    Vector alpha = problem.c.cwiseProduct(dual_ratio) * problem.total_weight;
    double plus = 0.0;
    double minus = 0.0;
    for (Index j = 0; j < problem.m; ++j) (problem.y[j] > 0.0 ? plus : minus) += alpha[j];
    SvmBound bound;
    const double lighter = std::min(plus, minus);
    if (lighter <= 0.0) return bound;
    // Features are centred, which changes nothing as y'alpha = 0 but what rounding leaves of it.
    Vector v = Vector::Zero(problem.n());
    double radius = 0.0;
    for (Index j = 0; j < problem.m; ++j) {
        alpha[j] *= lighter / (problem.y[j] > 0.0 ? plus : minus);
        v += alpha[j] * problem.y[j] * (problem.x(j) - problem.mean);
        if (problem.is_robust()) radius += alpha[j] * problem.r[j];
    }
    const AttackModel& ball = problem.threat;
    const bool is_euclidean = settings.regularization > 0.0 || ball.scale.size() > 0;
    bound.multipliers = 2.0 * lighter;
    bound.distance = is_euclidean ? distance_to_ball(ball.norm, ball.scale, v, radius)
                                  : std::max(0.0, norm_value(ball.norm, v) - radius);
    return bound;
}

}  // namespace redoubt
