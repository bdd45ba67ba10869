#include "svm/round_image.hpp"

#include <algorithm>
#include <cmath>

namespace redoubt {

RoundImage::RoundImage(const HingeProblem& problem)
    : DualImage(problem),
      product_(problem.m),
      square_(problem.m),
      mean_square_(problem.mean.squaredNorm()) {
    problem.rows.multiply(problem.mean.data(), 0, problem.m, product_.data());
    for (Index j = 0; j < problem.m; ++j)
        square_[j] = problem.rows.squared_distance(j, problem.mean, product_[j], mean_square_);
}

void RoundImage::reset(const Vector& alpha, double mu, const Vector& centre) {
    has_size_ = false;
    DualImage::reset(alpha, mu, centre);
}

void RoundImage::fix_size(double mu, double size) {
    has_size_ = true;
    mu_ = mu;
    size_ = size;
}

double RoundImage::length() const {
    return std::sqrt(std::max(0.0, v_square_));
}

void RoundImage::refresh() {
    v_mean_ = v_.dot(problem_.mean);
    if (problem_.is_robust()) v_square_ = (v_ - balance_ * problem_.mean).squaredNorm();
}

DualImage::Slope RoundImage::look(Index j) {
    j_ = j;
    v_z_ = problem_.rows.dot(j, v_.data()) - v_mean_ - balance_ * (product_[j] - mean_square_);
    if (is_curved()) return look_ahead(0.0);
    const double lift = has_size_ ? problem_.r[j] * size_ : 0.0;
    return {problem_.y[j] * v_z_ / mu_ - lift, square_[j] / mu_};
}

DualImage::Slope RoundImage::look_ahead(double step) {
    const double y = problem_.y[j_];
    const double r = problem_.r[j_];
    const double square = square_[j_];
    const double along = y * v_z_ + step * square;  // y v'z at the new v
    const double length =
        std::sqrt(std::max(0.0, v_square_ + step * (2.0 * y * v_z_ + step * square)));
    const double rest = length - (R_ + step * r);
    if (!(rest > 0.0)) return {0.0, 0.0};
    const double cosine = along / length;
    const double growth =
        (cosine - r) * (cosine - r) + rest / length * std::max(0.0, square - cosine * cosine);
    return {rest * (cosine - r) / mu_, growth / mu_};
}

void RoundImage::move(double step) {
    const double y = problem_.y[j_];
    problem_.rows.add(j_, step * y, v_.data());
    v_mean_ += step * y * product_[j_];
    balance_ += step * y;
    if (!problem_.is_robust()) return;
    v_square_ += step * (2.0 * y * v_z_ + step * square_[j_]);
    R_ += step * problem_.r[j_];
}

Vector RoundImage::w() const {
    const Vector v = v_ - balance_ * problem_.mean;
    if (!is_curved()) return v / mu_;
    const double length = v.norm();
    return length > R_ ? Vector((1.0 - R_ / length) / mu_ * v) : Vector::Zero(v.size());
}

}  // namespace redoubt
