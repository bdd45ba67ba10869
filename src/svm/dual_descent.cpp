#include "svm/dual_descent.hpp"

#include <algorithm>
#include <cmath>

namespace redoubt {

namespace {

constexpr std::uint64_t kOrderSeed = 1;
/// k in units of the mean ||z||^2 / mu.
constexpr double kBiasSoftness = 0.03;
/// Looks along a coordinate whose slope is not linear, and the share of the first slope at which
/// they end.
constexpr int kMaxLooks = 3;
constexpr double kGoodSlope = 0.3;
/// Numbers that are read between two looks at the flag.
constexpr double kNumbersPerLook = 1e6;
/// Steps below this share of the bound are not worth the row's addition.
constexpr double kLeastStep = 1e-15;

}  // namespace

DualDescent::DualDescent(const HingeProblem& problem, StopFlag stop)
    : problem_(problem),
      stop_(stop),
      image_(DualImage::make(problem)),
      random_(kOrderSeed),
      centre_(Vector::Zero(problem.n())),
      alpha_(Vector::Zero(problem.m)) {
    for (Index j = 0; j < problem.m; ++j) {
        if (problem.c[j] > 0.0) points_.push_back(static_cast<int>(j));
    }
    n_active_ = points_.size();
}

void DualDescent::start(const Vector& a) {
    alpha_ = problem_.c.cwiseProduct(a);
}

void DualDescent::set_regularizer(double mu, const Vector& centre, double factor) {
    centre_ = centre;
    const double bias = bias_centre_ + softness_ * balance_;
    if (factor != 1.0) alpha_ = (factor * alpha_).cwiseMin(problem_.c);
    balance_ = alpha_.dot(problem_.y);
    soften(mu);
    image_->reset(alpha_, mu, centre);
    bias_centre_ = bias - softness_ * balance_;
    n_active_ = points_.size();
    last_largest_ = HUGE_VAL;
    last_smallest_ = -HUGE_VAL;
}

void DualDescent::soften(double mu) {
    mu_ = mu;
    const double mean_length = problem_.mean_square * static_cast<double>(problem_.n());
    softness_ = kBiasSoftness * mean_length / mu;
}

void DualDescent::fix_size(double mu, double size) {
    const double bias = bias_centre_ + softness_ * balance_;
    soften(mu);
    bias_centre_ = bias - softness_ * balance_;
    image_->fix_size(mu, size);
}

void DualDescent::set_bias(double bias) {
    bias_centre_ = bias + image_->bias_shift() - softness_ * balance_;
}

void DualDescent::move_to(const Vector& alpha, double bias) {
    alpha_ = alpha;
    balance_ = alpha_.dot(problem_.y);
    image_->reset(alpha_, mu_, centre_);
    last_largest_ = HUGE_VAL;
    last_smallest_ = -HUGE_VAL;
    restore();
    set_bias(bias);
}

bool DualDescent::pass() {
    for (std::size_t i = n_active_; i > 1; --i)
        std::swap(points_[i - 1],
                  points_[static_cast<std::size_t>(random_.below(static_cast<Index>(i)))]);
    const double numbers = problem_.rows.n_numbers() / static_cast<double>(problem_.m);
    const auto per_look =
        static_cast<std::size_t>(std::max(1.0, kNumbersPerLook / (numbers + 8.0)));
    largest_ = -HUGE_VAL;
    smallest_ = HUGE_VAL;
    for (std::size_t i = 0; i < n_active_;) {
        if (i % per_look == 0 && is_raised(stop_)) return false;
        if (visit(points_[i])) {
            ++i;
        } else {
            std::swap(points_[i], points_[--n_active_]);
        }
    }
    n_visits_ += static_cast<double>(n_active_);
    image_->refresh();
    balance_ = alpha_.dot(problem_.y);
    bias_centre_ += softness_ * balance_;
    last_largest_ = largest_ > 0.0 ? largest_ : HUGE_VAL;
    last_smallest_ = smallest_ < 0.0 ? smallest_ : -HUGE_VAL;
    return true;
}

/// False when the point seems to stay at its bound: the slope there is beyond all that the last
/// pass saw elsewhere.
bool DualDescent::visit(Index j) {
    const double y = problem_.y[j];
    const double c = problem_.c[j];
    const double old = alpha_[j];
    DualImage::Slope slope = image_->look(j);
    const double rest = y * (bias_centre_ + softness_ * balance_) - 1.0;
    const double first = slope.value + rest;
    if (old <= 0.0 && first >= 0.0) {
        if (first > last_largest_) return false;
        smallest_ = std::min(smallest_, 0.0);
        return true;
    }
    if (old >= c && first <= 0.0) {
        if (first < last_smallest_) return false;
        largest_ = std::max(largest_, 0.0);
        return true;
    }
    largest_ = std::max(largest_, first);
    smallest_ = std::min(smallest_, first);

    // The derivative rises along the step: a root of it, or a bound.
    double low = -old;
    double high = c - old;
    double step = 0.0;
    double value = first;
    for (int look = 0;; ++look) {
        (value > 0.0 ? high : low) = step;
        const double growth = slope.growth + softness_;
        step = std::clamp(step - value / growth, low, high);
        if (!image_->is_curved()) break;
        slope = image_->look_ahead(step);
        value = slope.value + rest + softness_ * step;
        const bool is_at_bound =
            (step <= -old && value >= 0.0) || (step >= c - old && value <= 0.0);
        if (is_at_bound || std::abs(value) <= kGoodSlope * std::abs(first) || look == kMaxLooks)
            break;
    }
    // Exactly at the bound where it ends there.
    const double next = step <= -old ? 0.0 : step >= c - old ? c : old + step;
    step = next - old;
    if (std::abs(step) <= kLeastStep * c) return true;
    image_->move(step);
    alpha_[j] = next;
    balance_ += step * y;
    return true;
}

void DualDescent::restore() {
    n_active_ = points_.size();
}

Vector DualDescent::multipliers() const {
    Vector a = Vector::Zero(problem_.m);
    for (int j : points_) a[j] = std::min(1.0, alpha_[j] / problem_.c[j]);
    return a;
}

bool DualDescent::has_full() const {
    return std::any_of(points_.begin(), points_.end(),
                       [this](int j) { return alpha_[j] >= problem_.c[j]; });
}

Index DualDescent::n_free() const {
    return std::count_if(points_.begin(), points_.end(),
                         [this](int j) { return alpha_[j] > 0.0 && alpha_[j] < problem_.c[j]; });
}

}  // namespace redoubt
