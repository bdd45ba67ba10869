#pragma once

#include <Eigen/Cholesky>
#include <optional>
#include <vector>

#include "svm/duality_gap.hpp"
#include "svm/free_row_system.hpp"
#include "svm/hinge_problem.hpp"
#include "svm/line_search.hpp"
#include "svm/stage_plan.hpp"

namespace redoubt {

/// One stage of the proximal method of multipliers: a smooth convex function of z = (w, b, s) whose
/// minimiser is closer to the hinge problem's optimum the closer its centre is.
///
///   Phi(z) = mu/2 ||w - w_ref||^2 + 1/2 (w - w_at)'C(w - w_at) + delta/2 |(b, s) - centre|^2
///          + the hinges of the rows  t = 1 + G z,  weighted by c
///          + the cone that ties s to w,
///
/// where hinges and cone are each a maximum over multipliers a and u, less eps/2 times their
/// squared distance to a centre. The multipliers at the maximum give the gradient,
///   mu (w - w_ref) + C (w - w_at) + ... + G'(c a) + u.
/// Moving the centre to them (`advance`) and minimising again converges to the optimum for any eps;
/// a small eps gets there in few stages but makes each stage harder. C is a guess of the curvature
/// that the rows do not show; it vanishes from the result, because w_at follows w.
///
/// This class knows how to minimise such a function by Newton's method. What rows, hinges and cone
/// are is up to those derived from it, one for each kind of threat; they also measure the gap, and
/// may add to the rows from stage to stage. StagedSolver leads from stage to stage.
class HingeStage {
public:
    /// How a run of stages of this kind is led.
    struct Traits {
        /// The smallest smoothing that makes sense: below, rounding errors in t shake the
        /// multipliers t / eps more than another stage would improve them.
        double least_eps;
        /// Stages without a step, or at the least smoothing and without a better gap, before
        /// giving up.
        int max_idle_stages;
        /// A regularized problem whose multipliers are all small is solved as a hard margin after
        /// this many of them.
        int max_idle_small;
        /// Gaps may rise from one stage of a hard margin to the next, so that the best one is to be
        /// kept; otherwise the last one is the answer.
        bool keeps_best_hard_margin;
    };
    enum class Reference { Zero, Current };

    HingeStage(const HingeStage&) = delete;
    virtual ~HingeStage() = default;

    const Traits& traits() const { return traits_; }

    /// Puts z at the plane (whose bias is that of centred features) and the centre at multipliers
    /// for the points, 0 if `a` is empty. `eps` is the first smoothing. True when the multipliers
    /// say enough for `evaluate_on_last_piece`.
    virtual bool start(const Hyperplane& plane, const Vector& a, double eps) = 0;
    /// The width in t over which a hinge is rounded off; that of the cone follows from it and w.
    virtual void smooth(double eps) = 0;
    /// Newton steps are solved in the space of the features even where that of the free rows would
    /// be cheaper: rounding does least harm there.
    void stay_in_features() { stays_in_features_ = true; }
    /// The term mu/2 ||w - w_ref||^2, with w_ref at 0 or at the present w.
    void set_regularizer(double mu, Reference reference);

    /// Multipliers and gradient at z.
    void evaluate();
    /// The same on the quadratic piece of the last `evaluate`: its free multipliers stay free, even
    /// outside their bounds, and the others stay where they are. After `advance` and a smaller eps
    /// this predicts the next stage's minimiser exactly, as long as the piece is the right one.
    void evaluate_on_last_piece();
    /// One Newton step with a line search; moves z and t but not the multipliers (`evaluate` does).
    /// False when the direction does not go down or the Hessian could not be factorised.
    bool step();
    /// The decrease (twice) that a step from z would promise with the Hessian of the last one.
    /// Needs `evaluate`.
    double next_decrement() const { return gradient_.dot(solve(gradient_)); }
    /// How far Phi may be from the hinge problem: eps/2 times the weight of the free points. At
    /// least one average point's worth, so that no goal is exactly zero.
    double smoothing_error() const;
    /// May the stage end here, after at least one step? `n_clean` is 0 when the next step would
    /// still pay, and otherwise how often in this stage it would not.
    virtual bool is_minimal(int n_clean, bool is_flat) const = 0;

    /// Centre <- maximisers.
    void advance();
    /// Both sides of the hinge problem at z, with the given mu.
    virtual DualityGap measure(double mu) = 0;
    /// After `advance` and `measure`: looks for rows that are missing at z. The gap as it is then.
    virtual DualityGap add_rows(const DualityGap& gap, const StagePlan&) { return gap; }
    /// Readies the next stage, and says how smooth it should be.
    virtual double prepare(const StagePlan& plan, bool is_clean, int n_steps) {
        return plan.shrunk_eps(is_clean, n_steps);
    }
    /// Multiplies mu, C and all multipliers by `factor`, which leaves the minimiser where it is as
    /// long as no multiplier passes 1. Not between `evaluate` and `advance`.
    void scale_multipliers(double factor);

