#include "search/vertex_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "search/dual_bound.hpp"

namespace redoubt {

namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
/// Violations and rates below this, relative to their scale, are rounding errors.
constexpr double kTolerance = 1e-12;
/// Pivots before a node problem is left with the bound it has; ordinary ones take 2 to 6.
constexpr int kMaxPivots = 500;

}  // namespace

VertexNodes::VertexNodes(const PlaneSet& planes)
    : planes_(planes), g_(planes.n_features()), g_direction_(planes.n_features()) {}

void VertexNodes::root(NodeState& state) const {
    state.members.clear();
    state.active.clear();
    state.lambda.clear();
    state.basis.clear();
    state.sign.setZero(planes_.n_features());
    state.e.setZero(planes_.n_features());
    state.distance = 0.0;
    state.proven = 0.0;
}

void VertexNodes::add(const NodeState& parent, int i, double cutoff, NodeState& child) {
    child = parent;
    child.members.push_back(i);
    child.is_exact = false;
    if (child.active.empty()) start_with(i, child);
    if (!solve_vertex(child)) return;
    for (int n_pivots = 0; n_pivots < kMaxPivots && child.distance < cutoff; ++n_pivots) {
        const Violation violation = find_violation(child);
        child.is_exact = violation.measure <= kTolerance * child.distance;
        if (child.is_exact) break;
        find_direction(child, violation);
        if (!pivot(violation, child)) {
            child.distance = HUGE_VAL;
            return;
        }
        if (!solve_vertex(child)) return;
    }
    prove(child, child.lambda, g_);
}

/// The vertex of one plane: linf moves every feature to its side, l1 only the steepest one.
void VertexNodes::start_with(int i, NodeState& state) {
    const auto w = planes_.W().row(i);
    state.active.assign(1, i);
    state.basis.clear();
    if (is_linf()) {
        for (Index l = 0; l < w.size(); ++l) state.sign[l] = w[l] < 0.0 ? -1.0 : 1.0;
    } else {
        Index steepest = 0;
        w.cwiseAbs().maxCoeff(&steepest);
        state.sign.setZero();
        state.sign[steepest] = w[steepest] < 0.0 ? -1.0 : 1.0;
        state.basis.assign(1, static_cast<int>(steepest));
    }
}

/// Point, multipliers and g of the vertex that `active`, `basis` and `sign` describe.
bool VertexNodes::solve_vertex(NodeState& state) {
    const std::size_t p = state.active.size();
    const std::size_t n_basic = state.basis.size();
    const Matrix& W = planes_.W();
    inverse_.resize(p);
    for (std::size_t j = 0; j < p; ++j) {
        const double* w = W.data() + state.active[j] * W.cols();
        for (std::size_t c = 0; c < n_basic; ++c) inverse_.at(j, c) = w[state.basis[c]];
        if (is_linf()) inverse_.at(j, p - 1) = W.row(state.active[j]).dot(state.sign);
    }
    if (!inverse_.invert()) return false;
    state.lambda.assign(p, 0.0);
    coefficients_.assign(p, 0.0);
    for (std::size_t c = 0; c < p; ++c) {
        // lambda = M^-T (0, .., 0, 1) for linf and M^-T (sides of the basic features) for l1.
        const double weight = is_linf() ? (c + 1 == p ? 1.0 : 0.0) : state.sign[state.basis[c]];
        double sum = 0.0;
        for (std::size_t j = 0; j < p; ++j) {
            sum += inverse_(c, j) * margins_->goal[state.active[j]];
            if (weight != 0.0) state.lambda[j] += weight * inverse_(c, j);
        }
        coefficients_[c] = sum;
    }
    for (double& value : state.lambda) value = std::max(value, 0.0);
    if (is_linf()) {
        const double t = coefficients_[p - 1];
        state.e = t * state.sign;
        state.distance = std::max(t, state.distance);
    } else {
        state.e.setZero();
    }
    for (std::size_t c = 0; c < n_basic; ++c) state.e[state.basis[c]] = coefficients_[c];
    g_.setZero();
    double value = 0.0;
    for (std::size_t j = 0; j < p; ++j) {
        g_ += state.lambda[j] * W.row(state.active[j]).transpose();
        value += state.lambda[j] * margins_->goal[state.active[j]];
    }
    if (!is_linf()) state.distance = std::max(value, state.distance);
    return true;
}

