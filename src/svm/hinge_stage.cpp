#include "svm/hinge_stage.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace redoubt {

namespace {

/// Weight of the proximal terms in b and s, where these are of size 1 and the points weigh 1 in
/// all. They only matter where no point is free and b is not determined; small enough not to slow
/// anything down.
constexpr double kProximalWeight = 1e-8;
void lift_diagonal(Matrix& H, double lift) {
    H.diagonal() *= 1.0 + lift;
    H.diagonal().array() += lift * H.diagonal().maxCoeff();
}

/// Larger Hessians are never set up.
constexpr Index kMostDenseFeatures = 10000;
/// Added to the diagonal, relative to it, when rounding makes a Hessian indefinite.
constexpr double kDiagonalLift = 1e-12;

}  // namespace

HingeStage::HingeStage(const HingeProblem& problem, const Traits& traits, LineSearch search,
                       StopFlag stop)
    : problem_(problem),
      delta_size_(kProximalWeight * problem.mean_square),
      is_large_(problem.is_wide()),
      large_(problem.n_threads, stop),
      traits_(traits),
      search_(search),
      delta_bias_(kProximalWeight),
      free_row_system_(problem.n_threads, stop) {
    for (Vector* v : {&w_at_, &w_ref_}) v->setZero(problem.n());
}

void HingeStage::lay_out(const Layout& layout) {
    layout_ = layout;
    average_weight_ = 1.0 / static_cast<double>(layout.n_rows);
    for (Vector* v : {&z_, &z_centre_, &direction_, &gradient_})
        v->setZero(problem_.n() + 1 + layout.n_sizes);
    for (Vector* v : {&u_, &u_centre_}) v->setZero(layout.n_cone);
    for (Vector* v : {&t_, &t_direction_, &a_, &a_centre_}) v->setZero(layout.n_rows);
}

void HingeStage::place(const Hyperplane& plane) {
    z_.head(problem_.n()) = plane.w;
    z_[layout_.bias] = plane.b;
    z_.segment(layout_.first_size, layout_.n_sizes) = sizes_of(plane.w);
    z_centre_ = z_;
    w_at_ = plane.w;
    multiply(z_, t_);
    t_.array() += 1.0;
}

void HingeStage::set_regularizer(double mu, Reference reference) {
    mu_ = mu;
    if (reference == Reference::Current) {
        w_ref_ = w();
    } else {
        w_ref_.setZero();
    }
}

void HingeStage::evaluate() {
    find_multipliers();
    follow_multipliers();
}

void HingeStage::evaluate_on_last_piece() {
    extend_last_piece();
    follow_multipliers();
}

/// What follows from the multipliers a: the gradient, and the cone's multipliers.
void HingeStage::follow_multipliers() {
    alpha_ = row_weights().cwiseProduct(a_);
    multiply_transposed(alpha_, gradient_);
    auto along_w = gradient_.head(problem_.n());
    along_w += mu_ * (w() - w_ref_);
    if (curvature_.size() > 0) along_w += curvature_ * (w() - w_at_);
    gradient_[layout_.bias] += delta_bias_ * (z_[layout_.bias] - z_centre_[layout_.bias]);
    add_cone_gradient();
}

bool HingeStage::factorize() {
    if (is_large_) {
        FreeRowSystem::Parts parts;
        const FreeRows* rows = stays_in_features_ ? nullptr : split_hessian(parts);
        if (rows != nullptr) {
            solver_ = Solver::FreeRows;
            if (free_row_system_.factorize(*rows, std::move(parts))) return true;
            // Rounding may do more harm there than in the features.
            if (large_.is_stopped() || problem_.n() > kMostDenseFeatures) return false;
        }
        solver_ = Solver::Large;
    }
    return factorize_dense();
}

/// The Hessian with the diagonal times 1 + lift, plus that share of the largest.
bool HingeStage::set_hessian(double lift) {
    const Index n = problem_.n();
    if (!set_hinge_hessian()) return false;
    Matrix& H = hessian();
    H.diagonal().head(n).array() += mu_;
    if (curvature_.size() > 0) H.topLeftCorner(n, n) += curvature_;
    H(layout_.bias, layout_.bias) += delta_bias_;
    add_cone_hessian();
    if (lift > 0.0) lift_diagonal(H, lift);
    return true;
}

bool HingeStage::factorize_dense() {
    const Index N = z_.size();
    if (!set_hessian(0.0)) return false;
    if (solver_ == Solver::Large) {
        // What is factorised is lost, so that another attempt begins from the rows.
        return large_.factorize() || (set_hessian(kDiagonalLift) && large_.factorize());
    }
    factor_.compute(hessian_.topLeftCorner(N, N));
    if (factor_.info() == Eigen::Success) return true;
    lift_diagonal(hessian_, kDiagonalLift);
    factor_.compute(hessian_.topLeftCorner(N, N));
    return factor_.info() == Eigen::Success;
}

Vector HingeStage::solve(const Vector& right) const {
    if (solver_ == Solver::Small) return factor_.solve(right);
    if (solver_ == Solver::FreeRows) return free_row_system_.solve(right);
    Vector x = right;
    large_.solve(x.data());
    return x;
}

void HingeStage::find_direction() {
    direction_ = solve(-gradient_);
    multiply(direction_, t_direction_);
}

bool HingeStage::step() {
    if (!factorize()) return false;
    find_direction();
    const double first_slope = slope(0.0);
    if (!(first_slope < 0.0)) return false;
    decrement_ = -first_slope;
    const double length = find_step(
        search_, [this](double step) { return slope(step); }, first_slope);
    if (!(length > 0.0)) return false;
    z_ += length * direction_;
    t_ += length * t_direction_;
    return true;
}

/// d/d(step) of Phi(z + step * direction).
double HingeStage::slope(double step) {
    double sum = hinge_slope(step);
    const auto dw = direction_.head(problem_.n());
    sum += mu_ * ((w() - w_ref_).dot(dw) + step * dw.squaredNorm());
    if (curvature_.size() > 0) sum += (curvature_ * (w() - w_at_ + step * dw)).dot(dw);
    const Index bias = layout_.bias;
    sum += delta_bias_ * (z_[bias] + step * direction_[bias] - z_centre_[bias]) * direction_[bias];
    return add_cone_slope(sum, step);
}

double HingeStage::smoothing_error() const {
    return 0.5 * eps_ * std::max(free_weight_, average_weight_);
}

void HingeStage::advance() {
    a_centre_ = a_;
    u_centre_ = u_;
    z_centre_ = z_;
    // The terms must stay as small where b and s have grown large.
    const double bias = std::max(1.0, std::abs(z_[layout_.bias]));
    delta_bias_ = kProximalWeight / (bias * bias);
    const double size = z_.segment(layout_.first_size, layout_.n_sizes).norm();
    delta_size_ = kProximalWeight / std::max(1.0 / problem_.mean_square, size * size);
}

void HingeStage::scale_multipliers(double factor) {
    mu_ *= factor;
    curvature_ *= factor;
    for (Vector* v : {&a_, &a_centre_, &u_centre_}) *v *= factor;
}

double HingeStage::largest_multiplier() {
    const Vector& a = multipliers();
    double largest = 0.0;
    for (Index j = 0; j < problem_.m; ++j) {
        if (problem_.c[j] > 0.0) largest = std::max(largest, a[j]);
    }
    return largest;
}

}  // namespace redoubt
