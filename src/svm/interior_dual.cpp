#include "svm/interior_dual.hpp"

#include <algorithm>
#include <cmath>

#include "svm/ball_free_rows.hpp"

namespace redoubt {

namespace {

/// Two matrices of this size are kept.
constexpr Index kMostPoints = 3000;
/// Steps end this share of the way to the boundary.
constexpr double kWay = 0.995;

/// The longest step in [0, 1] that keeps value + step * direction positive.
double way_inside(const Vector& value, const Vector& direction) {
    double step = 1.0;
    for (Index i = 0; i < value.size(); ++i) {
        if (direction[i] < 0.0) step = std::min(step, -kWay * value[i] / direction[i]);
    }
    return step;
}

}  // namespace

bool InteriorDual::suits(const HingeProblem& problem) {
    return !problem.is_robust() && problem.mu > 0.0 && problem.m <= kMostPoints;
}

InteriorDual::InteriorDual(const HingeProblem& problem, StopFlag stop)
    : problem_(problem), matrix_(problem.n_threads, stop) {
    for (Index j = 0; j < problem.m; ++j) {
        if (problem.c[j] > 0.0) points_.push_back(static_cast<int>(j));
    }
    const auto count = static_cast<Index>(points_.size());
    y_.resize(count);
    c_.resize(count);
    for (Index i = 0; i < count; ++i) {
        y_[i] = problem.y[points_[static_cast<std::size_t>(i)]];
        c_[i] = problem.c[points_[static_cast<std::size_t>(i)]];
    }
}

bool InteriorDual::prepare() {
    BallFreeRows rows(problem_);
    rows.set(points_);
    matrix_.reset(c_.size());
    if (!rows.add_gram(Vector::Constant(problem_.n(), problem_.mu), matrix_)) return false;
    products_ = matrix_.matrix().topLeftCorner(c_.size(), c_.size());
    // In the middle, where both multipliers make up for whatever the slope is.
    alpha_ = 0.5 * c_;
    const Vector slope = (products_.selfadjointView<Eigen::Upper>() * alpha_).array() - 1.0;
    low_ = slope.cwiseMax(0.0).array() + 1.0;
    high_ = (-slope).cwiseMax(0.0).array() + 1.0;
    return true;
}

bool InteriorDual::factorize() {
    matrix_.reset(c_.size());
    matrix_.matrix().topLeftCorner(c_.size(), c_.size()) = products_;
    for (Index i = 0; i < c_.size(); ++i)
        matrix_.diagonal(i) += low_[i] / alpha_[i] + high_[i] / (c_[i] - alpha_[i]);
    if (!matrix_.factorize()) return false;
    labels_ = y_;
    matrix_.solve(labels_.data());
    return true;
}

/// (Q + D) d_alpha + y d_bias = right,  y'd_alpha = balance.
void InteriorDual::solve(const Vector& right, double balance, Vector& d_alpha,
                         double& d_bias) const {
    d_alpha = right;
    matrix_.solve(d_alpha.data());
    d_bias = (y_.dot(d_alpha) - balance) / y_.dot(labels_);
    d_alpha -= d_bias * labels_;
}

bool InteriorDual::step() {
    const Vector room = c_ - alpha_;
    const Vector rest = (products_.selfadjointView<Eigen::Upper>() * alpha_).array() - 1.0 +
                        bias_ * y_.array() - low_.array() + high_.array();
    const double balance = -y_.dot(alpha_);
    const double pairs = 2.0 * static_cast<double>(c_.size());
    const double mean = (alpha_.dot(low_) + room.dot(high_)) / pairs;
    if (!factorize()) return false;

    // Straight to the optimum, to see how far that goes.
    Vector d_alpha;
    double d_bias = 0.0;
    solve(-rest - low_ + high_, balance, d_alpha, d_bias);
    Vector d_low = -low_.array() - low_.array() * d_alpha.array() / alpha_.array();
    Vector d_high = -high_.array() + high_.array() * d_alpha.array() / room.array();
    const double way = std::min(way_inside(alpha_, d_alpha), way_inside(room, -d_alpha));
    const double way_of_bounds = std::min(way_inside(low_, d_low), way_inside(high_, d_high));
    const double left = ((alpha_ + way * d_alpha).dot(low_ + way_of_bounds * d_low) +
                         (room - way * d_alpha).dot(high_ + way_of_bounds * d_high)) /
                        pairs;
    const double target = mean * std::pow(left / mean, 3.0);

    // Then with that much of a barrier, and the second-order terms.
    const Vector low_term =
        (target - d_alpha.array() * d_low.array()) / alpha_.array() - low_.array();
    const Vector high_term =
        (target + d_alpha.array() * d_high.array()) / room.array() - high_.array();
    solve(-rest + low_term - high_term, balance, d_alpha, d_bias);
    d_low = low_term.array() - low_.array() * d_alpha.array() / alpha_.array();
    d_high = high_term.array() + high_.array() * d_alpha.array() / room.array();
    const double step = std::min({way_inside(alpha_, d_alpha), way_inside(room, -d_alpha),
                                  way_inside(low_, d_low), way_inside(high_, d_high)});
    if (!(step > 0.0) || !d_alpha.allFinite()) return false;
    alpha_ += step * d_alpha;
    bias_ += step * d_bias;
    low_ += step * d_low;
    high_ += step * d_high;
    return true;
}

Vector InteriorDual::multipliers() const {
    Vector a = Vector::Zero(problem_.m);
    for (Index i = 0; i < c_.size(); ++i)
        a[points_[static_cast<std::size_t>(i)]] = std::clamp(alpha_[i] / c_[i], 0.0, 1.0);
    return a;
}

}  // namespace redoubt
