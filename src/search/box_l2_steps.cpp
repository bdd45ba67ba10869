/// The steps of BoxL2Nodes: directions and how far to follow them.

#include <algorithm>
#include <cmath>

#include "search/box_l2_nodes.hpp"

namespace redoubt {

namespace {

/// A pivot below this share of the plane's squared length is none: features inside the box leave
/// that direction free.
constexpr double kNoPivot = 1e-12;
/// What stands in for it: long steps, which the line search shortens.
constexpr double kStandIn = 1e-16;
/// Less than this share of its terms is the rounding of a direction that leads nowhere.
constexpr double kNoDirection = 1e-13;
/// A slope below this share of the first one is used up.
constexpr double kSlopeLeft = 1e-6;
constexpr int kMaxGuesses = 8;

}  // namespace

void BoxL2Nodes::find_free() {
    free_.clear();
    for (Index l = 0; l < g_.size(); ++l) {
        if (is_free(l)) free_.push_back(static_cast<int>(l));
    }
}

/// Cholesky factor of W_F W_F' of the active planes, F the features inside the box.
void BoxL2Nodes::factorize(const std::vector<int>& active) {
    const std::size_t n = active.size();
    const std::size_t n_free = free_.size();
    free_rows_.resize(static_cast<Index>(n), static_cast<Index>(n_free));
    for (std::size_t a = 0; a < n; ++a) {
        const double* w = planes_.W().data() + active[a] * planes_.W().cols();
        double* row = free_rows_.data() + a * n_free;
        for (std::size_t c = 0; c < n_free; ++c) row[c] = w[free_[c]];
    }
    factor_.resize(n * n);
    n_factored_ = n;
    for (std::size_t i = 0; i < n; ++i) {
        double* row = factor_.data() + i * n;
        for (std::size_t j = 0; j <= i; ++j) {
            double sum =
                free_rows_.row(static_cast<Index>(i)).dot(free_rows_.row(static_cast<Index>(j)));
            const double* above = factor_.data() + j * n;
            for (std::size_t l = 0; l < j; ++l) sum -= row[l] * above[l];
            if (j < i) {
                row[j] = sum / above[j];
            } else {
                const double size = planes_.size()[active[i]];
                const double least = kNoPivot * size * size;
                row[i] = std::sqrt(sum > least ? sum : kStandIn * size * size);
            }
        }
    }
}

void BoxL2Nodes::solve(std::vector<double>& x) const {
    const std::size_t n = n_factored_;
    for (std::size_t i = 0; i < n; ++i) {
        const double* row = factor_.data() + i * n;
        double sum = x[i];
        for (std::size_t l = 0; l < i; ++l) sum -= row[l] * x[l];
        x[i] = sum / row[i];
    }
    for (std::size_t i = n; i-- > 0;) {
        const double* row = factor_.data() + i * n;
        x[i] /= row[i];
        for (std::size_t l = 0; l < i; ++l) x[l] -= row[l] * x[i];
    }
}

/// The slope of the dual objective `step` along the direction, and how fast it falls there; `rise`
/// is goal'direction.
double BoxL2Nodes::slope_along(double rise, double step, double& curve) const {
    const double* g = g_.data();
    const double* d = g_direction_.data();
    const double* lo = margins_->lo.data();
    const double* hi = margins_->hi.data();
    double sums[4] = {};
    double curves[4] = {};
    const Index n = g_.size();
    const auto take = [&](Index l, Index lane) {
        const double value = g[l] + step * d[l];
        const double low = value < lo[l] ? lo[l] : value;
        const double e = low > hi[l] ? hi[l] : low;
        sums[lane] += d[l] * e;
        curves[lane] += e == value ? d[l] * d[l] : 0.0;
    };
    Index l = 0;
    for (; l + 4 <= n; l += 4) {
        for (Index lane = 0; lane < 4; ++lane) take(l + lane, lane);
    }
    for (Index lane = 0; l < n; ++l, ++lane) take(l, lane);
    curve = (curves[0] + curves[1]) + (curves[2] + curves[3]);
    return rise - ((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

/// Where the slope, which falls along the direction and is positive at 0, meets 0; at most
/// `longest`. It is piecewise linear: features begin and cease to count. Infinite when the
/// objective rises for ever. `weight` measures what in the direction is more than rounding.
double BoxL2Nodes::best_step(double rise, double slope, double longest, double weight) {
    // Newton's steps find the piece in most cases.
    const double small = kSlopeLeft * slope;
    const double least = kNoDirection * weight;
    const double least_curve = static_cast<double>(g_.size()) * least * least;
    double guess = std::min(1.0, longest);
    double low = 0.0;
    double high = longest;
    for (int i = 0; i < kMaxGuesses; ++i) {
        double guess_curve = 0.0;
        const double now = slope_along(rise, guess, guess_curve);
        if (now >= -small && (now <= small || guess >= longest)) return guess;
        (now > 0.0 ? low : high) = guess;
        const double next = std::min(longest, guess + now / guess_curve);
        if (!(guess_curve > least_curve && next > low && next <= high)) break;
        guess = next;
    }
    events_.clear();
    double curve = 0.0;
    int n_inside = 0;
    for (Index l = 0; l < g_.size(); ++l) {
        const double d = g_direction_[l];
        if (std::abs(d) <= least) continue;
        const double to_lo = (margins_->lo[l] - g_[l]) / d;
        const double to_hi = (margins_->hi[l] - g_[l]) / d;
        const double begin = std::min(to_lo, to_hi);
        const double end = std::max(to_lo, to_hi);
        if (end <= 0.0 || begin == end) continue;
        if (begin > 0.0) {
            events_.push_back({begin, d * d, 1});
        } else {
            curve += d * d;
            ++n_inside;
        }
        if (end < HUGE_VAL) events_.push_back({end, -d * d, -1});
    }
    std::sort(events_.begin(), events_.end(),
              [](const Event& one, const Event& other) { return one.step < other.step; });
    double at = 0.0;
    for (const Event& event : events_) {
        if (event.step >= longest) break;
        if (n_inside > 0 && at + slope / curve <= event.step) return at + slope / curve;
        if (n_inside > 0) slope -= curve * (event.step - at);
        at = event.step;
        n_inside += event.inside;
        curve = n_inside > 0 ? std::max(curve + event.curve, least * least) : 0.0;
    }
    return n_inside > 0 && curve > 0.0 ? std::min(longest, at + slope / curve) : longest;
}

/// A step that is long enough to pass the cutoff, where the objective is cutoff^2 / 2, if it grows
/// at least a quarter as fast as at the start. Longer ones only lose digits.
double BoxL2Nodes::useful_step(double distance, double slope, double cutoff) const {
    if (cutoff == HUGE_VAL) return HUGE_VAL;
    return std::max(0.0, 2.0 * cutoff * cutoff - 0.5 * distance * distance) / slope;
}

/// One step on the active multipliers, residual_ holding what each misses. `is_ray`: the objective
/// has no end along it.
void BoxL2Nodes::newton_step(double cutoff, NodeState& state, bool& is_ray) {
    const std::size_t n = state.active.size();
    find_free();
    factorize(state.active);
    direction_ = residual_;
    solve(direction_);
    gather(state.active, direction_, g_direction_);
    double rise = 0.0;
    double weight = 0.0;
    double longest = HUGE_VAL;
    std::size_t blocking = n;
    for (std::size_t a = 0; a < n; ++a) {
        rise += direction_[a] * margins_->goal[state.active[a]];
        weight += std::abs(direction_[a]) * planes_.size()[state.active[a]];
        if (direction_[a] < 0.0 && state.lambda[a] < -longest * direction_[a]) {
            longest = -state.lambda[a] / direction_[a];
            blocking = a;
        }
    }
    double slope = 0.0;
    for (std::size_t a = 0; a < n; ++a) slope += direction_[a] * residual_[a];
    const double useful = useful_step(state.distance, slope, cutoff);
    const double step = best_step(rise, slope, std::min(longest, useful), weight);
    is_ray = step == HUGE_VAL;
    if (is_ray) return;
    for (std::size_t a = 0; a < n; ++a)
        state.lambda[a] = std::max(0.0, state.lambda[a] + step * direction_[a]);
    if (blocking < n && step >= longest) {
        state.active.erase(state.active.begin() + static_cast<std::ptrdiff_t>(blocking));
        state.lambda.erase(state.lambda.begin() + static_cast<std::ptrdiff_t>(blocking));
    }
}

}  // namespace redoubt
