#include "certify/exact_adversary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace redoubt {

namespace {

/// Products of a radius and a size round by less than this.
constexpr double kRoundingRoom = 1.0 + 8.0 * std::numeric_limits<double>::epsilon();

/// Goals lie this much beyond the planes at most, relative to the step.
constexpr double kHair = 1e-11;

}  // namespace

Index next_weight(bool is_majority, Index fooled, Index most, int n_asked) {
    if (!is_majority && n_asked % 2 == 0) return fooled + 1;
    return fooled + (most - fooled + 1) / 2;
}

ExactAdversary::ExactAdversary(const Ensemble& ensemble, const PlaneSet& planes)
    : ensemble_(ensemble), planes_(planes), flipper_(ensemble, planes) {}

AdversaryAnswer ExactAdversary::solve(const PointProblem& point, const PointLimits& limits) {
    AdversaryAnswer answer;
    answer.status = Status::Optimal;
    answer.d = Vector::Zero(point.x.size());
    Index at_edge = 0;
    Index fooled = weight_of(ensemble_, fooled_planes(ensemble_, point.x, point.y));
    // Planes of weight `most` and no more can be fooled: at first those that can be fooled alone.
    // Asking for all of them at once settles the ordinary case, where few planes are within reach
    // or all are.
    Index most = std::max(fooled, foolable_weight(point));
    Index need = most;
    int n_asked = 0;
    // A hair more than the radius: what is found there may be put back onto the edge.
    const double radius = std::nextafter(point.radius * (1.0 + kHair), HUGE_VAL);
    while (fooled < most) {
        Flip flip = flipper_.fool_planes(point.x, point.y, need, radius, limits);
        answer.n_nodes += flip.n_nodes;
        const bool is_inside = flip.d.size() > 0 && fits(point, need, flip);
        if (is_inside) {
            answer.d = flip.d;
            fooled = weight_of(ensemble_, flip.fooled);
            most = std::max(most, fooled);
        }
        if (flip.status != Status::Optimal) {
            answer.status = flip.status;
            break;
        }
        if (!is_inside) {
            // Not fooled within the ball; proven so unless the bound ends at the edge itself.
            if (!(flip.lower > point.radius)) at_edge = std::max(at_edge, need);
            most = need - 1;
        }
        need = next_weight(planes_.is_majority(), fooled, most, ++n_asked);
    }
    answer.objective = ensemble_.weight_unit() * static_cast<double>(fooled);
    answer.bound = ensemble_.weight_unit() * static_cast<double>(std::max(most, at_edge));
    // Planes that can be fooled at the very edge only, where no double may lie.
    if (answer.status == Status::Optimal && answer.bound > answer.objective)
        answer.status = Status::NumericalFailure;
    return answer;
}

/// Is the step within the ball? If it is a hair too long, a shorter one that fools as many planes
/// takes its place, should there be one: on a grid the best step often ends on the edge itself.
bool ExactAdversary::fits(const PointProblem& point, Index need, Flip& flip) const {
    const double length = norm_value(point.norm, flip.d);
    if (length <= point.radius) return true;
    const Vector shorter = flip.d * (point.radius / length);
    for (const Vector& d : {snapped(flip.d), shorter, snapped(shorter)}) {
        if (!(norm_value(point.norm, d) <= point.radius)) continue;
        std::vector<int> fooled = fooled_planes(ensemble_, point.x + d, point.y);
        if (weight_of(ensemble_, fooled) < need) continue;
        flip.d = d;
        flip.fooled = std::move(fooled);
        return true;
    }
    return false;
}

/// Planes that a step within the ball fools, each for itself; or seems to, up to rounding.
Index ExactAdversary::foolable_weight(const PointProblem& point) {
    margins_.compute(planes_, point.x, point.y, 1.0);
    Index weight = planes_.constant_weight(-point.y);
    for (Index i = 0; i < planes_.n_planes(); ++i) {
        const double reach = point.radius * planes_.size()[i] * kRoundingRoom;
        weight += margins_.floor[i] <= reach ? planes_.weight(i) : 0;
    }
    return weight;
}

AdversaryAnswer exact_adversary(const PointProblem& point, const PointLimits& limits) {
    const PlaneSet planes(point.ensemble, point.norm);
    return ExactAdversary(point.ensemble, planes).solve(point, limits);
}

}  // namespace redoubt
