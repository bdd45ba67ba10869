#include "svm/dual_face.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "svm/norm_cone.hpp"

namespace redoubt {

namespace {

/// The multiple of the identity is the largest residual over the largest multiplier, and at least
/// this share of the matrix's largest number.
constexpr double kLeastDamping = 1e-13;
constexpr int kMostHalvings = 8;
/// Products of up to so many points are kept.
constexpr Index kMostKept = 200;

}  // namespace

/// v, R, w and its size at these multipliers. The distance of v to the ball.
double DualFace::find_plane(const Task& task, const Vector& alpha) {
    const Index n = problem_.n();
    Vector image(rows_.n_variables());
    rows_.multiply_transposed(alpha, image);
    v_ = task.mu * task.centre - image.head(n);
    R_ = problem_.is_robust() ? image[rows_.size()] : 0.0;
    if (!problem_.is_robust()) {
        w_ = v_ / task.mu;
        return v_.norm();
    }
    Vector rest;
    if (problem_.threat.norm == Norm::L2) {
        const double length = v_.norm();
        share_ = length > R_ ? 1.0 - R_ / length : 0.0;
        rest = share_ * v_;
        size_ = rest.norm() / task.mu;
    } else if (problem_.threat.norm == Norm::LInf) {
        level_ = R_;
        rest = v_ - v_.cwiseMax(-level_).cwiseMin(level_);
        size_ = rest.lpNorm<1>() / task.mu;
    } else {
        level_ = ball_threshold(v_, R_);
        rest = v_.cwiseMax(-level_).cwiseMin(level_);
        size_ = level_ / task.mu;
    }
    w_ = rest / task.mu;
    return rest.norm();
}

double DualFace::merit(const Task& task, const Vector& alpha, double bias_centre) {
    const double distance = find_plane(task, alpha);
    const double balance = alpha.dot(problem_.y);
    return 0.5 * distance * distance / task.mu - alpha.sum() + bias_centre * balance +
           0.5 * task.softness * balance * balance;
}

void DualFace::find_free(const Vector& alpha) {
    free_.clear();
    for (Index j = 0; j < problem_.m; ++j) {
        if (alpha[j] > 0.0 && alpha[j] < problem_.c[j]) free_.push_back(static_cast<int>(j));
    }
    const auto count = static_cast<Index>(free_.size());
    radii_.setZero(count);
    for (Index i = 0; problem_.is_robust() && i < count; ++i)
        radii_[i] = problem_.r[free_[static_cast<std::size_t>(i)]];
}

/// Which features follow v, and what is left of those that do not.
void DualFace::set_radial() {
    following_.clear();
    others_.clear();
    const Index n = problem_.n();
    const bool is_round = !problem_.is_robust() || problem_.threat.norm == Norm::L2;
    const bool is_l1 = problem_.threat.norm == Norm::L1;
    radial_.setZero(n);
    for (Index l = 0; l < n; ++l) {
        const bool is_above = !is_round && std::abs(v_[l]) > level_;
        const bool follows = is_round || is_above != is_l1;
        (follows ? following_ : others_).push_back(static_cast<int>(l));
        if (is_above) radial_[l] = std::copysign(1.0, v_[l]);
    }
    if (!problem_.is_robust()) {
        share_ = 1.0;
        return;
    }
    if (is_round) {
        radial_ = v_ / std::max(v_.norm(), 1e-300);
    } else {
        share_ = 1.0;
    }
    const double shift = problem_.mean.dot(radial_);
    along_.resize(static_cast<Index>(free_.size()));
    for (Index i = 0; i < along_.size(); ++i)
        along_[i] = label(i) *
                    (problem_.rows.dot(free_[static_cast<std::size_t>(i)], radial_.data()) - shift);
}

/// Rows are spread out once each, over the features that follow, and multiplied with those after.
bool DualFace::add_sparse_products() {
    const auto count = static_cast<Index>(free_.size());
    Vector mean = Vector::Zero(problem_.n());
    Vector follows = Vector::Zero(problem_.n());
    for (int l : following_) {
        mean[l] = problem_.mean[l];
        follows[l] = 1.0;
    }
    const double square = mean.squaredNorm();
    Vector product(count);
    for (Index i = 0; i < count; ++i)
        product[i] = problem_.rows.dot(free_[static_cast<std::size_t>(i)], mean.data());
    Vector spread = Vector::Zero(problem_.n());
    for (Index i = 0; i < count; ++i) {
        if (matrix_.is_stopped()) return false;
        const int j = free_[static_cast<std::size_t>(i)];
        problem_.rows.for_each(j, [&](Index l, double value) { spread[l] = follows[l] * value; });
        for (Index k = i; k < count; ++k) {
            const double inner =
                problem_.rows.dot(free_[static_cast<std::size_t>(k)], spread.data());
            matrix_.at(i, k) += label(i) * label(k) * (inner - product[i] - product[k] + square);
        }
        problem_.rows.for_each(j, [&](Index l, double) { spread[l] = 0.0; });
    }
    return true;
}

bool DualFace::add_dense_products(const std::vector<int>& points, const std::vector<int>& features,
                                  LargeCholesky& products) const {
    const auto width = static_cast<Index>(features.size());
    return products.add_columns(width, [&](Index i, Index begin, Index end, double* out) {
        const int j = points[static_cast<std::size_t>(i)];
        const double sign = problem_.y[j];
        const double* x = problem_.rows.dense_row(j);
        for (Index at = begin; at < end; ++at) {
            const int l = features[static_cast<std::size_t>(at)];
            out[at - begin] = sign * (x[l] - problem_.mean[l]);
        }
    });
}

/// Of few points, most of them free, the products over all features serve every step: only those
/// of the features that do not follow are taken off.
bool DualFace::can_keep_products() const {
    const auto count = static_cast<Index>(free_.size());
    return problem_.m <= kMostKept && 2 * count >= problem_.m && others_.size() < following_.size();
}

bool DualFace::add_kept_products() {
    if (products_.size() == 0) {
        std::vector<int> points(static_cast<std::size_t>(problem_.m));
        std::vector<int> features(static_cast<std::size_t>(problem_.n()));
        std::iota(points.begin(), points.end(), 0);
        std::iota(features.begin(), features.end(), 0);
        rest_.reset(problem_.m);
        if (!add_dense_products(points, features, rest_)) return false;
        products_ = rest_.matrix();
    }
    const auto count = static_cast<Index>(free_.size());
    rest_.reset(count);
    if (!add_dense_products(free_, others_, rest_)) return false;
    for (Index i = 0; i < count; ++i) {
        const int j = free_[static_cast<std::size_t>(i)];
        for (Index k = i; k < count; ++k)
            matrix_.at(i, k) = products_(j, free_[static_cast<std::size_t>(k)]) - rest_.at(i, k);
    }
    return true;
}

void DualFace::add_terms(const std::vector<Term>& terms) {
    const auto count = static_cast<Index>(free_.size());
    for (const Term& term : terms) {
        for (Index i = 0; i < count; ++i) {
            const double p = 0.5 * term.strength * term.p[i];
            const double q = 0.5 * term.strength * term.q[i];
            for (Index k = i; k < count; ++k) matrix_.at(i, k) += p * term.q[k] + q * term.p[k];
        }
    }
}

/// mu times the second derivative. False when stopped.
bool DualFace::set_matrix() {
    const auto count = static_cast<Index>(free_.size());
    matrix_.reset(count);
    if (problem_.rows.is_sparse()) {
        if (!add_sparse_products()) return false;
    } else {
        const bool is_done = can_keep_products() ? add_kept_products()
                                                 : add_dense_products(free_, following_, matrix_);
        if (!is_done) return false;
    }
    if (!problem_.is_robust()) return true;
    const auto n_above = radial_.lpNorm<1>();
    const Vector apart = along_ - radii_;
    if (problem_.threat.norm == Norm::L2) {
        for (Index i = 0; i < count; ++i) {
            for (Index k = i; k < count; ++k) matrix_.at(i, k) *= share_;
        }
        add_terms({{along_, along_, -share_}, {apart, apart, 1.0}});
    } else if (problem_.threat.norm == Norm::LInf) {
        add_terms({{along_, radii_, -2.0}, {radii_, radii_, n_above}});
    } else if (n_above > 0.0) {
        add_terms({{apart, apart, 1.0 / n_above}});
    }
    return true;
}

bool DualFace::step(const Task& task, Vector& alpha, double& bias) {
    const double first_distance = find_plane(task, alpha);
    find_free(alpha);
    const auto count = static_cast<Index>(free_.size());
    if (count == 0 || !(first_distance > 0.0)) return false;
    set_radial();

    // The slopes, without the bias.
    Vector z = Vector::Zero(rows_.n_variables());
    z.head(problem_.n()) = w_;
    if (problem_.is_robust()) z[rows_.size()] = size_;
    Vector t(problem_.m);
    rows_.multiply(z, t);
    Vector p(count);
    Vector q(count);
    double residual = 0.0;
    double largest = 0.0;
    for (Index i = 0; i < count; ++i) {
        const int j = free_[static_cast<std::size_t>(i)];
        p[i] = -t[j] - 1.0;
        q[i] = label(i);
        residual = std::max(residual, std::abs(p[i] + q[i] * bias));
        largest = std::max(largest, task.is_bounded ? problem_.c[j] : alpha[j]);
    }

    if (!set_matrix()) return false;
    double top = 0.0;
    for (Index i = 0; i < count; ++i) top = std::max(top, matrix_.diagonal(i));
    const double lift = std::max(residual / largest * task.mu, kLeastDamping * top);
    for (Index i = 0; i < count; ++i) matrix_.diagonal(i) += lift;
    if (!matrix_.factorize()) return false;

    // d = -mu M^-1 (slopes + bias y), the bias such that y'(alpha + d) = 0.
    const Vector labels = q;
    matrix_.solve(p.data());
    matrix_.solve(q.data());
    const double curvature = labels.dot(q);
    if (!(curvature > 0.0)) return false;
    const double balance = alpha.dot(problem_.y);
    const double next_bias = (balance / task.mu - labels.dot(p)) / curvature;
    const Vector direction = -task.mu * (p + next_bias * q);

    const double before = 0.5 * first_distance * first_distance / task.mu - alpha.sum() +
                          next_bias * balance + 0.5 * task.softness * balance * balance;
    double length = 1.0;
    for (int i = 0; i <= kMostHalvings && !matrix_.is_stopped(); ++i, length *= 0.5) {
        Vector next = alpha;
        for (Index k = 0; k < count; ++k) {
            const int j = free_[static_cast<std::size_t>(k)];
            next[j] = std::clamp(alpha[j] + length * direction[k], 0.0, problem_.c[j]);
        }
        if (!(merit(task, next, next_bias) < before)) continue;
        alpha = next;
        bias = next_bias;
        return true;
    }
    return false;
}

}  // namespace redoubt
