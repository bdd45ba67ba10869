#include "svm/norm_cone.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace redoubt {

PolarNormCone::PolarNormCone(Norm p, Index n)
    : p_(p),
      n_(n),
      point_(n + 1),
      image_(n + 1),
      sorted_(static_cast<std::size_t>(n)),
      diagonal_(n + 1),
      direction_(n + 1) {}

const Vector& PolarNormCone::project(const VectorRef& point) {
    point_ = point;
    const double tau = -point_[n_];
    const double size = norm_value(p_, point_.head(n_));
    direction_scale_ = 0.0;
    if (size <= tau) {  // inside
        image_ = point_;
        diagonal_.setOnes();
    } else if (norm_value(dual(p_), point_.head(n_)) <=
               -tau) {  // inside K itself: nearest is the apex
        image_.setZero();
        diagonal_.setZero();
    } else {
        switch (p_) {
            case Norm::L1:
                project_l1();
                break;
            case Norm::L2:
                project_l2();
                break;
            case Norm::LInf:
                project_linf();
                break;
        }
    }
    return image_;
}

// The nearest boundary point is (|v| + tau)/2 (v/|v|, -1).
void PolarNormCone::project_l2() {
    const double tau = -point_[n_];
    const double size = point_.head(n_).norm();
    const double height = 0.5 * (size + tau);
    image_.head(n_) = point_.head(n_) * (height / size);
    image_[n_] = -height;
    // Derivative: (height/size) (I - e e') + 1/2 g g' with e = v/|v| and g = (e, -1). Written with
    // one rank-one term: on the v block the two add up to (height/size) I + (1/2 - height/size) e
    // e'.
    diagonal_.head(n_).setConstant(height / size);
    diagonal_[n_] = 0.0;
    direction_.head(n_) = point_.head(n_) / size;
    direction_[n_] = -1.0;
    direction_scale_ = 0.5;
}

// Soft thresholding by kappa with tau + kappa = sum_l (|v_l| - kappa)_+.
void PolarNormCone::project_l1() {
    const double tau = -point_[n_];
    for (Index l = 0; l < n_; ++l) sorted_[static_cast<std::size_t>(l)] = std::abs(point_[l]);
    std::sort(sorted_.begin(), sorted_.end(), std::greater<>());
    double sum = -tau;
    double kappa = 0.0;
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
        sum += sorted_[i];
        const double trial = sum / static_cast<double>(i + 2);
        if (i > 0 && sorted_[i] <= kappa) break;
        kappa = trial;
    }
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
void PolarNormCone::project_linf() {
    const double tau = -point_[n_];
    for (Index l = 0; l < n_; ++l) sorted_[static_cast<std::size_t>(l)] = std::abs(point_[l]);
    std::sort(sorted_.begin(), sorted_.end(), std::greater<>());
    double sum = tau;
    double height = std::max(tau, 0.0);
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
        if (i > 0 && sorted_[i] <= height) break;
        sum += sorted_[i];
        height = sum / static_cast<double>(i + 2);
    }
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

void PolarNormCone::add_derivative(double factor, Index sigma, Eigen::Ref<Matrix> H,
                                   const Vector& scale) const {
    const bool is_scaled = scale.size() > 0;
    const auto scale_of = [&](Index l) { return is_scaled ? scale[l] : 1.0; };
    for (Index l = 0; l < n_; ++l) H(l, l) += factor * diagonal_[l] * scale_of(l) * scale_of(l);
    H(sigma, sigma) += factor * diagonal_[n_];
    if (direction_scale_ == 0.0) return;
    const double along = factor * direction_scale_;
    const double inner = p_ == Norm::L2 ? along - factor * diagonal_[0] : along;
    for (Index l = 0; l < n_; ++l) {
        const double left = direction_[l] * scale_of(l);
        if (left == 0.0) continue;
        for (Index i = l; i < n_; ++i) H(l, i) += inner * left * (direction_[i] * scale_of(i));
        H(l, sigma) += along * left * direction_[n_];
    }
    H(sigma, sigma) += along * direction_[n_] * direction_[n_];
}

}  // namespace redoubt
