#pragma once

#include <Eigen/Cholesky>
#include <vector>

#include "svm/hinge_map.hpp"
#include "svm/hinge_problem.hpp"
#include "svm/norm_cone.hpp"

namespace redoubt {

/// One stage of the proximal method of multipliers: a smooth convex function of z whose minimiser
/// is closer to the hinge problem's optimum the closer its centre is.
///
///   Phi(z) = mu/2 ||w - w_ref||^2 + delta/2 |(b, s) - (b, s)_centre|^2
///          + sum_j c_j  max over 0 <= a <= 1 of   a t_j - eps/2 (a - a_centre_j)^2
///          +            max over u in K°     of   u'(S w, s) - eps_cone/2 ||u - u_centre||^2
///
/// K° is the polar of { ||w||_q <= s } (robust problems only). Each max has one maximiser: a_j is
/// a_centre_j + t_j / eps clipped to [0, 1], and u a projection. They are the multipliers, and with
/// them the gradient is  mu (w - w_ref) + ... + G'(c a) + u.  Moving the centre to the maximisers
/// (`advance`) and minimising again converges to the optimum for any eps; a small eps gets there in
/// few stages but makes each stage harder. Phi is piecewise quadratic but for the cone p = 2.
class SmoothedHinge {
public:
    SmoothedHinge(const HingeProblem& problem, HingeMap& map);

    /// Puts z at the given point (s is set to ||w||_q) and the centre at the given multipliers.
    void start(const VectorRef& w, double bias, const VectorRef& a_centre);

    struct Smoothing {
        double eps = 0.0;       ///< width in t over which a hinge is rounded off
        double eps_cone = 0.0;  ///< the same for the cone
    };
    void set_smoothing(const Smoothing& smoothing) { smoothing_ = smoothing; }
    /// The term mu/2 ||w - w_ref||^2, with w_ref at 0 or at the present w.
    enum class Reference { Zero, Current };
    void set_regularizer(double mu, Reference reference);

    /// Multipliers and gradient at z.
    void evaluate();
    /// The same on the quadratic piece of the last `evaluate`: its free multipliers stay free, even
    /// outside [0, 1], and the others stay where they are. After `advance` and a smaller eps this
    /// predicts the next stage's minimiser exactly, as long as the piece is the right one.
    void evaluate_on_last_piece();

    /// One Newton step with a line search; moves z and t but not the multipliers (`evaluate` does).
    /// False when the direction does not go down or the Hessian could not be factorised.
    bool step();

    /// Twice the decrease that the last Newton direction promised.
    double last_decrement() const { return decrement_; }
    /// The same at z, with the Hessian of the last step. Needs `evaluate`.
    double next_decrement();
    /// How far Phi may be from the hinge problem: eps/2 times the weight of the free points.
    double smoothing_error() const;

    /// Centre <- maximisers.
    void advance();
    /// Multiplies mu and all multipliers by `factor`, which leaves the minimiser where it is as
    /// long as no multiplier passes 1. Call it right after `advance`.
    void scale_multipliers(double factor);

    const Vector& z() const { return z_; }
    const Vector& t() const { return t_; }
    const Vector& a() const { return a_; }
    /// The largest a_j among points of positive weight.
    double largest_multiplier() const;
    Index n_free() const { return static_cast<Index>(free_rows_.size()); }

private:
    void follow_multipliers();
    bool factorize();
    double slope(double step);
    const Vector& cone_multiplier(double step);

    const HingeProblem& problem_;
    HingeMap& map_;
    PolarNormCone cone_;
    Smoothing smoothing_;
    double mu_;
    double delta_bias_;
    double delta_size_;

    Vector z_, z_centre_, w_ref_, direction_, gradient_;
    Vector t_, t_direction_, c_t_direction_;
    Vector a_, a_centre_, alpha_;
    Vector u_, u_centre_, cone_point_;
    std::vector<int> free_rows_;
    std::vector<double> free_weights_;
    double free_weight_ = 0.0;
    Matrix hessian_;
    Eigen::LLT<Eigen::MatrixXd, Eigen::Upper> factor_;
    double decrement_ = 0.0;
};

}  // namespace redoubt
