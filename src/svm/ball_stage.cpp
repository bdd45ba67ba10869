#include "svm/ball_stage.hpp"

#include <algorithm>
#include <cmath>

#include "svm/hard_margin.hpp"

namespace redoubt {

namespace {

constexpr HingeStage::Traits kBallTraits{
    .least_eps = 1e-8, .max_idle_stages = 20, .max_idle_small = 3, .keeps_best_hard_margin = false};
/// Width of the cone's smoothing for a hinge width of 1, in units of ||w|| / (mean radius), which
/// is how the size of a point in the cone compares with that of a multiplier.
constexpr double kConeRatio = 2.0;
/// A stage ends when its last step promised less than this share of its smoothing error
constexpr double kStageGoal = 0.05;
/// (tighter in the search for the least norm, where mu makes the objective nearly flat).
constexpr double kLeastNormStageGoal = 0.005;

}  // namespace

BallStage::BallStage(const HingeProblem& problem, StopFlag stop)
    : HingeStage(problem, kBallTraits, LineSearch::Quick, stop),
      rows_(problem),
      gap_(problem, rows_),
      scale_(problem.threat.scale),
      cone_(problem.threat.norm, problem.n()),
      cone_point_(problem.n() + 1),
      free_row_view_(problem) {
    if (scale_.size() == 0) scale_.setOnes(problem.n());
    lay_out({.bias = rows_.bias(),
             .first_size = rows_.size(),
             .n_sizes = problem.is_robust() ? 1 : 0,
             .n_cone = problem.n() + 1,
             .n_rows = problem.m});
}

bool BallStage::start(const Hyperplane& plane, const Vector& a, double eps) {
    // The cone's width is that of w = 0: the start need not be of the right size.
    smooth(eps);
    place(plane);
    if (a.size() > 0) a_ = a_centre_ = a;
    find_free_rows();
    if (problem_.is_robust()) {
        // The cone's multiplier balances the others in the optimality conditions.
        multiply_transposed(problem_.c.cwiseProduct(a_), gradient_);
        cone_point_ << -gradient_.head(problem_.n()) - mu_ * w(), -gradient_[rows_.size()];
        for (Index l = 0; l < problem_.n(); ++l)
            cone_point_[l] = scale_[l] > 0.0 ? cone_point_[l] / scale_[l] : 0.0;
        u_centre_ = cone_.project(cone_point_);
    }
    return !free_rows_.empty();
}

void BallStage::smooth(double eps) {
    eps_ = eps;
    const double mean_radius = problem_.is_robust() ? problem_.c.dot(problem_.r) : 1.0;
    const double least_size = 1.0 / std::sqrt(problem_.mean_square) * scale_.maxCoeff();
    const double size = std::max(scale_.cwiseProduct(w()).norm(), least_size);
    eps_cone_ = eps * kConeRatio * size / mean_radius;
}

bool BallStage::is_minimal(int n_clean, bool is_flat) const {
    const double goal = is_flat ? kLeastNormStageGoal : kStageGoal;
    return n_clean > 0 || decrement_ < goal * smoothing_error();
}

// --- Hinges -------------------------------------------------------------------------------------

void BallStage::find_multipliers() {
    a_ = (a_centre_ + 1.0 / eps_ * t_).cwiseMax(0.0).cwiseMin(1.0);
    find_free_rows();
}

void BallStage::find_free_rows() {
    const double* a = a_.data();
    const double* c = problem_.c.data();
    free_rows_.clear();
    free_weight_ = 0.0;
    for (Index j = 0; j < problem_.m; ++j) {
        // 0 < a < 1 as one branch that is rarely taken: `a > 0` alone is anyone's guess.
        if (!(a[j] * (1.0 - a[j]) > 0.0 && c[j] > 0.0)) continue;
        free_rows_.push_back(static_cast<int>(j));
        free_weight_ += c[j];
    }
}

void BallStage::extend_last_piece() {
    for (int j : free_rows_) a_[j] = a_centre_[j] + t_[j] / eps_;
}

bool BallStage::set_hinge_hessian() {
    free_weights_.clear();
    for (int j : free_rows_) free_weights_.push_back(problem_.c[j] / eps_);
    if (is_large_) return rows_.gram(free_rows_, free_weights_, large_);
    rows_.gram(free_rows_, free_weights_, hessian());
    return true;
}

const FreeRows* BallStage::split_hessian(FreeRowSystem::Parts& parts) {
    const auto count = static_cast<Index>(free_rows_.size());
    if (count >= problem_.n()) return nullptr;
    const Index n = problem_.n();
    const Index n_q = problem_.is_robust() ? 2 : 1;
    parts.weight.resize(count);
    parts.E.resize(count, n_q);
    for (Index i = 0; i < count; ++i) {
        const int j = free_rows_[static_cast<std::size_t>(i)];
        parts.weight[i] = problem_.c[j] / eps_;
        parts.E(i, 0) = -problem_.y[j];
        if (problem_.is_robust()) parts.E(i, 1) = problem_.r[j];
    }
    parts.Theta = Vector::Constant(n_q, delta_bias());
    parts.D = Vector::Constant(n, mu_);
    if (problem_.is_robust()) {
        Vector diagonal = Vector::Zero(n + 1);
        for (PolarNormCone::Term& term :
             cone_.derivative_parts(1.0 / eps_cone_, scale_, diagonal)) {
            const Vector c = (Vector(2) << 0.0, term.c).finished();
            parts.terms.push_back({std::move(term.p), c, term.strength});
        }
        parts.D += diagonal.head(n);
        parts.Theta[1] = delta_size_ + diagonal[n];
    }
    free_row_view_.set(free_rows_);
    return &free_row_view_;
}

void BallStage::find_direction() {
    HingeStage::find_direction();
    c_t_direction_ = problem_.c.cwiseProduct(t_direction_);
}

double BallStage::hinge_slope(double step) {
    const kernels::ClippedSum terms{
        c_t_direction_.data(), a_centre_.data(), t_.data(), t_direction_.data(), step, 1.0 / eps_};
    return rows_.sum(
        [&](Index begin, Index end) { return kernels::sum_clipped(terms, begin, end); });
}

// --- The cone -----------------------------------------------------------------------------------

Vector BallStage::sizes_of(const Vector& w) const {
    return problem_.is_robust() ? Vector::Constant(1, gap_.size_of(w)) : Vector();
}

/// The cone's multiplier at z + step * direction. Its first n entries belong to S w.
const Vector& BallStage::cone_multiplier(double step) {
    const Index n = problem_.n();
    auto point = cone_point_.head(n);
    point = w();
    double size = z_[rows_.size()];
    if (step != 0.0) {
        point += step * direction_.head(n);
        size += step * direction_[rows_.size()];
    }
    point = u_centre_.head(n) + point.cwiseProduct(scale_) / eps_cone_;
    cone_point_[n] = u_centre_[n] + size / eps_cone_;
    return cone_.project(cone_point_);
}

void BallStage::add_cone_gradient() {
    if (!problem_.is_robust()) return;
    const Index n = problem_.n();
    u_ = cone_multiplier(0.0);
    gradient_.head(n) += scale_.cwiseProduct(u_.head(n));
    gradient_[rows_.size()] += u_[n] + proximal(rows_.size());
}

void BallStage::add_cone_hessian() {
    if (!problem_.is_robust()) return;
    const Index N = rows_.n_variables();
    Matrix& H = hessian();
    H(rows_.size(), rows_.size()) += delta_size_;
    cone_.add_derivative(1.0 / eps_cone_, rows_.size(), scale_, H.topLeftCorner(N, N));
}

double BallStage::add_cone_slope(double sum, double step) {
    if (!problem_.is_robust()) return sum;
    const Index n = problem_.n();
    const Vector& u = cone_multiplier(step);
    sum += proximal_slope(rows_.size(), step);
    sum += u.head(n).cwiseProduct(scale_).dot(direction_.head(n));
    return sum + u[n] * direction_[rows_.size()];
}

DualityGap BallStage::finish(Hyperplane& plane, const Vector& a,
                             const std::optional<DualityGap>& /*gap*/, bool is_hard_margin) {
    return gap_.finish(plane, a, is_hard_margin ? kLargestStretch : 0.0);
}

}  // namespace redoubt
