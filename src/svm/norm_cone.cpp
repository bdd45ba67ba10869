#include "svm/norm_cone.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace redoubt {

namespace {

/// Bisections for the multiplier of a scaled ball: more than the digits of a double.
constexpr int kBisections = 100;
constexpr double kTinyShare = 1e-300;

/// The level L with  start + sum_l (|v_l| - L)_+ = n_parts L,  n_parts >= 0. `sizes` is scratch.
double water_level(const VectorRef& v, double start, std::size_t n_parts,
                   std::vector<double>& sizes) {
    sizes.resize(static_cast<std::size_t>(v.size()));
    std::transform(v.begin(), v.end(), sizes.begin(), [](double value) { return std::abs(value); });
    std::sort(sizes.begin(), sizes.end(), std::greater<>());
    double sum = start;
    double level = 0.0;
    for (std::size_t i = 0; i < sizes.size() && (i == 0 || sizes[i] > level); ++i) {
        sum += sizes[i];
        level = sum / static_cast<double>(i + 1 + n_parts);
    }
    return level;
}

/// Longer vectors are not sorted.
constexpr Index kLongestSorted = 200;

/// Newton steps on all entries before those above the level are copied out.
constexpr int kStepsOnAll = 2;

struct Above {
    double excess;  ///< sum of |v_l| - level over the entries above the level
    double count;
};

/// Without branches: which entries are above is anyone's guess.
Above sum_above(const Eigen::Map<const Vector>& v, double level) {
    constexpr double kSteep = 1e300;
    const auto rest = v.array().abs() - level;
    return {rest.max(0.0).sum(), (rest * kSteep).max(0.0).min(1.0).sum()};
}

/// The level L with  sum_l (|v_l| - L)_+ = radius < ||v||_1  by Newton's method from below, total =
/// ||v||_1: the sum is convex and piecewise linear, so that entries which a level leaves out are
/// out for good.
double level_by_filtering(const VectorRef& v, double total, double radius,
                          std::vector<double>& sizes) {
    const double* values = v.data();
    Index count = v.size();
    double level = (total - radius) / static_cast<double>(count);
    double last = HUGE_VAL;
    for (int step = 1;; ++step) {
        const Above above = sum_above({values, count}, level);
        if (above.count == 0.0) return level;
        const double next = level + (above.excess - radius) / above.count;
        if (!(next > level) || above.count == last) return std::max(level, next);
        level = next;
        last = above.count;
        if (step != kStepsOnAll) continue;
        sizes.resize(static_cast<std::size_t>(count));
        std::size_t kept = 0;
        for (Index l = 0; l < count; ++l) {
            sizes[kept] = std::abs(values[l]);
            kept += sizes[kept] > level ? 1 : 0;
        }
        values = sizes.data();
        count = static_cast<Index>(kept);
    }
}

/// The point u of the ball { ||u||_p <= radius }, p = 1 or 2, that brings S u nearest to v, for a
/// given multiplier lambda of the ball; its norm falls as lambda grows.
Vector scaled_ball_point(Norm p, const Vector& scale, const VectorRef& v, double lambda) {
    Vector u = Vector::Zero(v.size());
    for (Index l = 0; l < v.size(); ++l) {
        const double s = scale[l];
        if (s == 0.0) continue;
        if (p == Norm::L2) {
            u[l] = s * v[l] / (s * s + lambda);
        } else {
            u[l] = std::copysign(std::max(0.0, std::abs(v[l]) - lambda / s) / s, v[l]);
        }
    }
    return u;
}

/// That of a point which lies in the ball.
double distance_to_scaled_ball(Norm p, const Vector& scale, const VectorRef& v, double radius) {
    if (p == Norm::LInf) return (v.cwiseAbs() - radius * scale).cwiseMax(0.0).norm();
    Vector u = scaled_ball_point(p, scale, v, 0.0);
    if (norm_value(p, u) > radius) {
        // At the upper end every u_l is below radius / n.
        double low = 0.0;
        double high = scale.cwiseProduct(v.cwiseAbs()).lpNorm<1>();
        if (p == Norm::L2) high /= std::max(radius, high * kTinyShare);
        for (int i = 0; i < kBisections; ++i) {
            const double middle = 0.5 * (low + high);
            const bool is_inside = norm_value(p, scaled_ball_point(p, scale, v, middle)) <= radius;
            (is_inside ? high : low) = middle;
        }
        u = scaled_ball_point(p, scale, v, high);
        const double rest = norm_value(p, u);
        if (rest > radius) u *= radius / rest;
    }
    return (v - scale.cwiseProduct(u)).norm();
}

}  // namespace

double ball_threshold(const VectorRef& v, double radius) {
    const double total = v.lpNorm<1>();
    if (total <= radius) return 0.0;
    std::vector<double> sizes;
    if (v.size() > kLongestSorted) return level_by_filtering(v, total, radius, sizes);
    return std::max(0.0, water_level(v, -radius, 0, sizes));
}

double distance_to_ball(Norm p, const Vector& scale, const VectorRef& v, double radius) {
    if (scale.size() > 0) return distance_to_scaled_ball(p, scale, v, radius);
    if (p == Norm::L2) return std::max(0.0, v.norm() - radius);
    if (p == Norm::LInf) return (v.cwiseAbs().array() - radius).max(0.0).matrix().norm();
    const double total = v.lpNorm<1>();
    if (total <= radius) return 0.0;
    // The nearest point is v soft-thresholded by the level that brings its l1 norm to the radius.
    std::vector<double> sizes;
    const double level = v.size() > kLongestSorted ? level_by_filtering(v, total, radius, sizes)
                                                   : water_level(v, -radius, 0, sizes);
    return v.cwiseAbs().cwiseMin(level).norm();
}

