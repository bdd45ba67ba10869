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

ExactAdversary::ExactAdversary(const Ensemble& ensemble, const PlaneSet& planes)
    : ensemble_(ensemble), planes_(planes), flipper_(ensemble, planes) {}

AdversaryAnswer ExactAdversary::solve(const PointProblem& point, const PointLimits& limits) {
    AdversaryAnswer answer;
    answer.status = Status::Optimal;
    answer.d = Vector::Zero(point.x.size());
    Index n_at_edge = 0;
    auto n_fooled = static_cast<Index>(fooled_planes(ensemble_, point.x, point.y).size());
    // `most` planes and no more can be fooled: at first those that can be fooled alone. Asking for
    // all of them at once settles the ordinary case, where few planes are within reach or all are.
    Index most = std::max(n_fooled, n_foolable(point));
    Index need = most;
    // A hair more than the radius: what is found there may be put back onto the edge.
    const double radius = std::nextafter(point.radius * (1.0 + kHair), HUGE_VAL);
    while (n_fooled < most) {
        Flip flip = flipper_.fool_planes(point.x, point.y, need, radius, limits);
        answer.n_nodes += flip.n_nodes;
        const bool is_inside = flip.d.size() > 0 && fits(point, need, flip);
        if (is_inside) {
            answer.d = flip.d;
            n_fooled = static_cast<Index>(flip.fooled.size());
            most = std::max(most, n_fooled);
        }
        if (flip.status != Status::Optimal) {
            answer.status = flip.status;
            break;
        }
        if (!is_inside) {
            // Not fooled within the ball; proven so unless the bound ends at the edge itself.
            if (!(flip.lower > point.radius)) n_at_edge = std::max(n_at_edge, need);
            most = need - 1;
        }
        need = n_fooled + (most - n_fooled + 1) / 2;
    }
    answer.objective = static_cast<double>(n_fooled);
    answer.bound = static_cast<double>(std::max(most, n_at_edge));
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
        if (static_cast<Index>(fooled.size()) < need) continue;
        flip.d = d;
        flip.fooled = std::move(fooled);
        return true;
    }
    return false;
}

/// Planes that a step within the ball fools, each for itself; or seems to, up to rounding.
Index ExactAdversary::n_foolable(const PointProblem& point) {
    margins_.compute(planes_, point.x, point.y, 1.0);
    Index count = planes_.n_constant(-point.y);
    for (Index i = 0; i < planes_.n_planes(); ++i) {
        count += margins_.floor[i] <= point.radius * planes_.size()[i] * kRoundingRoom ? 1 : 0;
    }
    return count;
}

AdversaryAnswer exact_adversary(const PointProblem& point, const PointLimits& limits) {
    const PlaneSet planes(point.ensemble, point.norm);
    return ExactAdversary(point.ensemble, planes).solve(point, limits);
}

}  // namespace redoubt
