#include "search/vertex_nodes.hpp"

#include <algorithm>
#include <cmath>

#include "core/rounding.hpp"
#include "linalg/kernels.hpp"
#include "search/breakpoints.hpp"
#include "search/dual_bound.hpp"

namespace redoubt {

void VertexNodes::root(NodeState& state) const {
    clear(state);
    state.e.setZero(planes_.n_features());
    state.distance = 0.0;
    state.proven = 0.0;
    state.by = {};
}

void VertexNodes::add(const NodeState& parent, int i, double cutoff, NodeState& child) {
    child = parent;
    child.members.push_back(i);
    child.is_exact = false;
    if (child.active.empty() || is_far_beyond(parent, i)) start_with(i, child);
    int n_restarts = 0;
    for (int n_pivots = 0; n_pivots < kMaxPivots; ++n_pivots) {
        if (!solve_vertex(child)) {
            // A basis that has become singular on the way.
            if (!restart(n_restarts++, child)) return;
            continue;
        }
        if (child.distance >= cutoff) break;
        const Violation violation = find_violation(child);
        child.is_exact = violation.measure <= kVertexTolerance * child.distance;
        if (child.is_exact) return;
        find_direction(child, violation);
        bool is_feasible = true;
        const Step step = find_step(child, violation, is_feasible);
        if (!is_feasible) {
            follow(child, violation, step);
            raise_proven(end_planes_, end_lambda_, child.proven, child.by);
            if (is_ray() || child.proven >= cutoff) {
                child.distance = HUGE_VAL;
                return;
            }
            // Ties have led to a step without an end that proves nothing.
            if (!restart(n_restarts++, child)) return;
            continue;
        }
        pivot(violation, step, child);
    }
    prove(child);
}

/// linf: steps are measured by the distance so far. From a plane that all but passes through the
/// point to one that is far away they would lose all digits: better begin with the far one.
bool VertexNodes::is_far_beyond(const NodeState& state, int i) const {
    return is_linf() && margins_->goal[i] > kFarBeyond * state.distance * planes_.size()[i];
}

/// Begins again from one plane; false after three times.
bool VertexNodes::restart(int n_restarts, NodeState& state) {
    start_with(restart_plane(n_restarts, margins_->goal, state.members), state);
    return n_restarts < 3;
}

/// Do the multipliers at the end of the step, as raise_proven has left them, cancel?
bool VertexNodes::is_ray() const {
    double weight = 0.0;
    for (std::size_t j = 0; j < end_planes_.size(); ++j)
        weight += end_lambda_[j] * planes_.size()[end_planes_[j]];
    return norm_value(dual(planes_.norm()), end_g_) <= kVertexTolerance * weight;
}

/// The vertex of one plane: linf moves every feature to its side, l1 only the steepest one.
void VertexNodes::start_with(int i, NodeState& state) {
    state.active.assign(1, i);
    state.basis.clear();
    if (is_linf()) {
        take_sides(i, state);
        return;
    }
    const auto w = planes_.W().row(i);
    Index steepest = 0;
    w.cwiseAbs().maxCoeff(&steepest);
    state.sign.setZero();
    state.sign[steepest] = w[steepest] < 0.0 ? -1.0 : 1.0;
    state.basis.assign(1, static_cast<int>(steepest));
}

/// Point, multipliers and g of the vertex that `active`, `basis` and `sign` describe.
bool VertexNodes::solve_vertex(NodeState& state) {
    const std::size_t p = state.active.size();
    right_.resize(p);
    for (std::size_t j = 0; j < p; ++j) right_[j] = margins_->goal[state.active[j]];
    if (!solve_system(state.sign, state)) return false;
    double value = 0.0;
    if (is_linf()) {
        value = coefficients_[p - 1];
        state.e = value * state.sign;
    } else {
        for (std::size_t j = 0; j < p; ++j) value += state.lambda[j] * right_[j];
        state.e.setZero();
    }
    state.distance = std::max(value, state.distance);
    for (std::size_t c = 0; c < state.basis.size(); ++c) state.e[state.basis[c]] = coefficients_[c];
    return true;
}

VertexNodes::Violation VertexNodes::find_violation(const NodeState& state) const {
    Violation worst;
    const double t = state.distance;
    for (int i : state.members) {
        if (std::find(state.active.begin(), state.active.end(), i) != state.active.end()) continue;
        const double amount = margins_->goal[i] - planes_.W().row(i).dot(state.e);
        const double measure = amount / planes_.size()[i];
        if (measure > worst.measure) worst = {i, 0, 0.0, amount, measure};
    }
    for (std::size_t c = 0; c < state.basis.size(); ++c) {
        const double value = state.e[state.basis[c]];
        const double sign = state.sign[state.basis[c]];
        const double amount = is_linf() ? std::abs(value) - t : -sign * value;
        const double side = is_linf() ? (value < 0.0 ? -1.0 : 1.0) : -sign;
        if (amount > worst.measure) worst = {-1, c, side, amount, amount};
    }
    return worst;
}

void VertexNodes::find_direction(const NodeState& state, const Violation& violation) {
    solve_direction(state.sign, state, violation);
    // That direction keeps ||g||_1 for small steps and lets lambda'goal grow; now ||g||_1 falls.
    if (is_linf()) take_off(violation.amount / state.distance, state);
}

/// The direction ends where a multiplier reaches 0 or a feature its limit, whichever comes first.
/// If nothing ends it, or g is zero where it ends, no point reaches all goals.
VertexNodes::Step VertexNodes::find_step(const NodeState& state, const Violation& violation,
                                         bool& is_feasible) {
    Step step = step_to_leaving(state);
    find_entering(state, violation, step);
    const bool has_end = step.entering >= 0 || step.leaving < state.active.size();
    is_feasible = has_end && !(is_linf() && cancels(state, violation, step));
    return step;
}

/// linf: is g zero at the end of the step? It is when all live features are basic then, and sooner
/// where planes depend on few of them.
bool VertexNodes::cancels(const NodeState& state, const Violation& violation,
                          const Step& step) const {
    const std::size_t n_basic = state.basis.size() + (violation.plane >= 0 ? 1 : 0);
    if (step.entering >= 0 && static_cast<Index>(n_basic) == planes_.n_live_features()) return true;
    const double length = step.length;
    double weight = violation.plane >= 0 ? length * planes_.size()[violation.plane] : 0.0;
    for (std::size_t j = 0; j < state.active.size(); ++j) {
        const double lambda = state.lambda[j] + length * lambda_direction_[j];
        weight += std::max(0.0, lambda) * planes_.size()[state.active[j]];
    }
    return kernels::sum_of_sizes(g_.data(), g_direction_.data(), length, g_.size()) <=
           kVertexTolerance * weight;
}

/// Shortens the step to the feature that ends it, if one does. In linf the features passed on the
/// way are noted: they change side.
void VertexNodes::find_entering(const NodeState& state, const Violation& violation, Step& step) {
    flipped_.clear();
    const double least = kVertexTolerance * g_direction_.lpNorm<Eigen::Infinity>();
    const Index n = g_direction_.size();
    const double* rate = g_direction_.data();
    double* ratio = ratio_.data();
    const kernels::RatioTest test{g_.data(), rate, least, n};
    if (is_linf()) {
        kernels::ratios_to_zero(test, state.sign.data(), ratio);
    } else {
        kernels::ratios_to_one(test, ratio);
        const std::size_t own = violation.plane < 0 ? violation.basic : state.basis.size();
        for (std::size_t c = 0; c < state.basis.size(); ++c) {
            if (c != own) ratio[state.basis[c]] = HUGE_VAL;
        }
    }
    breakpoints_.clear();
    for (Index l = 0; l < n; ++l) {
        if (ratio[l] < step.length) {
            breakpoints_.push_back({ratio[l], std::abs(rate[l]), static_cast<int>(l)});
        }
    }
    if (breakpoints_.empty()) return;
    // linf: per unit of the step t ||g||_1 falls by the violated amount, and by 2 t rate less for
    // every g_l that has changed side.
    const std::size_t at = is_linf()
                               ? use_up_slope(0.5 * violation.amount / state.distance, breakpoints_,
                                              [](const Breakpoint& point) { return point.rate; })
                               : first_breakpoint();
    for (std::size_t i = 0; i < at; ++i) flipped_.push_back(breakpoints_[i].feature);
    if (at == breakpoints_.size()) return;
    step.entering = breakpoints_[at].feature;
    step.side = is_linf() ? 0.0 : (rate[step.entering] > 0.0 ? 1.0 : -1.0);
    step.length = breakpoints_[at].step;
}

/// Moves the nearest breakpoint to the front.
std::size_t VertexNodes::first_breakpoint() {
    std::iter_swap(breakpoints_.begin(),
                   std::min_element(breakpoints_.begin(), breakpoints_.end()));
    return 0;
}

/// Goes to the vertex at the end of the step.
void VertexNodes::pivot(const Violation& violation, const Step& step, NodeState& state) {
    for (int l : flipped_) state.sign[l] *= -1.0;
    if (violation.plane < 0)
        state.sign[state.basis[violation.basic]] = is_linf() ? violation.side : 0.0;
    exchange(violation, step, state);
}

/// The multipliers at the end of the step; of an endless one, its direction. Where no point reaches
/// all goals they have g = 0 and lambda'goal > 0, and their bound says how sure that is.
void VertexNodes::follow(const NodeState& state, const Violation& violation, const Step& step) {
    const bool is_endless = step.length == HUGE_VAL;
    end_planes_ = state.active;
    end_lambda_.resize(state.lambda.size());
    for (std::size_t j = 0; j < end_lambda_.size(); ++j) {
        const double value = is_endless ? lambda_direction_[j]
                                        : state.lambda[j] + step.length * lambda_direction_[j];
        end_lambda_[j] = std::max(0.0, value);
    }
    if (violation.plane >= 0) {
        end_planes_.push_back(violation.plane);
        end_lambda_.push_back(is_endless ? 1.0 : step.length);
    }
}

bool VertexNodes::move_straight(Index required_weight, double cutoff, NodeState& state) {
    if (is_linf()) return false;
    const auto move = straight_.best(margins_->goal, required_weight, cutoff,
                                     [](Index, double) { return HUGE_VAL; });
    if (!move) return false;
    state.active.assign(1, move->plane);
    state.lambda.assign(1, 1.0 / move->speed);
    state.distance = move->length;
    state.e.setZero(planes_.n_features());
    state.e[move->feature] = move->side * move->length;
    return true;
}

void VertexNodes::prepare(const NodeState& state) {
    if (state.active.empty()) return;
    prepared_ = state;
    solve_vertex(prepared_);
}

double VertexNodes::bound(const NodeState& state, int j, double slack, double cutoff) {
    if (state.active.empty() || is_far_beyond(state, j)) {
        end_planes_.assign(1, j);
        end_lambda_.assign(1, 1.0);
        return margins_->goal[j] / planes_.size()[j];
    }
    const Violation violation{j, 0, 0.0, -slack, 0.0};
    find_direction(prepared_, violation);
    bool is_feasible = true;
    const Step step = find_step(prepared_, violation, is_feasible);
    follow(prepared_, violation, step);
    if (!is_feasible) {
        double proven = 0.0;
        raise_proven(end_planes_, end_lambda_, proven, last_by_);
        return is_ray() || proven >= cutoff ? HUGE_VAL : prepared_.distance;
    }
    if (!is_linf()) return prepared_.distance - step.length * slack;
    return prepared_.distance /
           kernels::sum_of_sizes(g_.data(), g_direction_.data(), step.length, g_.size());
}

double VertexNodes::proven_of_bound(const NodeState& state) {
    double proven = state.proven;
    if (is_recorded_) last_by_ = state.by;
    raise_proven(end_planes_, end_lambda_, proven, last_by_);
    return proven;
}

void VertexNodes::prove(NodeState& state) {
    // A solve that was given up on its way to a vertex has no multipliers for it.
    if (state.lambda.size() != state.active.size()) return;
    raise_proven(state.active, state.lambda, state.proven, state.by);
}

void VertexNodes::raise_proven(const std::vector<int>& planes, const std::vector<double>& lambda,
                               double& proven, Refutation& by) {
    sum_end(planes, lambda);
    const double terms =
        static_cast<double>(planes_.n_features()) + static_cast<double>(lambda.size()) + 8.0;
    double norm = norm_value(dual(planes_.norm()), end_g_) * (1.0 + terms * kEps);
    if (!is_linf()) {
        // Features that are not here may be steeper.
        double elsewhere = 0.0;
        for (std::size_t j = 0; j < planes.size(); ++j)
            elsewhere += lambda[j] * planes_.largest_elsewhere(planes[j]);
        norm = std::max(norm, elsewhere * (1.0 + terms * kEps));
    }
    const double bound =
        proven_bound(planes, lambda, margins_->floor, planes_.size(), norm, terms * kEps);
    if (is_recorded_ && bound > proven) by.set(planes, lambda);
    proven = std::max(proven, bound);
}

double VertexNodes::proven_by(const std::vector<int>& planes, const std::vector<double>& lambda) {
    double proven = 0.0;
    raise_proven(planes, lambda, proven, last_by_);
    return proven;
}

double VertexNodes::quick_bound(const NodeState& state, int j, double) const {
    return std::max(state.distance, margins_->goal[j] / planes_.size()[j]);
}

void VertexNodes::refute_quickly(const NodeState& state, int j, double slack) {
    if (quick_proven(state, j, slack) <= state.proven) {
        last_by_ = state.by;
    } else {
        last_by_.set({j}, {1.0});
    }
}

double VertexNodes::quick_proven(const NodeState& state, int j, double) const {
    return std::max(state.proven, margins_->floor[j] / planes_.size()[j] * (1.0 - 4.0 * kEps));
}

}  // namespace redoubt
