#include "svm/smoothed_hinge.hpp"

#include <algorithm>
#include <cmath>

#include "svm/line_search.hpp"

namespace redoubt {

namespace {

/// Weight of the proximal terms in b and s, where these are of size 1 and the points weigh 1 in
/// all. They only matter where no point is free and b is not determined; small enough not to slow
/// anything down.
constexpr double kProximalWeight = 1e-8;
/// Added to the diagonal, relative to it, when rounding makes a Hessian indefinite.
constexpr double kDiagonalLift = 1e-12;

double clip01(double value) {
    return std::min(1.0, std::max(0.0, value));
}

}  // namespace

SmoothedHinge::SmoothedHinge(const HingeProblem& problem, HingeMap& map)
    : problem_(problem),
      map_(map),
      cone_(problem.norm, problem.n()),
      mu_(problem.mu),
      delta_bias_(kProximalWeight),
      delta_size_(kProximalWeight * map.mean_square()) {
    for (Vector* v : {&z_, &z_centre_, &direction_, &gradient_}) v->setZero(problem.n_variables());
    for (Vector* v : {&t_, &t_direction_, &c_t_direction_, &a_, &a_centre_, &alpha_})
        v->setZero(problem.m);
    for (Vector* v : {&u_, &u_centre_, &cone_point_}) v->setZero(problem.n() + 1);
    w_ref_.setZero(problem.n());
}

void SmoothedHinge::start(const VectorRef& w, double bias, const VectorRef& a_centre) {
    z_.head(problem_.n()) = w;
    z_[problem_.bias()] = bias;
    if (problem_.is_robust()) z_[problem_.size()] = problem_.size_of(w);
    z_centre_ = z_;
    map_.multiply(z_, t_);
    t_.array() += 1.0;
    a_centre_ = a_centre;
    a_ = a_centre;
    free_rows_.clear();
    for (Index j = 0; j < problem_.m; ++j) {
        if (a_[j] > 0.0 && a_[j] < 1.0 && problem_.c[j] > 0.0)
            free_rows_.push_back(static_cast<int>(j));
    }
    if (!problem_.is_robust()) return;
    // The cone's multiplier balances the others in the optimality conditions.
    alpha_ = problem_.c.cwiseProduct(a_);
    map_.multiply_transposed(alpha_, gradient_);
    cone_point_ << -gradient_.head(problem_.n()) - mu_ * w, -gradient_[problem_.size()];
    for (Index l = 0; l < problem_.scale.size(); ++l) {
        const double scale = problem_.scale[l];
        cone_point_[l] = scale > 0.0 ? cone_point_[l] / scale : 0.0;
    }
    u_centre_ = cone_.project(cone_point_);
}

/// The cone's multiplier at z + step * direction, which is the one after `evaluate` for step 0. Its
/// first n entries belong to S w.
const Vector& SmoothedHinge::cone_multiplier(double step) {
    const Index n = problem_.n();
    cone_point_.head(n) = z_.head(n);
    cone_point_[n] = z_[problem_.size()];
    if (step != 0.0) {
        cone_point_.head(n) += step * direction_.head(n);
        cone_point_[n] += step * direction_[problem_.size()];
    }
    if (problem_.scale.size() > 0) cone_point_.head(n).array() *= problem_.scale.array();
    cone_point_ = u_centre_ + cone_point_ / smoothing_.eps_cone;
    return cone_.project(cone_point_);
}

void SmoothedHinge::set_regularizer(double mu, Reference reference) {
    mu_ = mu;
    if (reference == Reference::Current) {
        w_ref_ = z_.head(problem_.n());
    } else {
        w_ref_.setZero();
    }
}

void SmoothedHinge::evaluate() {
    const double slope = 1.0 / smoothing_.eps;
    free_rows_.clear();
    for (Index j = 0; j < problem_.m; ++j) {
        a_[j] = clip01(a_centre_[j] + slope * t_[j]);
        if (a_[j] > 0.0 && a_[j] < 1.0 && problem_.c[j] > 0.0)
            free_rows_.push_back(static_cast<int>(j));
    }
    follow_multipliers();
}

void SmoothedHinge::evaluate_on_last_piece() {
    for (int j : free_rows_) a_[j] = a_centre_[j] + t_[j] / smoothing_.eps;
    follow_multipliers();
}

/// Everything that follows from the multipliers a: free weights, gradient, cone multiplier.
void SmoothedHinge::follow_multipliers() {
    free_weights_.clear();
    free_weight_ = 0.0;
    for (int j : free_rows_) {
        free_weights_.push_back(problem_.c[j] / smoothing_.eps);
        free_weight_ += problem_.c[j];
    }
    alpha_ = problem_.c.cwiseProduct(a_);
    map_.multiply_transposed(alpha_, gradient_);
    const Index n = problem_.n();
    gradient_.head(n) += mu_ * (z_.head(n) - w_ref_);
    gradient_[problem_.bias()] += delta_bias_ * (z_[problem_.bias()] - z_centre_[problem_.bias()]);
    if (!problem_.is_robust()) return;
    const Index size = problem_.size();
    u_ = cone_multiplier(0.0);
    if (problem_.scale.size() == 0) {
        gradient_.head(n) += u_.head(n);
    } else {
        gradient_.head(n) += problem_.scale.cwiseProduct(u_.head(n));
    }
    gradient_[size] += u_[n] + delta_size_ * (z_[size] - z_centre_[size]);
}

bool SmoothedHinge::factorize() {
    const Index N = problem_.n_variables();
    map_.gram(free_rows_, free_weights_, hessian_);
    hessian_.diagonal().head(problem_.n()).array() += mu_;
    hessian_(problem_.bias(), problem_.bias()) += delta_bias_;
    if (problem_.is_robust()) {
        hessian_(problem_.size(), problem_.size()) += delta_size_;
        const Vector scale =
            problem_.scale.size() > 0 ? problem_.scale : Vector::Ones(problem_.n());
        cone_.add_derivative(1.0 / smoothing_.eps_cone, problem_.size(), scale,
                             hessian_.topLeftCorner(N, N));
    }
    factor_.compute(hessian_.topLeftCorner(N, N));
    if (factor_.info() == Eigen::Success) return true;
    hessian_.diagonal() *= 1.0 + kDiagonalLift;
    hessian_.diagonal().array() += kDiagonalLift * hessian_.diagonal().maxCoeff();
    factor_.compute(hessian_.topLeftCorner(N, N));
    return factor_.info() == Eigen::Success;
}

bool SmoothedHinge::step() {
    if (!factorize()) return false;
    direction_ = factor_.solve(-gradient_);
    map_.multiply(direction_, t_direction_);
    c_t_direction_ = problem_.c.cwiseProduct(t_direction_);
    const double first_slope = slope(0.0);
    if (!(first_slope < 0.0)) return false;
    decrement_ = -first_slope;
    const double length = find_step(
        LineSearch::Quick, [this](double step) { return slope(step); }, first_slope);
    z_ += length * direction_;
    t_ += length * t_direction_;
    return true;
}

/// d/d(step) of Phi(z + step * direction).
double SmoothedHinge::slope(double step) {
    const kernels::ClippedSum terms{
        c_t_direction_.data(), a_centre_.data(), t_.data(), t_direction_.data(), step,
        1.0 / smoothing_.eps};
    double result =
        map_.sum([&](Index begin, Index end) { return kernels::sum_clipped(terms, begin, end); });
    const Index n = problem_.n();
    const auto dw = direction_.head(n);
    result += mu_ * ((z_.head(n) - w_ref_).dot(dw) + step * dw.squaredNorm());
    const auto proximal = [&](Index i, double delta) {
        return delta * (z_[i] + step * direction_[i] - z_centre_[i]) * direction_[i];
    };
    result += proximal(problem_.bias(), delta_bias_);
    if (!problem_.is_robust()) return result;
    const Index size = problem_.size();
    result += proximal(size, delta_size_);
    const Vector& u = cone_multiplier(step);
    const double along_w = problem_.scale.size() == 0
                               ? u.head(n).dot(dw)
                               : u.head(n).cwiseProduct(problem_.scale).dot(dw);
    return result + along_w + u[n] * direction_[size];
}

double SmoothedHinge::next_decrement() {
    return gradient_.dot(factor_.solve(gradient_));
}

double SmoothedHinge::smoothing_error() const {
    // At least one average point's worth, so that the goal of a stage is never exactly zero.
    return 0.5 * smoothing_.eps * std::max(free_weight_, 1.0 / static_cast<double>(problem_.m));
}

double SmoothedHinge::largest_multiplier() const {
    double largest = 0.0;
    for (Index j = 0; j < problem_.m; ++j) {
        if (problem_.c[j] > 0.0) largest = std::max(largest, a_[j]);
    }
    return largest;
}

void SmoothedHinge::advance() {
    a_centre_ = a_;
    u_centre_ = u_;
    z_centre_ = z_;
    // The terms must stay as small where b and s have grown large.
    const double bias = std::max(1.0, std::abs(z_[problem_.bias()]));
    delta_bias_ = kProximalWeight / (bias * bias);
    if (!problem_.is_robust()) return;
    const double size = z_[problem_.size()];
    delta_size_ = kProximalWeight / std::max(1.0 / map_.mean_square(), size * size);
}

void SmoothedHinge::scale_multipliers(double factor) {
    mu_ *= factor;
    a_centre_ *= factor;
    a_ *= factor;
    u_centre_ *= factor;
}

}  // namespace redoubt
