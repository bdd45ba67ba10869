#include "attack/exact_adversary.hpp"

#include <algorithm>
#include <cmath>

namespace redoubt {

namespace {

/// Moves are sought up to this share beyond the radius: what lies past it is then proven to do so,
/// and what lies a rounding past it may be put back onto the edge.
constexpr double kBeyond = 1e-9;

/// The weight to ask for next, with `fooled` < it <= `most`.
Index next_weight(bool is_majority, Index fooled, Index most, int n_asked) {
    if (!is_majority && n_asked % 2 == 0) return fooled + 1;
    return fooled + (most - fooled + 1) / 2;
}

}  // namespace

ExactAdversary::ExactAdversary(const ThreatenedVote& vote)
    : threat_(vote), finder_(vote), support_(vote.space()) {}

AdversaryAnswer ExactAdversary::solve(const PointProblem& point, const PointLimits& limits) {
    const Ensemble& ensemble = threat_.ensemble();
    const bool is_majority = ensemble.total_units() == ensemble.n_planes();
    const double cutoff = std::nextafter(point.radius * (1.0 + kBeyond), HUGE_VAL);
    AdversaryAnswer answer;
    answer.status = Status::Optimal;
    answer.d = Vector::Zero(point.x.size());
    Index at_edge = 0;
    Index fooled = weight_of(ensemble, fooled_planes(ensemble, point.x, point.y));
    Index most = std::max(fooled, foolable_weight(point));
    Index required = most;
    int n_asked = 0;
    while (fooled < most) {
        Flip flip = finder_.fool_planes(point.x, point.y, required, cutoff, limits);
        answer.n_nodes += flip.n_nodes;
        const bool is_inside = flip.d.size() > 0 && fits(point, required, flip);
        if (is_inside) {
            answer.d = flip.d;
            fooled = weight_of(ensemble, flip.fooled);
            most = std::max(most, fooled);
        }
        if (flip.status != Status::Optimal) {
            answer.status = flip.status;
            break;
        }
        if (!is_inside) {
            // Proven not to be fooled unless the bound ends at the edge itself.
            if (!(flip.lower > point.radius)) at_edge = std::max(at_edge, required);
            most = required - 1;
        }
        required = next_weight(is_majority, fooled, most, ++n_asked);
    }
    answer.objective = ensemble.weight_unit() * static_cast<double>(fooled);
    answer.bound = ensemble.weight_unit() * static_cast<double>(std::max(most, at_edge));
    // Planes that can be fooled at the very edge only, where no double may lie.
    if (answer.status == Status::Optimal && answer.bound > answer.objective)
        answer.status = Status::NumericalFailure;
    return answer;
}

/// Is the move within the radius? If it is a rounding too long, one that is put back onto the edge
/// and fools as much takes its place, should there be one: on a grid the best move often ends on
/// the edge itself.
bool ExactAdversary::fits(const PointProblem& point, Index required_weight, Flip& flip) const {
    const MoveSpace& space = threat_.space();
    const auto size = [&](const Vector& d) {
        if (space.is_ball) return norm_value(threat_.space().model->norm, d);
        const Vector moved = point.x + d;
        return point.threat.move_size(point.x, moved - point.x);
    };
    const double length = size(flip.d);
    if (length <= point.radius) return true;
    if (!space.is_convex() || space.model->counts()) return false;
    const Vector shorter = flip.d * (point.radius / length);
    for (const Vector& d : {snapped(flip.d), shorter, snapped(shorter)}) {
        const Vector moved = point.x + d;
        if (!(size(d) <= point.radius) || !point.threat.allows(point.x, moved)) continue;
        std::vector<int> fooled = fooled_planes(threat_.ensemble(), moved, point.y);
        if (weight_of(threat_.ensemble(), fooled) < required_weight) continue;
        flip.d = d;
        flip.fooled = std::move(fooled);
        return true;
    }
    return false;
}

/// Planes that a move of this size fools, each for itself; or seems to, up to rounding.
Index ExactAdversary::foolable_weight(const PointProblem& point) {
    const Ensemble& ensemble = threat_.ensemble();
    // What one plane costs is the first thing that the search in l0 looks at.
    if (threat_.counts()) return ensemble.total_units();
    const PlaneSet& planes = threat_.planes().planes;
    const double radius = point.radius * (1.0 + kBeyond);
    support_.load(point.x);
    Index weight = 0;
    Index next = 0;
    for (Index i = 0; i < ensemble.n_planes(); ++i) {
        const auto w = ensemble.coef().row(i).transpose();
        const double b = ensemble.intercept()[i];
        const double margin = point.y * (w.dot(point.x) + b);
        const double magnitude = w.cwiseAbs().dot(point.x.cwiseAbs()) + std::abs(b);
        const bool has_coordinate = next < planes.n_planes() && planes.index(next) == i;
        double reach = 0.0;
        if (threat_.space().has_box) {
            reach = support_.value(-point.y * w, radius);
        } else if (has_coordinate) {
            reach = radius * planes.size()[next] / planes.scale(next);
        }
        if (has_coordinate) ++next;
        const double error =
            margin_error(threat_.planes().n_roundings() + 8.0, magnitude) + kSupportError * std::abs(reach);
        weight += margin - error <= reach ? ensemble.weight_units(i) : 0;
    }
    return weight;
}

}  // namespace redoubt
