#pragma once

#include "svm/hinge_stage.hpp"
#include "svm/threat_free_rows.hpp"
#include "svm/threat_oracle.hpp"

namespace redoubt {

/// The stage for threats that are no balls: a group of rows per point, one for each of its moves
/// found so far (cutting planes). Where moves are boxes, s is |w|, feature by feature. Its hinges
/// and its cone are
///
///     sum_j c_j  max over a_j >= 0, sum a_j <= 1 of   a_j't_j - eps/2 ||a_j - centre_j||^2
///     sum_l      max over p, q >= 0 of   p (w_l - s_l) + q (-w_l - s_l)
///                                        - eps_cone/2 |(p, q) - centre_l|^2 .
///
/// A group's maximiser is the projection of centre + t/eps onto the capped simplex. Where the cap
/// does not bind its free rows (a > 0) count one by one in the Hessian, and where it binds relative
/// to their mean. docs/algorithms.md tells why the gap is proven, whatever moves have been found.
class ThreatStage : public HingeStage {
public:
    /// Of the settings tolerance and stop count. Moves that are worth less than the tolerance are
    /// not added.
    ThreatStage(const HingeProblem& problem, const SvmSettings& settings);

    bool start(const Hyperplane& plane, const Vector& a, double eps) override;
    void smooth(double eps) override;
    bool is_minimal(int n_clean, bool is_flat) const override;
    DualityGap measure(double mu) override;
    /// Where new moves only replace nearly the same ones, the multipliers that come with them may
    /// prove more than before.
    DualityGap add_rows(const DualityGap& gap, const StagePlan& plan) override;
    double prepare(const StagePlan& plan, bool is_clean, int n_steps) override;
    const Vector& multipliers() override;
    DualityGap finish(Hyperplane& plane, const Vector& a, const std::optional<DualityGap>& gap,
                      bool is_hard_margin) override;

private:
    void multiply(const Vector& z, Vector& out) override { rows_.multiply(z, out); }
    void multiply_transposed(const Vector& alpha, Vector& out) override {
        rows_.multiply_transposed(alpha, out);
    }
    const Vector& row_weights() const override { return rows_.weights(); }
    void find_multipliers() override;
    void extend_last_piece() override;
    bool set_hinge_hessian() override;
    const FreeRows* split_hessian(FreeRowSystem::Parts& parts) override;
    double hinge_slope(double step) override;

    Vector sizes_of(const Vector& w) const override { return w.head(rows_.n_boxed()).cwiseAbs(); }
    void add_cone_gradient() override;
    void add_cone_hessian() override;
    double add_cone_slope(double sum, double step) override;

    void project_group(Index group, double step);
    void find_free_groups();
    double group_multiplier(Index group) const;
    double group_hinge(Index group) const;
    void set_dual(double mu, DualityGap& gap);
    std::vector<NewRow> missing_rows(double allowance) const;
    void update_rows(std::vector<NewRow> added, double nearly_same);
    void update_curvature();

    double tolerance_;
    ThreatOracle oracle_;
    ThreatRows rows_;
    ThreatFreeRows free_row_view_;
    std::vector<FreeGroup> free_groups_;
    Vector point_multipliers_;
    Vector trial_;  ///< multipliers of a trial step
    Vector idle_;   ///< of every row: how often in a row its multiplier was 0

    int n_rounds_ = 0;
    double smoothing_error_ = 0.0;  ///< of the last stage
    double last_primal_ = 1.0;
    /// By how much the hinges over the known moves fell short of the true ones.
    double missed_ = 0.0;
};

}  // namespace redoubt
