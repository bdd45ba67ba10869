#include "certify/exact_adversary.hpp"

#include <cmath>
#include <limits>

#include "certify/most_fooled.hpp"

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
    // A hair more than the radius: what is found there may be put back onto the edge.
    const double radius = std::nextafter(point.radius * (1.0 + kHair), HUGE_VAL);
    return most_fooled(
        point,
        {[&](Index need) { return flipper_.fool_planes(point.x, point.y, need, radius, limits); },
         [&](Index need, Flip& flip) { return fits(point, need, flip); }, foolable_weight(point)});
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
