#include "search/box_l2_nodes.hpp"

#include <algorithm>
#include <cmath>

#include "core/rounding.hpp"
#include "search/box_bound.hpp"
#include "search/dual_bound.hpp"

namespace redoubt {

namespace {

/// Ordinary problems take 2 to 8.
constexpr int kMaxSteps = 200;

}  // namespace

BoxL2Nodes::BoxL2Nodes(const PlaneSet& planes)
    : planes_(planes), g_(planes.n_features()), g_direction_(planes.n_features()) {}

void BoxL2Nodes::load(const PointMargins& margins) {
    margins_ = &margins;
    origin_ = margins.lo.cwiseMax(0.0) + margins.hi.cwiseMin(0.0);
}

void BoxL2Nodes::root(NodeState& state) const {
    state.members.clear();
    state.active.clear();
    state.lambda.clear();
    state.e = origin_;
    state.distance = origin_.norm();
    state.proven = state.distance * (1.0 - static_cast<double>(origin_.size() + 8) * kEps);
    state.proven_square = state.proven * state.proven * (1.0 - 4.0 * kEps);
    state.is_exact = true;
    state.by = {};
}

void BoxL2Nodes::gather(const std::vector<int>& active, const std::vector<double>& lambda,
                        Vector& g) const {
    g.setZero(planes_.n_features());
    kernels::add_weighted_rows(rows(), active.data(), lambda.data(),
                               static_cast<Index>(active.size()), g.data());
}

void BoxL2Nodes::clip(const Vector& g, Vector& e) const {
    e = g.cwiseMax(margins_->lo).cwiseMin(margins_->hi);
}

/// The dual objective.
double BoxL2Nodes::value_at(const std::vector<int>& active, const std::vector<double>& lambda,
                            const Vector& g) const {
    double value = 0.0;
    for (std::size_t a = 0; a < active.size(); ++a) value += lambda[a] * margins_->goal[active[a]];
    for (Index l = 0; l < g.size(); ++l) {
        const double e = std::min(std::max(g[l], margins_->lo[l]), margins_->hi[l]);
        value -= e * (g[l] - 0.5 * e);
    }
    return value;
}

/// The member without a multiplier that misses its goal by most; -1 when none does.
int BoxL2Nodes::most_violated(const NodeState& state) const {
    int worst = -1;
    double most = kSatisfied * std::max(state.distance, state.e.lpNorm<Eigen::Infinity>());
    for (int i : state.members) {
        if (std::find(state.active.begin(), state.active.end(), i) != state.active.end()) continue;
        const double missing =
            (margins_->goal[i] - planes_.W().row(i).dot(state.e)) / planes_.size()[i];
        if (missing > most) {
            most = missing;
            worst = i;
        }
    }
    return worst;
}

void BoxL2Nodes::add(const NodeState& parent, int i, double cutoff, NodeState& child) {
    child = parent;
    child.members.push_back(i);
    child.is_exact = false;
    child.active.push_back(i);
    child.lambda.push_back(0.0);
    gather(child.active, child.lambda, g_);
    double last = HUGE_VAL;
    int n_polished = 0;
    for (int n_steps = 0; n_steps < kMaxSteps; ++n_steps) {
        clip(g_, child.e);
        double worst = 0.0;
        residual_.resize(child.active.size());
        for (std::size_t a = 0; a < child.active.size(); ++a) {
            const int plane = child.active[a];
            residual_[a] = margins_->goal[plane] - planes_.W().row(plane).dot(child.e);
            worst = std::max(worst, std::abs(residual_[a]) / planes_.size()[plane]);
        }
        const double half_square = value_at(child.active, child.lambda, g_);
        child.distance = std::max(child.distance, std::sqrt(2.0 * std::max(0.0, half_square)));
        if (child.distance >= cutoff) {
            prove(child);
            return;
        }
        const double small =
            kSatisfied * std::max(child.distance, child.e.lpNorm<Eigen::Infinity>());
        if (worst >= last) ++n_polished;
        if (worst <= small || (worst <= 1e3 * small && n_polished > 3)) {
            const int violated = most_violated(child);
            child.is_exact = violated < 0;
            if (child.is_exact) return;
            child.active.push_back(violated);
            child.lambda.push_back(0.0);
            last = HUGE_VAL;
            n_polished = 0;
            residual_.push_back(margins_->goal[violated] - planes_.W().row(violated).dot(child.e));
        } else {
            last = worst;
        }
        bool is_ray = false;
        newton_step(cutoff, child, is_ray);
        if (is_ray) {
            prove_ray(child.active, child.proven, child.by);
            child.distance = HUGE_VAL;
            return;
        }
        gather(child.active, child.lambda, g_);
    }
    prove(child);
}

void BoxL2Nodes::prove(NodeState& state) {
    raise_proven(state.active, state.lambda, state.distance, state.proven, state.by);
    state.proven_square =
        dual_square_in_box(planes_, *margins_, state.active, state.lambda, scratch_);
}

void BoxL2Nodes::raise_proven(const std::vector<int>& active, const std::vector<double>& lambda,
                              double hint, double& proven, Refutation& by) {
    gather(active, lambda, scratch_);
    const double bound = proven_in_box(planes_, *margins_, active, lambda, scratch_, hint);
    if (is_recorded_ && bound > proven) by.set(active, lambda);
    proven = std::max(proven, bound);
}

double BoxL2Nodes::proven_by(const std::vector<int>& planes, const std::vector<double>& lambda) {
    double proven = 0.0;
    raise_proven(planes, lambda, HUGE_VAL, proven, last_by_);
    return proven;
}

/// direction_ >= 0 leads to no end.
void BoxL2Nodes::prove_ray(const std::vector<int>& active, double& proven, Refutation& by) {
    trial_lambda_.resize(direction_.size());
    double scale = 1.0;
    for (int i = 0; i < 3; ++i, scale *= 1e6) {
        for (std::size_t a = 0; a < direction_.size(); ++a)
            trial_lambda_[a] = scale * std::max(0.0, direction_[a]);
        raise_proven(active, trial_lambda_, HUGE_VAL, proven, by);
    }
}

void BoxL2Nodes::prepare(const NodeState& state) {
    if (state.active.empty()) {
        g_.setZero();
    } else {
        gather(state.active, state.lambda, g_);
    }
    find_free();
    factorize(state.active);
}

/// The step along which plane j's multiplier grows and the active planes keep their goals while the
/// same features are clipped; up to where a multiplier reaches 0 or the objective its greatest.
double BoxL2Nodes::bound(const NodeState& state, int j, double slack, double cutoff) {
    const std::size_t n = state.active.size();
    const double* w = planes_.W().data() + j * planes_.W().cols();
    residual_.assign(n, 0.0);
    for (std::size_t a = 0; a < n; ++a) {
        const double* row = free_rows_.data() + a * free_.size();
        double sum = 0.0;
        for (std::size_t c = 0; c < free_.size(); ++c) sum += row[c] * w[free_[c]];
        residual_[a] = -sum;
    }
    solve(residual_);
    g_direction_ = planes_.W().row(j).transpose();
    kernels::add_weighted_rows(rows(), state.active.data(), residual_.data(), static_cast<Index>(n),
                               g_direction_.data());
    double rise = margins_->goal[j];
    double weight = planes_.size()[j];
    double longest = HUGE_VAL;
    for (std::size_t a = 0; a < n; ++a) {
        rise += residual_[a] * margins_->goal[state.active[a]];
        weight += std::abs(residual_[a]) * planes_.size()[state.active[a]];
        if (residual_[a] < 0.0) longest = std::min(longest, -state.lambda[a] / residual_[a]);
    }
    trial_planes_ = state.active;
    trial_planes_.push_back(j);
    trial_lambda_.assign(n + 1, 1.0);
    // Newton's step on this piece is best_step's first guess.
    double curve = 0.0;
    for (int l : free_) curve += g_direction_[l] * g_direction_[l];
    const double unit = curve > 0.0 ? -slack / curve : 1.0;
    g_direction_ *= unit;
    double useful = useful_step(state.distance, -slack, cutoff);
    for (;;) {
        const double most = std::min(longest, useful);
        const double step =
            unit * best_step(rise * unit, -slack * unit, most / unit, weight * unit);
        if (step == HUGE_VAL) {
            for (std::size_t a = 0; a < n; ++a) trial_lambda_[a] = std::max(0.0, residual_[a]);
            trial_lambda_[n] = 1.0;
            trial_bound_ = HUGE_VAL;
            return HUGE_VAL;
        }
        for (std::size_t a = 0; a < n; ++a)
            trial_lambda_[a] = std::max(0.0, state.lambda[a] + step * residual_[a]);
        trial_lambda_[n] = step;
        scratch_ = g_ + (step / unit) * g_direction_;
        const double half_square = value_at(trial_planes_, trial_lambda_, scratch_);
        trial_bound_ = std::max(state.distance, std::sqrt(2.0 * std::max(0.0, half_square)));
        // Clipped features flatten the way: it may have been too short after all.
        if (trial_bound_ >= cutoff || step < 0.99 * most || most == longest) return trial_bound_;
        useful *= 100.0;
    }
}

double BoxL2Nodes::proven_of_bound(const NodeState& state) {
    double proven = state.proven;
    if (is_recorded_) last_by_ = state.by;
    raise_proven(trial_planes_, trial_lambda_, trial_bound_, proven, last_by_);
    return proven;
}

void BoxL2Nodes::slacks(const NodeState& state, std::vector<double>& slack) const {
    margins_->slacks(planes_, state.e, slack);
}

/// The members' region is convex and e(I) its point nearest to 0, box or not.
double BoxL2Nodes::quick_bound(const NodeState& state, int j, double slack) const {
    const double reach = slack / planes_.size()[j];
    return std::sqrt(state.distance * state.distance + reach * reach);
}

/// One more multiplier t = missing / ||w_j||^2 raises the dual objective by at least
/// (missing / ||w_j||)^2 / 2, because its curvature is at most that without a box.
double BoxL2Nodes::quick_proven(const NodeState& state, int j, double slack) const {
    const double terms =
        static_cast<double>(planes_.n_features()) + static_cast<double>(state.active.size()) + 16.0;
    double weight = state.e.norm();
    for (std::size_t a = 0; a < state.active.size(); ++a)
        weight += state.lambda[a] * planes_.size()[state.active[a]];
    const double goal = margins_->goal[j];
    const double missing = -slack - (goal - margins_->floor[j]) - 4.0 * kEps * std::abs(goal);
    const double reach = missing / planes_.size()[j] - 2.0 * terms * kEps * weight;
    if (!(reach > 0.0)) return state.proven;
    return std::max(state.proven, raised_bound(state.proven_square, reach));
}

void BoxL2Nodes::refute_quickly(const NodeState& state, int j, double slack) {
    last_by_ = state.by;
    if (quick_proven(state, j, slack) <= state.proven) return;
    last_by_.set(state.active, state.lambda);
    last_by_.planes.push_back(j);
    last_by_.lambda.push_back(-slack / (planes_.size()[j] * planes_.size()[j]));
}

}  // namespace redoubt
