#pragma once

#include "svm/ball_free_rows.hpp"
#include "svm/ball_gap.hpp"
#include "svm/hinge_stage.hpp"
#include "svm/norm_cone.hpp"

namespace redoubt {

/// The stage for a ball, scaled or not, and for no adversary at all: one row per point, and s is
/// the one number ||S w||_q. Its hinges and its cone are
///
///     sum_j c_j  max over 0 <= a <= 1 of   a t_j - eps/2 (a - a_centre_j)^2
///                max over u in K°     of   u'(S w, s) - eps_cone/2 ||u - u_centre||^2 ,
///
/// K° the polar of { ||w||_q <= s }. Each max has one maximiser: a_j is a_centre_j + t_j / eps
/// clipped to [0, 1], and u a projection. Phi is piecewise quadratic but for the cone p = 2.
class BallStage : public HingeStage {
public:
    /// The problem's threat must be a ball.
    BallStage(const HingeProblem& problem, StopFlag stop);

    bool start(const Hyperplane& plane, const Vector& a, double eps) override;
    void smooth(double eps) override;
    bool is_minimal(int n_clean, bool is_flat) const override;
    DualityGap measure(double mu) override { return gap_.measure(mu, z_, t_, a_); }
    const Vector& multipliers() override { return a_; }
    DualityGap finish(Hyperplane& plane, const Vector& a, const std::optional<DualityGap>& gap,
                      bool is_hard_margin) override;

private:
    void multiply(const Vector& z, Vector& out) override { rows_.multiply(z, out); }
    void multiply_transposed(const Vector& alpha, Vector& out) override {
        rows_.multiply_transposed(alpha, out);
    }
    const Vector& row_weights() const override { return problem_.c; }
    void find_multipliers() override;
    void extend_last_piece() override;
    bool set_hinge_hessian() override;
    const FreeRows* split_hessian(FreeRowSystem::Parts& parts) override;
    double hinge_slope(double step) override;
    void find_direction() override;

    Vector sizes_of(const Vector& w) const override;
    void add_cone_gradient() override;
    void add_cone_hessian() override;
    double add_cone_slope(double sum, double step) override;

    void find_free_rows();
    const Vector& cone_multiplier(double step);

    BallRows rows_;
    BallGap gap_;
    Vector scale_;  ///< the diagonal of S
    PolarNormCone cone_;
    Vector cone_point_;
    Vector c_t_direction_;
    std::vector<double> free_weights_;
    BallFreeRows free_row_view_;
};

}  // namespace redoubt
