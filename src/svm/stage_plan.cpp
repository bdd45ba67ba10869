#include "svm/stage_plan.hpp"

#include <algorithm>

namespace redoubt {

namespace {

// How the smoothing shrinks.
constexpr double kShrinkClean = 0.03;
constexpr double kShrinkEasy = 0.1;
constexpr double kShrinkFair = 0.3;
constexpr double kShrinkHard = 0.5;
constexpr int kEasySteps = 2;
constexpr int kFairSteps = 5;

// The search for the least norm: mu starts here, in units of the mean square of the features.
constexpr double kFirstMu = 1e-6;
constexpr double kMuReduction = 0.03;
constexpr double kLeastMu = 1e-14;
/// Accuracy at which mu is judged.
constexpr double kJudgeGap = 1e-6;
constexpr double kNegligibleShare = 1e-7;
/// How mu follows the steps of a stage where any optimum will do.
constexpr int kManySteps = 30;
constexpr int kFewSteps = 3;
constexpr double kMuGrowth = 10.0;
constexpr double kMuDecay = 0.3;
/// Smoothing to go back to when mu changes.
constexpr double kNewMuEps = 0.1;
/// A hard-margin plane is final at this gap; at the least smoothing the caller's tolerance will do.
constexpr double kHardMarginGap = 1e-10;
/// Multipliers all below the first are scaled up to the second, to fill the range [0, 1].
constexpr double kSmallMultipliers = 0.5;
constexpr double kGoodMultipliers = 0.7;
constexpr double kMaxMultiplierGrowth = 10.0;
/// Multipliers below this are safely inside the bound: no hinge is paid for.
constexpr double kBelowBound = 1.0 - 1e-6;

}  // namespace

StagePlan::StagePlan(double problem_mu, double mean_square, double least_eps)
    : phase_(problem_mu > 0.0 ? Phase::Regularized : Phase::LeastNorm),
      mu_(problem_mu > 0.0 ? problem_mu : kFirstMu * mean_square),
      mean_square_(mean_square),
      least_eps_(least_eps) {}

void StagePlan::begin_polishing(double mu) {
    phase_ = Phase::Polish;
    mu_ = mu;
    is_adaptive_ = true;
}

void StagePlan::adapt_mu(int n_steps) {
    if (!is_adaptive_) return;
    if (n_steps >= kManySteps) mu_ *= kMuGrowth;
    if (n_steps <= kFewSteps) mu_ *= kMuDecay;
}

double StagePlan::hard_margin_goal(double tolerance) const {
    return is_at_least_eps() ? tolerance : kHardMarginGap;
}

bool StagePlan::judge_mu(const DualityGap& gap, double largest_multiplier) {
    if (!(gap.relative(0.0) <= kJudgeGap)) return false;
    const double share = gap.primal - gap.hinge;
    if (share > 0.0 && largest_multiplier < kBelowBound) {
        phase_ = Phase::HardMargin;
        return false;
    }
    if (share <= kNegligibleShare * gap.hinge || mu_ <= kLeastMu * mean_square_) {
        phase_ = Phase::Polish;
        return false;
    }
    largest_mu_ = kGoodMultipliers * mu_;
    mu_ *= kMuReduction;
    eps_ = std::max(eps_, kNewMuEps);
    return true;
}

bool StagePlan::turn_to_hard_margin(double largest_multiplier) {
    if (phase_ != Phase::Regularized || !(largest_multiplier < kSmallMultipliers)) return false;
    phase_ = Phase::HardMargin;
    eps_ = std::max(eps_, kNewMuEps);
    return true;
}

double StagePlan::grow_multipliers(double largest_multiplier) {
    if (!(largest_multiplier > 0.0 && largest_multiplier < kSmallMultipliers)) return 1.0;
    const double wanted = std::min(kGoodMultipliers / largest_multiplier, kMaxMultiplierGrowth);
    const double factor = std::max(1.0, std::min(wanted, largest_mu_ / mu_));
    mu_ *= factor;
    return factor;
}

double StagePlan::shrunk_eps(bool is_clean, int n_steps) const {
    const double shrink = is_clean                ? kShrinkClean
                          : n_steps <= kEasySteps ? kShrinkEasy
                          : n_steps <= kFairSteps ? kShrinkFair
                                                  : kShrinkHard;
    return std::max(least_eps_, eps_ * shrink);
}

}  // namespace redoubt