    auto w() const { return z_.head(problem_.n()); }
    /// One in [0, 1] for each point of the problem.
    virtual const Vector& multipliers() = 0;
    /// The largest among points of positive weight.
    double largest_multiplier();

    /// Gives plane.w the middle of its optimal biases, in the caller's features, and measures both
    /// sides of the problem there. `a` are the multipliers that came with w and `gap` the gap,
    /// which may be missing if w is where z is. A hard margin is stretched until rounding leaves no
    /// hinge.
    virtual DualityGap finish(Hyperplane& plane, const Vector& a,
                              const std::optional<DualityGap>& gap, bool is_hard_margin) = 0;

protected:
    HingeStage(const HingeProblem& problem, const Traits& traits, LineSearch search, StopFlag stop);

    struct Layout {
        Index bias;        ///< where b stands in z
        Index first_size;  ///< where s begins in z
        Index n_sizes;     ///< the length of s
        Index n_cone;      ///< number of the cone's multipliers
        Index n_rows;      ///< at first, which is one for each point that counts
    };
    /// To be called by constructors.
    void lay_out(const Layout& layout);
    /// Puts z and its centre at the plane.
    void place(const Hyperplane& plane);
    /// The proximal term of an entry of s: its gradient, and its slope along the direction.
    double proximal(Index i) const { return delta_size_ * (z_[i] - z_centre_[i]); }
    double proximal_slope(Index i, double step) const {
        return delta_size_ * (z_[i] + step * direction_[i] - z_centre_[i]) * direction_[i];
    }

    // Rows and hinges.
    virtual void multiply(const Vector& z, Vector& out) = 0;                 ///< out = G z
    virtual void multiply_transposed(const Vector& alpha, Vector& out) = 0;  ///< out = G'alpha
    virtual const Vector& row_weights() const = 0;                           ///< c of every row
    /// a at z, and what of it is free: free_rows_ and free_weight_.
    virtual void find_multipliers() = 0;
    /// a at z for those that are free, wherever that is.
    virtual void extend_last_piece() = 0;
    /// hessian() = that of the hinges, upper triangle. False when stopped.
    virtual bool set_hinge_hessian() = 0;
    /// The same Hessian in parts, cone and regulariser included, where a factorisation in the space
    /// of the free rows is cheaper; null if it is not. Only asked for when there are many features.
    virtual const FreeRows* split_hessian(FreeRowSystem::Parts&) { return nullptr; }
    /// d/d(step) of the hinges along the direction.
    virtual double hinge_slope(double step) = 0;
    /// Newton's direction in z, and in t.
    virtual void find_direction();

    // The cone, with the proximal terms of s. The slope is added to `sum` term by term.
    virtual Vector sizes_of(const Vector& w) const = 0;  ///< the s that belongs to w
    virtual void add_cone_gradient() = 0;
    virtual void add_cone_hessian() = 0;
    virtual double add_cone_slope(double sum, double step) = 0;

    const HingeProblem& problem_;
    double mu_ = 0.0;
    double eps_ = 0.0;
    double eps_cone_ = 0.0;
    double delta_size_;

    Vector z_, z_centre_, direction_, gradient_;
    Vector t_, t_direction_;  ///< by row
    Vector a_, a_centre_;     ///< by row
    Vector u_, u_centre_;     ///< of the cone
    Matrix curvature_;        ///< C; empty = 0
    Vector w_at_;
    std::vector<int> free_rows_;  ///< those whose multipliers are not at a bound
    double free_weight_ = 0.0;    ///< of the points that have free rows
    Matrix& hessian() { return is_large_ ? large_.matrix() : hessian_; }
    double delta_bias() const { return delta_bias_; }
    bool is_large_;           ///< too many features for one factorisation in one go
    LargeCholesky large_;     ///< then the Hessian is here
    double decrement_ = 0.0;  ///< twice the decrease that the last direction promised

private:
    void follow_multipliers();
    bool factorize();
    bool factorize_dense();
    bool set_hessian(double lift);
    Vector solve(const Vector& right) const;
    double slope(double step);

    Traits traits_;
    LineSearch search_;
    Layout layout_{};
    double average_weight_ = 0.0;  ///< of the points
    double delta_bias_;
    Vector w_ref_;
    Vector alpha_;
    Matrix hessian_;
    enum class Solver { Small, Large, FreeRows };
    Solver solver_ = Solver::Small;
    bool stays_in_features_ = false;
    Eigen::LLT<Eigen::MatrixXd, Eigen::Upper> factor_;
    FreeRowSystem free_row_system_;
};

}  // namespace redoubt
