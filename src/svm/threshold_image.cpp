#include "svm/threshold_image.hpp"

#include <algorithm>
#include <cmath>

#include "svm/norm_cone.hpp"

namespace redoubt {

namespace {

/// Newton steps for the level of an l1 ball: the sum is piecewise linear in it.
constexpr int kMaxLevelSteps = 6;
constexpr double kLevelError = 1e-13;
/// Sums over all features are computed anew after moving this many entries per feature, or the
/// level by this share: features that it has passed since are counted on the wrong side.
constexpr double kEntriesPerRefresh = 2.0;
constexpr double kLargestDrift = 0.2;

}  // namespace

ThresholdImage::ThresholdImage(const HingeProblem& problem)
    : DualImage(problem),
      is_l1_(problem.threat.norm == Norm::L1),
      is_sparse_(problem.rows.is_sparse()),
      square_(problem.m) {
    const Vector origin = is_sparse_ ? Vector::Zero(problem.n()) : problem.mean;
    for (Index j = 0; j < problem.m; ++j)
        square_[j] = problem.rows.squared_distance(j, origin, 0.0, 0.0);
}

void ThresholdImage::reset(const Vector& alpha, double mu, const Vector& centre) {
    add_up(alpha, mu, centre);
    if (!is_sparse_) v_ -= balance_ * problem_.mean;
    level_ = 0.0;
    refresh();
}

void ThresholdImage::refresh() {
    level_ = is_l1_ ? ball_threshold(v_, R_) : R_;
    excess_ = 0.0;
    count_ = 0.0;
    for (double value : v_) {
        const double rest = std::abs(value) - level_;
        if (!(rest > 0.0)) continue;
        excess_ += rest;
        count_ += 1.0;
    }
    entries_moved_ = 0.0;
    fresh_level_ = level_;
}

ThresholdImage::State ThresholdImage::state_at(double step, double level) const {
    State state;
    state.own = problem_.rows.threshold(j_, problem_.mean, v_, step * problem_.y[j_], level);
    state.level = level;
    if (is_sparse_) {
        const double others = count_ - now_.own.count;
        state.excess = excess_ - now_.own.excess - (level - level_) * others + state.own.excess;
        state.count = others + state.own.count;
    } else {
        state.excess = state.own.excess;
        state.count = state.own.count;
    }
    return state;
}

/// The state after a step, at the level that belongs to it.
ThresholdImage::State ThresholdImage::find_level(double step) const {
    const double goal = R_ + step * problem_.r[j_];
    if (!is_l1_) return state_at(step, goal);
    State state = state_at(step, level_);
    for (int i = 0; i < kMaxLevelSteps; ++i) {
        const double miss = state.excess - goal;
        if (std::abs(miss) <= kLevelError * (goal + state.excess)) break;
        // Below all entries the level is found from one, above all of them from none.
        const double level = std::max(0.0, state.level + miss / std::max(1.0, state.count));
        if (level == state.level) break;
        state = state_at(step, level);
    }
    return state;
}

DualImage::Slope ThresholdImage::slope(const State& state) const {
    const double y = problem_.y[j_];
    const double r = problem_.r[j_];
    const kernels::ThresholdSums& own = state.own;
    if (!is_l1_) {
        const double growth = own.squares - 2.0 * r * y * own.signs + r * r * state.count;
        return {(y * own.soft - r * state.excess) / mu_, std::max(0.0, growth) / mu_};
    }
    if (!(state.level > 0.0)) return {0.0, 0.0};
    const double clipped = own.product - own.soft;
    const double shift = y * own.signs - r;
    const double growth = square_[j_] - own.squares + shift * shift / std::max(1.0, state.count);
    return {(y * clipped - r * state.level) / mu_, std::max(0.0, growth) / mu_};
}

DualImage::Slope ThresholdImage::look(Index j) {
    j_ = j;
    now_.own = problem_.rows.threshold(j, problem_.mean, v_, 0.0, level_);
    now_.level = level_;
    now_.excess = excess_;
    now_.count = count_;
    return slope(now_);
}

DualImage::Slope ThresholdImage::look_ahead(double step) {
    ahead_ = find_level(step);
    return slope(ahead_);
}

void ThresholdImage::move(double step) {
    const double y = problem_.y[j_];
    problem_.rows.add(j_, step * y, v_.data());
    if (!is_sparse_) v_ -= step * y * problem_.mean;
    balance_ += step * y;
    R_ += step * problem_.r[j_];
    level_ = ahead_.level;
    excess_ = ahead_.excess;
    count_ = ahead_.count;
    if (!is_sparse_) return;
    entries_moved_ += problem_.rows.n_numbers() / static_cast<double>(problem_.m);
    const bool is_old = entries_moved_ > kEntriesPerRefresh * static_cast<double>(problem_.n());
    if (is_old || std::abs(level_ - fresh_level_) > kLargestDrift * fresh_level_) refresh();
}

Vector ThresholdImage::w() const {
    Vector v = v_;
    double level = level_;
    if (is_sparse_) {
        v -= balance_ * problem_.mean;
        level = is_l1_ ? ball_threshold(v, R_) : R_;
    }
    const Vector clipped = v.cwiseMax(-level).cwiseMin(level);
    return (is_l1_ ? clipped : Vector(v - clipped)) / mu_;
}

double ThresholdImage::bias_shift() const {
    return is_sparse_ ? -w().dot(problem_.mean) : 0.0;
}

}  // namespace redoubt
