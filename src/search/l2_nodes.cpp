#include "search/l2_nodes.hpp"

#include <algorithm>
#include <cmath>

#include "core/rounding.hpp"
#include "search/dual_bound.hpp"

namespace redoubt {

namespace {

/// A plane whose normal keeps less than this share of its squared length outside the span of the
/// active ones is taken as dependent: doubles do not tell them apart any better.
constexpr double kDependent = 1e-28;
/// Below this share a Gram matrix no longer says how much is outside: the normals themselves do.
constexpr double kNearlyDependent = 1e-6;
/// Each refinement of a point gains two digits at the worst angle that doubles tell apart.
constexpr int kMaxRefinements = 10;

}  // namespace

L2Nodes::L2Nodes(const PlaneSet& planes) : planes_(planes) {}

void L2Nodes::root(NodeState& state) const {
    state.members.clear();
    state.active.clear();
    state.lambda.clear();
    state.distance = 0.0;
    state.proven = 0.0;
    state.proven_square = 0.0;
    state.by = {};
}

double L2Nodes::product(const NodeState& state, int j) const {
    const double* row = planes_.gram().data() + j * planes_.gram().cols();
    double sum = 0.0;
    for (std::size_t a = 0; a < state.active.size(); ++a)
        sum += state.lambda[a] * row[state.active[a]];
    return sum;
}

void L2Nodes::add(const NodeState& parent, int i, double cutoff, NodeState& child) {
    child.members = parent.members;
    child.members.push_back(i);
    child.active = parent.active;
    child.lambda = parent.lambda;
    child.distance = parent.distance;
    child.proven = parent.proven;
    child.proven_square = parent.proven_square;
    if (is_recorded_) child.by = parent.by;
    child.is_exact = false;
    int violated = i;
    while (violated >= 0) {
        if (!make_feasible_for(violated, cutoff, child)) return;
        violated = -1;
        double worst = 0.0;
        for (int j : child.members) {
            if (std::find(child.active.begin(), child.active.end(), j) != child.active.end())
                continue;
            const double slack = product(child, j) - margins_->goal[j];
            const double scale = planes_.size()[j] * child.distance;
            if (slack < worst && slack < -kSatisfied * scale) {
                worst = slack;
                violated = j;
            }
        }
    }
    child.is_exact = true;
    if (child.distance >= cutoff) prove(child);
}

/// Brings plane p, whose goal is missed, to its goal, keeping the others' multipliers >= 0.
/// False when the state is final already: no point exists, or the cutoff is reached.
bool L2Nodes::make_feasible_for(int p, double cutoff, NodeState& state) {
    const Matrix& G = planes_.gram();
    const double goal = margins_->goal[p];
    double lambda_p = 0.0;
    double missing = goal - product(state, p);
    if (missing <= 0.0) return true;
    double square = state.distance * state.distance;
    for (;;) {
        const std::size_t n_active = state.active.size();
        const double rest = find_direction(state, p);

        std::size_t blocking = n_active;
        double step = HUGE_VAL;
        for (std::size_t a = 0; a < n_active; ++a) {
            if (r_[a] > 0.0 && state.lambda[a] < step * r_[a]) {
                step = state.lambda[a] / r_[a];
                blocking = a;
            }
        }
        const bool is_dependent = rest <= kDependent * G(p, p);
        const double full = is_dependent ? HUGE_VAL : missing / rest;
        if (step == HUGE_VAL && full == HUGE_VAL) {
            prove_ray(p, state);
            state.distance = HUGE_VAL;
            return false;
        }
        const bool is_full = full <= step;
        step = std::min(step, full);
        for (std::size_t a = 0; a < n_active; ++a)
            state.lambda[a] = std::max(0.0, state.lambda[a] - step * r_[a]);
        lambda_p += step;
        // The dual objective 1/2 ||e||^2 grows by step (missing - step rest / 2).
        if (!is_dependent) {
            square += 2.0 * step * (missing - 0.5 * step * rest);
            missing -= step * rest;
        } else {
            square += 2.0 * step * missing;
        }
        if (is_full || square >= cutoff * cutoff) {
            state.active.push_back(p);
            state.lambda.push_back(lambda_p);
            state.distance = std::sqrt(square);
            if (is_full && square < cutoff * cutoff) return true;
            prove(state);
            return false;
        }
        drop(state, blocking);
    }
}

/// The multipliers r_ of the active planes that come nearest to w_p, and the squared length of what
/// they leave of it: along lambda_p = 1, lambda = -r_ the active planes keep their goals.
double L2Nodes::find_direction(const NodeState& state, int p) {
    factorize(state);
    const double* products = planes_.gram().data() + p * planes_.gram().cols();
    r_.resize(state.active.size());
    for (std::size_t a = 0; a < r_.size(); ++a) r_[a] = products[state.active[a]];
    solve(r_);
    double rest = products[p];
    for (std::size_t a = 0; a < r_.size(); ++a) rest -= products[state.active[a]] * r_[a];
    return rest > kNearlyDependent * products[p] ? rest : square_outside(state.active, p, r_);
}

/// || w_p - sum_a r_a w_a ||^2 after r has been refined once with the normals themselves. `active`
/// may be longer than r.
double L2Nodes::square_outside(const std::vector<int>& active, int p, std::vector<double>& r) {
    const Matrix& W = planes_.W();
    outside_ = W.row(p).transpose();
    for (std::size_t a = 0; a < r.size(); ++a) outside_ -= r[a] * W.row(active[a]).transpose();
    refinement_.resize(r.size());
    for (std::size_t a = 0; a < r.size(); ++a) refinement_[a] = W.row(active[a]).dot(outside_);
    solve(refinement_);
    for (std::size_t a = 0; a < r.size(); ++a) {
        r[a] += refinement_[a];
        outside_ -= refinement_[a] * W.row(active[a]).transpose();
    }
    return outside_.squaredNorm();
}

/// One full step, if no multiplier reaches 0 on the way; that is the least norm unless another
/// member is lost by it. Otherwise the whole solve.
double L2Nodes::bound(const NodeState& state, int j, double slack, double cutoff) {
    const double rest = find_direction(state, j);
    const double step = -slack / rest;
    bool is_full = rest > kDependent * planes_.gram()(j, j);
    for (std::size_t a = 0; is_full && a < r_.size(); ++a)
        is_full = state.lambda[a] >= step * r_[a];
    if (is_full) {
        trial_plane_ = j;
        trial_step_ = step;
        return std::sqrt(state.distance * state.distance - step * slack);
    }
    trial_plane_ = -1;
    add(state, j, cutoff, trial_);
    return trial_.distance;
}

double L2Nodes::proven_of_bound(const NodeState& state) {
    if (trial_plane_ < 0) return trial_.proven;
    trial_.active = state.active;
    trial_.lambda = state.lambda;
    for (std::size_t a = 0; a < r_.size(); ++a)
        trial_.lambda[a] = std::max(0.0, trial_.lambda[a] - trial_step_ * r_[a]);
    trial_.active.push_back(trial_plane_);
    trial_.lambda.push_back(trial_step_);
    trial_.proven = state.proven;
    if (is_recorded_) trial_.by = state.by;
    prove(trial_);
    return trial_.proven;
}

/// Cholesky factor of the Gram matrix of the active planes. A row depends on those above it only,
/// so the rows of planes that head the last list too are kept: most calls add one plane to it.
void L2Nodes::factorize(const NodeState& state) {
    const std::size_t n = state.active.size();
    const Matrix& G = planes_.gram();
    if (n > stride_) {
        stride_ = 2 * n;
        factor_.resize(stride_ * stride_);
        factored_.clear();
    }
    std::size_t kept = 0;
    while (kept < std::min(n, factored_.size()) && factored_[kept] == state.active[kept]) ++kept;
    factored_.resize(kept);
    for (std::size_t i = kept; i < n; ++i) {
        const double* products = G.data() + state.active[i] * G.cols();
        double* row = factor_.data() + i * stride_;
        double rest = products[state.active[i]];
        const double least = kDependent * rest;
        for (std::size_t j = 0; j < i; ++j) {
            const double* above = factor_.data() + j * stride_;
            double sum = products[state.active[j]];
            for (std::size_t l = 0; l < j; ++l) sum -= row[l] * above[l];
            row[j] = sum / above[j];
            rest -= row[j] * row[j];
        }
        if (rest <= kNearlyDependent * products[state.active[i]]) {
            // Row i is L^-1 (W w_i), so L^-T of it gives the multipliers.
            row_multipliers_.assign(row, row + i);
            solve_transposed(row_multipliers_);
            rest = square_outside(state.active, state.active[i], row_multipliers_);
        }
        row[i] = std::sqrt(std::max(rest, least));
        factored_.push_back(state.active[i]);
    }
}

void L2Nodes::solve(std::vector<double>& x) const {
    const std::size_t n = x.size();
    for (std::size_t i = 0; i < n; ++i) {
        const double* row = factor_.data() + i * stride_;
        double sum = x[i];
        for (std::size_t l = 0; l < i; ++l) sum -= row[l] * x[l];
        x[i] = sum / row[i];
    }
    solve_transposed(x);
}

void L2Nodes::solve_transposed(std::vector<double>& x) const {
    for (std::size_t i = x.size(); i-- > 0;) {
        const double* row = factor_.data() + i * stride_;
        x[i] /= row[i];
        for (std::size_t l = 0; l < i; ++l) x[l] -= row[l] * x[i];
    }
}

void L2Nodes::drop(NodeState& state, std::size_t position) const {
    state.active.erase(state.active.begin() + static_cast<std::ptrdiff_t>(position));
    state.lambda.erase(state.lambda.begin() + static_cast<std::ptrdiff_t>(position));
}

/// ||W'lambda||^2 = lambda'G lambda; an entry of G is off by at most (n + 2) eps ||w_i|| ||w_j||,
/// so the norm by at most the square root of that times sum_i lambda_i ||w_i||, and far less where
/// the norm is not small: sqrt(s + e) <= sqrt(s) + e / (2 sqrt(s)).
void L2Nodes::prove(NodeState& state) {
    double square = 0.0;
    double weight = 0.0;
    for (std::size_t a = 0; a < state.active.size(); ++a) {
        square += state.lambda[a] * product(state, state.active[a]);
        weight += state.lambda[a] * planes_.size()[state.active[a]];
    }
    const double terms = static_cast<double>(planes_.n_features()) +
                         2.0 * static_cast<double>(state.active.size()) + 8.0;
    const double error = terms * kEps * weight * weight;
    double norm = std::sqrt(std::max(square, 0.0) + error) * (1.0 + 4.0 * kEps);
    if (error > kNearlyDependent * square) {
        // Normals that nearly cancel: W'lambda itself keeps the digits that its square loses.
        outside_.setZero(planes_.n_features());
        for (std::size_t a = 0; a < state.active.size(); ++a)
            outside_ += state.lambda[a] * planes_.W().row(state.active[a]).transpose();
        norm = std::min(norm, outside_.stableNorm() * (1.0 + terms * kEps) + terms * kEps * weight);
    }
    const double bound =
        proven_bound(state.active, state.lambda, margins_->floor, planes_.size(), norm, 0.0);
    if (is_recorded_ && bound > state.proven) state.by.set(state.active, state.lambda);
    state.proven = std::max(state.proven, bound);
    // 1/2 ||e||^2 >= lambda'floor - 1/2 ||W'lambda||^2.
    const double value = 2.0 * lambda_floor(state.active, state.lambda, margins_->floor);
    state.proven_square = value - norm * norm - 8.0 * kEps * (std::abs(value) + norm * norm);
}

/// The normals of the active planes and of p are dependent with multipliers (-r, 1) >= 0: no point
/// reaches all goals. The bound of that ray, with W'lambda itself, says how sure that is.
void L2Nodes::prove_ray(int p, NodeState& state) {
    ray_.active = state.active;
    ray_.lambda.resize(r_.size());
    for (std::size_t a = 0; a < r_.size(); ++a) ray_.lambda[a] = std::max(0.0, -r_[a]);
    ray_.active.push_back(p);
    ray_.lambda.push_back(1.0);
    ray_.e.setZero(planes_.n_features());
    for (std::size_t a = 0; a < ray_.active.size(); ++a) {
        ray_.e += ray_.lambda[a] * planes_.W().row(ray_.active[a]).transpose();
    }
    const double terms =
        static_cast<double>(planes_.n_features() + static_cast<Index>(ray_.active.size())) + 8.0;
    const double norm = ray_.e.stableNorm() * (1.0 + terms * kEps);
    const double bound =
        proven_bound(ray_.active, ray_.lambda, margins_->floor, planes_.size(), norm, terms * kEps);
    if (is_recorded_ && bound > state.proven) state.by.set(ray_.active, ray_.lambda);
    state.proven = std::max(state.proven, bound);
}

void L2Nodes::slacks(const NodeState& state, std::vector<double>& slack) const {
    const Index k = planes_.n_planes();
    slack.resize(static_cast<std::size_t>(k));
    for (Index j = 0; j < k; ++j) slack[static_cast<std::size_t>(j)] = -margins_->goal[j];
    const Matrix& G = planes_.gram();
    for (std::size_t a = 0; a < state.active.size(); ++a) {
        const double* row = G.data() + state.active[a] * G.cols();
        for (Index j = 0; j < k; ++j)
            slack[static_cast<std::size_t>(j)] += state.lambda[a] * row[j];
    }
}

double L2Nodes::quick_bound(const NodeState& state, int j, double slack) const {
    const double reach = slack / planes_.size()[j];
    return std::sqrt(state.distance * state.distance + reach * reach);
}

double L2Nodes::quick_proven(const NodeState& state, int j, double slack) const {
    // 1/2 ||e||^2 >= (dual value) at lambda with t added for plane j, t = missing / ||w_j||^2,
    // whose value is 1/2 proven_square + 1/2 (missing / ||w_j||)^2. What is missing is known up to
    // rounding.
    const double terms =
        static_cast<double>(planes_.n_features()) + static_cast<double>(state.active.size()) + 8.0;
    double weight = 0.0;
    for (std::size_t a = 0; a < state.active.size(); ++a)
        weight += state.lambda[a] * planes_.size()[state.active[a]];
    const double goal = margins_->goal[j];
    const double missing = -slack - (goal - margins_->floor[j]) - 4.0 * kEps * std::abs(goal);
    const double reach = missing / planes_.size()[j] - terms * kEps * weight;
    if (!(reach > 0.0)) return state.proven;
    return std::max(state.proven, raised_bound(state.proven_square, reach));
}

/// The multipliers of the state and those of quick_proven for plane j; or the state's own proof.
void L2Nodes::refute_quickly(const NodeState& state, int j, double slack) {
    if (quick_proven(state, j, slack) <= state.proven) {
        trial_.by = state.by;
        return;
    }
    trial_.by.set(state.active, state.lambda);
    trial_.by.planes.push_back(j);
    trial_.by.lambda.push_back(-slack / (planes_.size()[j] * planes_.size()[j]));
}

double L2Nodes::proven_by(const std::vector<int>& planes, const std::vector<double>& lambda) {
    trial_.active = planes;
    trial_.lambda = lambda;
    trial_.proven = 0.0;
    prove(trial_);
    return trial_.proven;
}

/// sum_i lambda_i w_i. Where huge multipliers nearly cancel, that misses the goals by their
/// rounding errors; what is missing is measured with the normals themselves and put right.
void L2Nodes::point(const NodeState& state, Vector& e) {
    const Matrix& W = planes_.W();
    e.setZero(planes_.n_features());
    for (std::size_t a = 0; a < state.active.size(); ++a)
        e += state.lambda[a] * W.row(state.active[a]).transpose();
    double last = HUGE_VAL;
    for (int n_refinements = 0; n_refinements < kMaxRefinements; ++n_refinements) {
        double worst = 0.0;
        r_.resize(state.active.size());
        for (std::size_t a = 0; a < r_.size(); ++a) {
            const int i = state.active[a];
            r_[a] = margins_->goal[i] - W.row(i).dot(e);
            worst = std::max(worst, r_[a] / std::abs(margins_->goal[i]));
        }
        if (worst <= kSatisfied || worst >= last) return;
        last = worst;
        factorize(state);
        solve(r_);
        for (std::size_t a = 0; a < r_.size(); ++a) e += r_[a] * W.row(state.active[a]).transpose();
    }
}

}  // namespace redoubt