VertexNodes::Violation VertexNodes::find_violation(const NodeState& state) const {
    Violation worst;
    const double t = state.distance;
    for (int i : state.members) {
        if (std::find(state.active.begin(), state.active.end(), i) != state.active.end()) continue;
        const double amount = margins_->goal[i] - planes_.W().row(i).dot(state.e);
        const double measure = amount / planes_.size()[i];
        if (measure > worst.measure) worst = {i, 0, amount, measure};
    }
    for (std::size_t c = 0; c < state.basis.size(); ++c) {
        const double value = state.e[state.basis[c]];
        const double amount = is_linf() ? std::abs(value) - t : -state.sign[state.basis[c]] * value;
        if (amount > worst.measure) worst = {-1, c, amount, amount};
    }
    return worst;
}

/// lambda_direction_ on the active planes (the violated plane itself grows at rate 1) and the
/// resulting change of g, such that the conditions that hold with equality keep holding.
void VertexNodes::find_direction(const NodeState& state, const Violation& violation) {
    const std::size_t p = state.active.size();
    const Matrix& W = planes_.W();
    coefficients_.assign(p, 0.0);
    if (violation.plane >= 0) {
        const double* w = W.data() + violation.plane * W.cols();
        for (std::size_t c = 0; c < state.basis.size(); ++c) coefficients_[c] = -w[state.basis[c]];
        if (is_linf()) coefficients_[p - 1] = -W.row(violation.plane).dot(state.sign);
        g_direction_ = W.row(violation.plane).transpose();
    } else {
        const int feature = state.basis[violation.basic];
        const double side =
            is_linf() ? (state.e[feature] < 0.0 ? -1.0 : 1.0) : -state.sign[feature];
        coefficients_[violation.basic] = side;
        if (is_linf()) coefficients_[p - 1] = -1.0;
        g_direction_.setZero();
    }
    lambda_direction_.assign(p, 0.0);
    for (std::size_t c = 0; c < p; ++c) {
        if (coefficients_[c] == 0.0) continue;
        for (std::size_t j = 0; j < p; ++j)
            lambda_direction_[j] += coefficients_[c] * inverse_(c, j);
    }
    for (std::size_t j = 0; j < p; ++j)
        g_direction_ += lambda_direction_[j] * W.row(state.active[j]).transpose();
    if (!is_linf()) return;
    // That direction keeps ||g||_1 for small steps and lets lambda'goal grow. Keeping lambda'goal
    // and letting ||g||_1 fall is the same ray, but nothing on it lies at infinity.
    const double share = violation.amount / state.distance;
    for (std::size_t j = 0; j < p; ++j) lambda_direction_[j] -= share * state.lambda[j];
    g_direction_ -= share * g_;
}

/// Goes along the direction to the next vertex. False when there is none, because no point reaches
/// all goals: nothing ends the step, or g is zero where it ends.
bool VertexNodes::pivot(const Violation& violation, NodeState& state) {
    std::size_t leaving = state.active.size();
    double limit = HUGE_VAL;
    double scale = 0.0;
    for (double rate : lambda_direction_) scale = std::max(scale, std::abs(rate));
    for (std::size_t j = 0; j < state.active.size(); ++j) {
        const double rate = -lambda_direction_[j];
        if (rate > kTolerance * scale && state.lambda[j] < limit * rate) {
            limit = state.lambda[j] / rate;
            leaving = j;
        }
    }
    const Block block = find_blocking_feature(violation, limit, state);
    const bool has_entering = block.feature >= 0;
    const std::size_t n_basic = state.basis.size() + (violation.plane >= 0 ? 1 : 0);
    const bool is_zero =
        is_linf() && has_entering && static_cast<Index>(n_basic) == planes_.n_features();
    if (is_zero || (!has_entering && leaving == state.active.size())) {
        prove_infeasible(violation, block.step, state);
        return false;
    }

    if (violation.plane < 0) {
        const int feature = state.basis[violation.basic];
        state.sign[feature] = is_linf() ? (state.e[feature] < 0.0 ? -1.0 : 1.0) : 0.0;
        state.basis.erase(state.basis.begin() + static_cast<std::ptrdiff_t>(violation.basic));
    }
    if (has_entering) {
        state.basis.push_back(block.feature);
        state.sign[block.feature] = block.side;
    } else {
        state.active.erase(state.active.begin() + static_cast<std::ptrdiff_t>(leaving));
    }
    if (violation.plane >= 0) state.active.push_back(violation.plane);
    return true;
}

