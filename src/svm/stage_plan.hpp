#pragma once

#include <cmath>

#include "svm/duality_gap.hpp"

namespace redoubt {

/// What a stage is for.
enum class Phase {
    Regularized,  ///< mu is the caller's: solve and be done
    LeastNorm,    ///< mu is ours and w_ref = 0: comes close to the optimum of least norm
    HardMargin,   ///< as LeastNorm, when no hinge is active: the penalty is exact, mu need not fall
    Polish,       ///< w_ref follows w: converges to the optimum next to it, without any mu
};

/// Widths of the smoothing, in units of t. At w = 0 every t_j is 1, well inside the first width.
inline constexpr double kColdEps = 4.0;
/// A warm start trusts its multipliers and begins closer.
inline constexpr double kWarmEps = 0.3;

/// The plan of a run from stage to stage: what the next one is for, its regulariser mu and its
/// smoothing eps. Problems without a regulariser get the optimum of least norm: mu falls until its
/// term is a negligible share of the objective.
class StagePlan {
public:
    /// `problem_mu` = 0 asks for the least norm; `mean_square` is that of the features; below
    /// `least_eps` rounding errors shake the multipliers more than another stage would improve
    /// them.
    StagePlan(double problem_mu, double mean_square, double least_eps);
    /// Without a regulariser of the problem: the search for the least norm begins with this mu.
    void begin_with(double mu) { mu_ = mu; }
    /// Or it is left out: the optimum next to the start will do.
    void begin_polishing(double mu);
    /// Then mu grows after a stage of many steps and falls after one of few.
    void adapt_mu(int n_steps);

    Phase phase() const { return phase_; }
    /// mu makes the objective nearly flat: the search for the least norm.
    bool is_flat() const { return phase_ == Phase::LeastNorm || phase_ == Phase::HardMargin; }
    double mu() const { return mu_; }
    /// The mu for which the duality gap is measured.
    double gap_mu() const { return phase_ == Phase::Polish ? 0.0 : mu_; }
    double eps() const { return eps_; }
    void set_eps(double eps) { eps_ = eps; }
    bool is_at_least_eps() const { return eps_ <= least_eps_; }
    /// Accuracy at which a hard-margin plane is final.
    double hard_margin_goal(double tolerance) const;

    /// In phase LeastNorm, with both sides of the problem at the end of a stage: is mu right, does
    /// it not matter, or must it fall? True in the last case: mu and eps have changed.
    bool judge_mu(const DualityGap& gap, double largest_multiplier);
    /// Smoothing swallows small multipliers. Where none is at its bound, the plane is that of all
    /// larger mu for which this holds, where multipliers are larger: the caller's mu / mu() times
    /// those are the problem's own. True if that is so in phase Regularized, which is HardMargin
    /// then; eps has changed.
    bool turn_to_hard_margin(double largest_multiplier);
    /// The factor that brings small multipliers to where the smoothing is made for; mu has grown by
    /// it, so the plane stays.
    double grow_multipliers(double largest_multiplier);
    /// The smoothing of the next stage: a right guess of the active set deserves a leap, and a
    /// stage that took many steps was hard because the leap before was too long.
    double shrunk_eps(bool is_clean, int n_steps) const;

private:
    Phase phase_;
    double mu_;
    double mean_square_;
    double largest_mu_ = HUGE_VAL;  ///< at larger ones a multiplier was seen to reach its bound
    double least_eps_;
    double eps_ = kColdEps;
    bool is_adaptive_ = false;
};

}  // namespace redoubt
