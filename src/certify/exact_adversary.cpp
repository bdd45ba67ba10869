#include "certify/exact_adversary.hpp"

#include <cmath>
#include <limits>

namespace redoubt {

ExactAdversary::ExactAdversary(const Ensemble& ensemble, const PlaneSet& planes)
    : ensemble_(ensemble), planes_(planes), flipper_(ensemble, planes) {}

AdversaryAnswer ExactAdversary::solve(const PointProblem& point, const PointLimits& limits) {
    AdversaryAnswer answer;
    answer.status = Status::Optimal;
    answer.d = Vector::Zero(point.x.size());
    auto n_fooled = static_cast<Index>(fooled_planes(ensemble_, point.x, point.y).size());
    // Planes that answer y whatever the point cannot be fooled.
    const Index most = ensemble_.n_planes() - planes_.n_constant(point.y);
    Index bound = n_fooled;
    const double radius = std::nextafter(point.radius, HUGE_VAL);
    while (n_fooled < most) {
        const Flip flip = flipper_.fool_planes(point.x, point.y, n_fooled + 1, radius, limits);
        answer.n_nodes += flip.n_nodes;
        const bool is_inside = flip.d.size() > 0 && norm_value(point.norm, flip.d) <= point.radius;
        if (is_inside) {
            answer.d = flip.d;
            n_fooled = static_cast<Index>(flip.fooled.size());
            bound = n_fooled;
        }
        if (flip.status != Status::Optimal) {
            answer.status = flip.status;
            bound = most;
            break;
        }
        if (!is_inside) {
            // Not fooled within the ball; proven so unless the bound ends at the edge itself.
            bound = flip.lower > point.radius ? n_fooled : n_fooled + 1;
            break;
        }
    }
    answer.objective = static_cast<double>(n_fooled);
    answer.bound = static_cast<double>(bound);
    return answer;
}

AdversaryAnswer exact_adversary(const PointProblem& point, const PointLimits& limits) {
    const PlaneSet planes(point.ensemble, point.norm);
    return ExactAdversary(point.ensemble, planes).solve(point, limits);
}

}  // namespace redoubt
