#include "search/box_vertex_nodes.hpp"

#include <algorithm>
#include <cmath>

#include "core/rounding.hpp"
#include "search/box_bound.hpp"

namespace redoubt {

namespace {

constexpr int kMaxRestarts = 3;
/// Rounds in which a level may grow past ends of features; ordinary vertices take one.
constexpr int kMaxLevelRounds = 100;

}  // namespace

BoxVertexNodes::BoxVertexNodes(const PlaneSet& planes)
    : VertexBasis(planes),
      follow_(planes.n_features()),
      settled_(planes.n_features()),
      single_(static_cast<std::size_t>(planes.n_planes())) {
    if (is_linf()) return;
    steepest_.resize(single_.size());
    for (std::size_t i = 0; i < steepest_.size(); ++i) {
        const auto w = planes.W().row(static_cast<Index>(i));
        for (Index l = 0; l < w.size(); ++l) {
            if (w[l] != 0.0) steepest_[i].push_back(static_cast<int>(l));
        }
        std::sort(steepest_[i].begin(), steepest_[i].end(), [&](int l, int m) {
            const double left = std::abs(w[l]);
            const double right = std::abs(w[m]);
            return left > right || (left == right && l < m);
        });
    }
}

void BoxVertexNodes::load(const PointMargins& margins) {
    margins_ = &margins;
    origin_ = margins.lo.cwiseMax(0.0) + margins.hi.cwiseMin(0.0);
    base_ = norm_value(planes_.norm(), origin_);
    goal_from_ = margins.goal;
    if (base_ > 0.0) goal_from_ -= planes_.W() * origin_;
    if (is_linf()) {
        goal_ = margins.goal;
        lo_ = margins.lo;
        hi_ = margins.hi;
    } else {
        goal_ = goal_from_;
        lo_ = margins.lo - origin_;
        hi_ = margins.hi - origin_;
    }
    for (Index j = 0; j < planes_.n_planes(); ++j) look_at_plane(j);
}

void BoxVertexNodes::root(NodeState& state) const {
    clear(state);
    state.e = origin_;
    state.level = 0.0;
    state.distance = base_;
    state.proven = base_ * (1.0 - static_cast<double>(origin_.size() + 8) * kEps);
    state.is_exact = true;
    state.by = {};
}

void BoxVertexNodes::add(const NodeState& parent, int i, double cutoff, NodeState& child) {
    child = parent;
    child.members.push_back(i);
    child.is_exact = false;
    bool is_possible = true;
    if (child.active.empty() || is_far_beyond(parent, i)) is_possible = start_with(i, child);
    int n_restarts = 0;
    for (int n_pivots = 0; is_possible && n_pivots < kMaxPivots; ++n_pivots) {
        if (!solve_vertex(child)) {
            // A basis that has become singular on the way.
            if (n_restarts == kMaxRestarts) return;
            is_possible = restart(n_restarts++, child);
            continue;
        }
        if (child.distance >= cutoff) break;
        const double tolerance = kVertexTolerance * std::max(child.distance, child.level);
        const Violation violation = find_violation(child, n_restarts > 1 ? tolerance : HUGE_VAL);
        child.is_exact = violation.measure <= tolerance;
        if (child.is_exact) return;
        find_direction(child, violation);
        const Step step = find_step(child, violation);
        follow(child, violation, step);
        is_possible = pivot(violation, step, child);
    }
    if (is_possible) {
        prove(child);
        return;
    }
    // No point reaches all goals, by the multipliers at the end of the last step.
    raise_proven_of_end(HUGE_VAL, child.proven, child.by);
    child.distance = HUGE_VAL;
}

/// linf: steps are measured by the level so far. From a plane that all but passes through the point
/// to one that is far away they would lose all digits: better begin with the far one.
bool BoxVertexNodes::is_far_beyond(const NodeState& state, int i) const {
    return is_linf() && goal_from_[i] > kFarBeyond * state.level * planes_.size()[i];
}

/// Point, multipliers and g of the vertex that `active`, `basis`, `sign` and `level` describe.
bool BoxVertexNodes::solve_vertex(NodeState& state) {
    if (!is_linf()) return solve_once(state);
    bool is_done = false;
    for (int round = 0; round < kMaxLevelRounds && !is_done; ++round) {
        const double before = state.level;
        if (!solve_once(state)) return false;
        if (is_settled(state)) break;
        // The multipliers are right but for their size; the level follows from them.
        double value = 0.0;
        for (std::size_t j = 0; j < state.active.size(); ++j)
            value += state.lambda[j] * goal_[state.active[j]];
        for (int l : state.basis) g_[l] = 0.0;
        const double level = level_of(g_, value, std::min(before, state.level));
        if (!(level < HUGE_VAL)) return false;
        is_done = level <= before * (1.0 + 4.0 * kEps);
        if (!is_done) state.level = level;
    }
    state.distance = std::max(state.level, state.distance);
    return true;
}

bool BoxVertexNodes::solve_once(NodeState& state) {
    const std::size_t p = state.active.size();
    const std::size_t n_basic = state.basis.size();
    settle(state);
    right_.resize(p);
    for (std::size_t j = 0; j < p; ++j)
        right_[j] = goal_[state.active[j]] - planes_.W().row(state.active[j]).dot(settled_);
    if (!solve_system(follow_, state)) return false;
    if (is_linf()) {
        state.level = coefficients_[p - 1];
        state.e = state.level * follow_ + settled_;
        for (std::size_t c = 0; c < n_basic; ++c) state.e[state.basis[c]] = coefficients_[c];
        return true;
    }
    double size = base_ + settled_.lpNorm<1>();
    state.e = settled_ + origin_;
    for (std::size_t c = 0; c < n_basic; ++c) {
        const int l = state.basis[c];
        state.e[l] = coefficients_[c] + origin_[l];
        size += state.sign[l] * coefficients_[c];
    }
    state.distance = std::max(size, state.distance);
    return true;
}

/// The worst; but the newest plane that is violated by more than `enough`, if one is: another way
/// to the same vertex, where the worst ones have led to a singular basis.
BoxVertexNodes::Violation BoxVertexNodes::find_violation(const NodeState& state,
                                                         double enough) const {
    Violation worst;
    for (std::size_t m = state.members.size(); m-- > 0;) {
        const int i = state.members[m];
        if (std::find(state.active.begin(), state.active.end(), i) != state.active.end()) continue;
        const double amount = margins_->goal[i] - planes_.W().row(i).dot(state.e);
        const double measure = amount / planes_.size()[i];
        if (measure > worst.measure) worst = {i, 0, 0.0, amount, measure};
        if (worst.measure > enough) break;
    }
    for (std::size_t c = 0; c < state.basis.size(); ++c) {
        const int l = state.basis[c];
        const double value = coefficients_[c];
        double above = 0.0;
        double below = 0.0;
        double side = 1.0;
        if (is_linf()) {
            above = value - clip(l, state.level);
            below = clip(l, -state.level) - value;
        } else {
            side = state.sign[l];
            above = side * value - room(l, side);
            below = -side * value;
        }
        if (above > worst.measure) worst = {-1, c, side, above, above};
        if (below > worst.measure) worst = {-1, c, -side, below, below};
    }
    return worst;
}

void BoxVertexNodes::find_direction(const NodeState& state, const Violation& violation) {
    solve_direction(follow_, state, violation);
    share_ = 0.0;
    if (!is_linf()) return;
    // lambda'goal (as seen from the box's point nearest to 0) stays what it is.
    double rise = violation.plane >= 0 ? goal_from_[violation.plane] : 0.0;
    double value = 0.0;
    for (std::size_t j = 0; j < state.active.size(); ++j) {
        rise += lambda_direction_[j] * goal_from_[state.active[j]];
        value += state.lambda[j] * goal_from_[state.active[j]];
    }
    if (!(rise > 0.0 && value > 0.0)) return;
    share_ = rise / value;
    take_off(share_, state);
}

void BoxVertexNodes::prepare(const NodeState& state) {
    if (state.active.empty()) return;
    prepared_ = state;
    solve_vertex(prepared_);
}

double BoxVertexNodes::bound(const NodeState& state, int j, double slack, double /*cutoff*/) {
    last_bound_ = find_bound(state, j, slack);
    return last_bound_;
}

double BoxVertexNodes::find_bound(const NodeState& state, int j, double slack) {
    if (state.active.empty() || is_far_beyond(state, j)) {
        end_planes_.assign(1, j);
        end_lambda_.assign(1, single_[static_cast<std::size_t>(j)].lambda);
        ray_.clear();
        return quick_bound(state, j, slack);
    }
    const Violation violation{j, 0, 0.0, -slack, 0.0};
    find_direction(prepared_, violation);
    const Step step = find_step(prepared_, violation);
    follow(prepared_, violation, step);
    if (step.length == HUGE_VAL) return HUGE_VAL;
    if (is_linf()) {
        if (step.entering >= 0) end_g_[step.entering] = 0.0;
        return std::max(state.distance,
                        level_of(end_g_, end_value(), std::max(0.0, prepared_.level)));
    }
    double rise = -slack * step.length;
    for (std::size_t i = 0; i < n_passed_; ++i)
        rise -= breakpoints_[i].weight * (step.length - breakpoints_[i].step);
    return prepared_.distance + rise;
}

double BoxVertexNodes::proven_of_bound(const NodeState& state) {
    double proven = state.proven;
    if (is_recorded_) last_by_ = state.by;
    raise_proven_of_end(last_bound_, proven, last_by_);
    return proven;
}

/// A step without an end leads past multipliers that may prove more.
void BoxVertexNodes::raise_proven_of_end(double hint, double& proven, Refutation& by) {
    raise_proven(end_planes_, end_lambda_, hint, proven, by);
    if (hint < HUGE_VAL || ray_.size() != end_planes_.size()) return;
    for (const std::vector<double>* ray : {&ray_, &full_ray_}) {
        if (proven < HUGE_VAL) raise_proven(end_planes_, *ray, hint, proven, by);
    }
}

void BoxVertexNodes::prove(NodeState& state) {
    // A solve that was given up on its way to a vertex has no multipliers for it.
    if (state.lambda.size() != state.active.size()) return;
    raise_proven(state.active, state.lambda, is_linf() ? state.level : state.distance, state.proven,
                 state.by);
}

void BoxVertexNodes::raise_proven(const std::vector<int>& planes, const std::vector<double>& lambda,
                                  double hint, double& proven, Refutation& by) {
    sum_end(planes, lambda);
    const double bound = proven_in_box(planes_, *margins_, planes, lambda, end_g_, hint);
    if (is_recorded_ && bound > proven) by.set(planes, lambda);
    proven = std::max(proven, bound);
}

double BoxVertexNodes::proven_by(const std::vector<int>& planes,
                                 const std::vector<double>& lambda) {
    double proven = 0.0;
    raise_proven(planes, lambda, HUGE_VAL, proven, last_by_);
    return proven;
}

double BoxVertexNodes::quick_bound(const NodeState& state, int j, double) const {
    return std::max(state.distance, single_[static_cast<std::size_t>(j)].distance);
}

double BoxVertexNodes::quick_proven(const NodeState& state, int j, double) {
    end_planes_.assign(1, j);
    end_lambda_.assign(1, single_[static_cast<std::size_t>(j)].lambda);
    double proven = state.proven;
    if (is_recorded_) last_by_ = state.by;
    raise_proven(end_planes_, end_lambda_, single_[static_cast<std::size_t>(j)].distance, proven,
                 last_by_);
    return proven;
}

}  // namespace redoubt