PolarNormCone::PolarNormCone(Norm p, Index n)
    : p_(p), n_(n), point_(n + 1), image_(n + 1), diagonal_(n + 1), direction_(n + 1) {}

const Vector& PolarNormCone::project(const VectorRef& point) {
    point_ = point;
    const double tau = -point_[n_];
    const double size = norm_value(p_, point_.head(n_));
    direction_scale_ = 0.0;
    if (size <= tau) {  // inside
        image_ = point_;
        diagonal_.setOnes();
    } else if (norm_value(dual(p_), point_.head(n_)) <= -tau) {
        // Inside K itself: nearest is the apex.
        image_.setZero();
        diagonal_.setZero();
    } else if (p_ == Norm::L2) {
        project_l2(tau);
    } else if (p_ == Norm::L1) {
        project_l1(tau);
    } else {
        project_linf(tau);
    }
    return image_;
}

// The nearest boundary point is (|v| + tau)/2 (v/|v|, -1).
void PolarNormCone::project_l2(double tau) {
    const double size = point_.head(n_).norm();
    const double height = 0.5 * (size + tau);
    image_.head(n_) = point_.head(n_) * (height / size);
    image_[n_] = -height;
    // Derivative: (height/size) (I - ee') + 1/2 gg' with e = v/|v| and g = (e, -1). Written with
    // one rank-one term: on the v block the two add up to (height/size) I + (1/2 - height/size)
    // ee'.
    diagonal_.head(n_).setConstant(height / size);
    diagonal_[n_] = 0.0;
    direction_.head(n_) = point_.head(n_) / size;
    direction_[n_] = -1.0;
    direction_scale_ = 0.5;
}

// Soft thresholding by kappa with tau + kappa = sum_l (|v_l| - kappa)_+.
void PolarNormCone::project_l1(double tau) {
    const double kappa = water_level(point_.head(n_), -tau, 1, sizes_);
    double n_moved = 1.0;
    for (Index l = 0; l < n_; ++l) {
        const double rest = std::max(0.0, std::abs(point_[l]) - kappa);
        image_[l] = std::copysign(rest, point_[l]);
        diagonal_[l] = rest > 0.0 ? 1.0 : 0.0;
        direction_[l] = rest > 0.0 ? std::copysign(1.0, point_[l]) : 0.0;
        n_moved += diagonal_[l];
    }
    image_[n_] = -(tau + kappa);
    // On the support the image stays on the hyperplane g'(v, sigma) = 0, g = (sign, 1).
    diagonal_[n_] = 1.0;
    direction_[n_] = 1.0;
    direction_scale_ = -1.0 / n_moved;
}

// Clipping to [-h, h] with h - tau = sum_l (|v_l| - h)_+.
void PolarNormCone::project_linf(double tau) {
    const double height = water_level(point_.head(n_), tau, 1, sizes_);
    double n_clipped = 1.0;
    for (Index l = 0; l < n_; ++l) {
        const bool clipped = std::abs(point_[l]) > height;
        image_[l] = clipped ? std::copysign(height, point_[l]) : point_[l];
        diagonal_[l] = clipped ? 0.0 : 1.0;
        direction_[l] = clipped ? std::copysign(1.0, point_[l]) : 0.0;
        n_clipped += clipped ? 1.0 : 0.0;
    }
    image_[n_] = -height;
    // The clipped entries and sigma move together along g = (sign, -1).
    diagonal_[n_] = 0.0;
    direction_[n_] = -1.0;
    direction_scale_ = 1.0 / n_clipped;
}

void PolarNormCone::add_derivative(double factor, Index sigma, const Vector& scale,
                                   Eigen::Ref<Matrix> H) const {
    for (Index l = 0; l < n_; ++l) H(l, l) += factor * diagonal_[l] * scale[l] * scale[l];
    H(sigma, sigma) += factor * diagonal_[n_];
    if (direction_scale_ == 0.0) return;
    const double along = factor * direction_scale_;
    const double inner = p_ == Norm::L2 ? along - factor * diagonal_[0] : along;
    for (Index l = 0; l < n_; ++l) {
        const double left = direction_[l] * scale[l];
        if (left == 0.0) continue;
        for (Index i = l; i < n_; ++i) H(l, i) += inner * left * (direction_[i] * scale[i]);
        H(l, sigma) += along * left * direction_[n_];
    }
    H(sigma, sigma) += along * direction_[n_] * direction_[n_];
}

std::vector<PolarNormCone::Term> PolarNormCone::derivative_parts(double factor, const Vector& scale,
                                                                 Vector& diagonal) const {
    diagonal.head(n_) += factor * diagonal_.head(n_).cwiseProduct(scale.cwiseAbs2());
    diagonal[n_] += factor * diagonal_[n_];
    if (direction_scale_ == 0.0) return {};
    const Vector p = direction_.head(n_).cwiseProduct(scale);
    std::vector<Term> terms{{p, direction_[n_], factor * direction_scale_}};
    if (p_ == Norm::L2 && diagonal_[0] > 0.0) terms.push_back({p, 0.0, -factor * diagonal_[0]});
    return terms;
}

}  // namespace redoubt