/// The feature that ends the step before `limit`, if one does. In linf the features passed on the
/// way change side in `state`.
VertexNodes::Block VertexNodes::find_blocking_feature(const Violation& violation, double limit,
                                                      NodeState& state) {
    breakpoints_.clear();
    const double scale = g_direction_.lpNorm<Eigen::Infinity>();
    const int own = violation.plane < 0 ? state.basis[violation.basic] : -1;
    for (Index l = 0; l < g_direction_.size(); ++l) {
        const double rate = g_direction_[l];
        if (std::abs(rate) <= kTolerance * scale) continue;
        const bool is_basic = is_linf() ? state.sign[l] == 0.0 : state.sign[l] != 0.0;
        if (is_basic && l != own) continue;
        double step = HUGE_VAL;
        if (is_linf()) {
            if (is_basic || rate * state.sign[l] > 0.0) continue;  // moves away from 0
            step = std::max(0.0, g_[l] * state.sign[l]) / std::abs(rate);
        } else {
            const double target = rate > 0.0 ? 1.0 : -1.0;
            step = std::max(0.0, 1.0 - target * g_[l]) / std::abs(rate);
        }
        if (step < limit) breakpoints_.push_back({step, static_cast<int>(l), rate});
    }
    // A heap, because only the nearest few are looked at. Of equal steps the larger rate comes
    // first: it makes the better conditioned basis.
    const auto is_later = [](const Breakpoint& x, const Breakpoint& y) {
        return x.step > y.step || (x.step == y.step && std::abs(x.rate) < std::abs(y.rate));
    };
    std::make_heap(breakpoints_.begin(), breakpoints_.end(), is_later);
    double slope = violation.amount;
    for (auto end = breakpoints_.end(); end != breakpoints_.begin(); --end) {
        const Breakpoint next = breakpoints_.front();
        // Per unit of the step t ||g||_1 falls by `slope`; a g_l that has changed side makes it
        // rise.
        slope -= 2.0 * state.distance * std::abs(next.rate);
        if (!is_linf() || slope <= 0.0) {
            return {next.feature, is_linf() ? 0.0 : (next.rate > 0.0 ? 1.0 : -1.0), next.step};
        }
        state.sign[next.feature] *= -1.0;
        std::pop_heap(breakpoints_.begin(), end, is_later);
    }
    return {};
}

void VertexNodes::prove(NodeState& state, const std::vector<double>& lambda,
                        const Vector& g) const {
    const double terms =
        static_cast<double>(planes_.n_features()) + static_cast<double>(lambda.size()) + 8.0;
    const double norm = norm_value(dual(planes_.norm()), g) * (1.0 + terms * kEps);
    const double bound =
        proven_bound(state.active, lambda, margins_->floor, planes_.size(), norm, terms * kEps);
    state.proven = std::max(state.proven, bound);
}

/// lambda after the step (or, after an endless one, its direction) has g = 0 but lambda'goal > 0:
/// no point reaches all goals. The bound of these multipliers says how sure that is in floating
/// point.
void VertexNodes::prove_infeasible(const Violation& violation, double step, NodeState& state) {
    const bool is_endless = step == HUGE_VAL;
    ray_.active = state.active;
    ray_.lambda.resize(state.lambda.size());
    for (std::size_t j = 0; j < ray_.lambda.size(); ++j) {
        ray_.lambda[j] = std::max(
            0.0, is_endless ? lambda_direction_[j] : state.lambda[j] + step * lambda_direction_[j]);
    }
    if (violation.plane >= 0) {
        ray_.active.push_back(violation.plane);
        ray_.lambda.push_back(is_endless ? 1.0 : step);
    }
    ray_.e.setZero(planes_.n_features());
    for (std::size_t j = 0; j < ray_.active.size(); ++j) {
        ray_.e += ray_.lambda[j] * planes_.W().row(ray_.active[j]).transpose();
    }
    ray_.proven = state.proven;
    prove(ray_, ray_.lambda, ray_.e);
    state.proven = ray_.proven;
}

void VertexNodes::slacks(const NodeState& state, std::vector<double>& slack) const {
    const Index k = planes_.n_planes();
    slack.resize(static_cast<std::size_t>(k));
    Eigen::Map<Vector> out(slack.data(), k);
    out.noalias() = planes_.W() * state.e;
    out -= margins_->goal;
}

double VertexNodes::quick_bound(const NodeState& state, int j, double) const {
    return std::max(state.distance, margins_->goal[j] / planes_.size()[j]);
}

double VertexNodes::quick_proven(const NodeState& state, int j, double) const {
    return std::max(state.proven, margins_->floor[j] / planes_.size()[j] * (1.0 - 4.0 * kEps));
}

}  // namespace redoubt
