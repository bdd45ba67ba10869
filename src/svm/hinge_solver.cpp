#include "svm/hinge_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "svm/duality_gap.hpp"
#include "svm/hinge_map.hpp"
#include "svm/optimal_bias.hpp"
#include "svm/smoothed_hinge.hpp"

namespace redoubt {

namespace {

// Widths of the smoothing, in units of t. At w = 0 every t_j is 1, well inside the first width; a
// warm start trusts its multipliers and begins closer; below the last, rounding errors in t shake
// the multipliers a = t / eps more than another stage would improve them.
constexpr double kColdEps = 4.0;
constexpr double kWarmEps = 0.3;
constexpr double kLeastEps = 1e-8;
/// Width of the cone's smoothing for a hinge width of 1, in units of ||w|| / (mean radius), which
/// is how the size of a point in the cone compares with that of a multiplier.
constexpr double kConeRatio = 2.0;

// How a stage's smoothing shrinks: a right guess of the active set deserves a leap, and a stage
// that took many steps was hard because the leap before was too long.
constexpr double kShrinkClean = 0.03;
constexpr double kShrinkEasy = 0.1;
constexpr double kShrinkFair = 0.3;
constexpr double kShrinkHard = 0.5;
constexpr int kEasySteps = 2;
constexpr int kFairSteps = 5;
constexpr int kMaxStepsPerStage = 60;

/// A stage ends when its last step promised less than this share of its smoothing error
constexpr double kStageGoal = 0.05;
/// (tighter in the search for the least norm, where mu makes the objective nearly flat),
constexpr double kLeastNormStageGoal = 0.005;
/// and it counts as clean when the next one would promise practically nothing.
constexpr double kCleanGoal = 1e-8;

// The search for the least-norm optimum (Phase::LeastNorm): mu starts here, in units of the mean
// square of the features, and falls until its term is a negligible share of the objective.
constexpr double kFirstMu = 1e-6;
constexpr double kMuReduction = 0.03;
constexpr double kLeastMu = 1e-14;
constexpr double kNegligibleShare = 1e-7;
/// Smoothing to go back to when mu has changed.
constexpr double kNewMuEps = 0.1;
/// Accuracy at which mu is judged, and at which a hard-margin plane is final (the caller's
/// tolerance will do once the smoothing is at its least).
constexpr double kJudgeGap = 1e-6;
constexpr double kHardMarginGap = 1e-10;
/// A hard-margin plane is scaled up by at most this share to bring its hinges from almost to zero.
constexpr double kLargestStretch = 1e-6;
/// Multipliers all below the first are scaled up to the second, to fill the range [0, 1] that the
/// smoothing is made for. (mu grows with them: the plane stays.)
constexpr double kSmallMultipliers = 0.5;
constexpr double kGoodMultipliers = 0.7;
constexpr double kMaxMultiplierGrowth = 10.0;
/// Multipliers below this are safely inside the bound: no hinge is paid for.
constexpr double kBelowBound = 1.0 - 1e-6;
/// Stages without a step, or at the least smoothing and without a better gap, before giving up.
constexpr int kMaxIdleStages = 20;

enum class Phase {
    Regularized,  ///< mu is the caller's: solve and be done
    LeastNorm,    ///< mu is ours and w_ref = 0: comes close to the optimum of least norm
    HardMargin,   ///< as LeastNorm, when no hinge is active: the penalty is exact, mu need not fall
    Polish,       ///< w_ref follows w: converges to the optimum next to it, without any mu
};

class HingeSolver {
public:
    HingeSolver(const HingeProblem& problem, const HingeSettings& settings)
        : problem_(problem), settings_(settings), map_(problem), stage_(problem, map_) {}

    HingeSolution run(const std::optional<HingeStart>& start);

private:
    void begin(const std::optional<HingeStart>& start);
    void minimize_stage();
    bool is_solved();
    void judge_mu(const DualityGap& gap);
    void prepare_next_stage();
    void keep_if_better(double relative_gap);
    HingeSolution finish();
    void choose_bias(Vector& z, Vector& t) const;
    void stretch_to_margin(Vector& z, Vector& t) const;

    void set_eps(double eps);
    DualityGap current_gap();
    bool has_limit_struck();

    const HingeProblem& problem_;
    const HingeSettings& settings_;
    HingeMap map_;
    SmoothedHinge stage_;

    Phase phase_ = Phase::Regularized;
    double mu_ = 0.0;
    double largest_mu_ = HUGE_VAL;  ///< at larger ones a multiplier was seen to reach its bound
    double eps_ = 0.0;
    int steps_in_stage_ = 0;
    bool is_clean_ = false;
    bool can_predict_ = false;

    Vector best_z_;
    Vector best_a_;
    double best_gap_ = HUGE_VAL;
    int idle_stages_ = 0;
    HingeSolution result_;
};

HingeSolution HingeSolver::run(const std::optional<HingeStart>& start) {
    begin(start);
    while (!has_limit_struck()) {
        minimize_stage();
        if (is_solved()) {
            result_.status = Status::Optimal;
            break;
        }
        if (idle_stages_ > kMaxIdleStages) {
            result_.status = Status::NumericalFailure;
            break;
        }
        prepare_next_stage();
    }
    return finish();
}

void HingeSolver::begin(const std::optional<HingeStart>& start) {
    phase_ = problem_.mu > 0.0 ? Phase::Regularized : Phase::LeastNorm;
    mu_ = problem_.mu > 0.0 ? problem_.mu : kFirstMu * map_.mean_square();
    stage_.set_regularizer(mu_, SmoothedHinge::Reference::Zero);
    const bool has_multipliers = start && start->a.size() > 0;
    set_eps(has_multipliers ? kWarmEps : kColdEps);
    const Vector w = start ? start->w : Vector::Zero(problem_.n());
    const double b = start ? start->b + map_.feature_mean().dot(start->w) : 0.0;
    stage_.start(w, b, has_multipliers ? start->a : Vector::Zero(problem_.m));
    can_predict_ = stage_.n_free() > 0;
}

/// Newton steps until Phi is minimal for the present centre and smoothing, or none leads down.
void HingeSolver::minimize_stage() {
    ++result_.n_stages;
    steps_in_stage_ = 0;
    is_clean_ = false;
    if (can_predict_) {
        stage_.evaluate_on_last_piece();
        if (stage_.step()) ++steps_in_stage_;
    }
    stage_.evaluate();
    const bool is_flat = phase_ == Phase::LeastNorm || phase_ == Phase::HardMargin;
    const double goal = is_flat ? kLeastNormStageGoal : kStageGoal;
    while (steps_in_stage_ < kMaxStepsPerStage && !has_limit_struck()) {
        if (steps_in_stage_ > 0) {
            const double error = stage_.smoothing_error();
            is_clean_ = stage_.next_decrement() < kCleanGoal * error;
            if (is_clean_ || stage_.last_decrement() < goal * error) break;
        }
        if (!stage_.step()) break;
        ++steps_in_stage_;
        stage_.evaluate();
    }
    result_.n_newton_steps += steps_in_stage_;
    can_predict_ = true;
    if (steps_in_stage_ == 0) ++idle_stages_;
}

/// Looks at the duality gap after a stage, and decides with it what the next stage is for.
bool HingeSolver::is_solved() {
    const DualityGap gap = current_gap();
    switch (phase_) {
        case Phase::LeastNorm:
            judge_mu(gap);
            return false;
        case Phase::HardMargin: {
            const double relative = gap.relative(0.0);
            return relative <= (eps_ > kLeastEps ? kHardMarginGap : settings_.tolerance);
        }
        case Phase::Regularized:
        case Phase::Polish:
            break;
    }
    const double relative = gap.relative(settings_.gap_floor);
    keep_if_better(relative);
    return relative <= settings_.tolerance;
}

void HingeSolver::judge_mu(const DualityGap& gap) {
    if (gap.relative(0.0) > kJudgeGap) return;
    const double share = gap.primal - gap.hinge;
    if (share > 0.0 && stage_.largest_multiplier() < kBelowBound) {
        phase_ = Phase::HardMargin;
    } else if (share <= kNegligibleShare * gap.hinge || mu_ <= kLeastMu * map_.mean_square()) {
        phase_ = Phase::Polish;
    } else {
        largest_mu_ = kGoodMultipliers * mu_;
        mu_ *= kMuReduction;
        stage_.set_regularizer(mu_, SmoothedHinge::Reference::Zero);
        set_eps(std::max(eps_, kNewMuEps));
    }
}

void HingeSolver::prepare_next_stage() {
    stage_.advance();
    if (phase_ == Phase::Polish) stage_.set_regularizer(mu_, SmoothedHinge::Reference::Current);
    if (phase_ == Phase::LeastNorm || phase_ == Phase::HardMargin) {
        const double largest = stage_.largest_multiplier();
        if (largest > 0.0 && largest < kSmallMultipliers) {
            const double wanted = std::min(kGoodMultipliers / largest, kMaxMultiplierGrowth);
            const double factor = std::max(1.0, std::min(wanted, largest_mu_ / mu_));
            mu_ *= factor;
            stage_.scale_multipliers(factor);
        }
    }
    const double shrink = is_clean_                       ? kShrinkClean
                          : steps_in_stage_ <= kEasySteps ? kShrinkEasy
                          : steps_in_stage_ <= kFairSteps ? kShrinkFair
                                                          : kShrinkHard;
    set_eps(std::max(kLeastEps, eps_ * shrink));
}

void HingeSolver::keep_if_better(double relative_gap) {
    if (relative_gap < best_gap_) {
        best_gap_ = relative_gap;
        best_z_ = stage_.z();
        best_a_ = stage_.a();
        if (steps_in_stage_ > 0) idle_stages_ = 0;
    } else if (eps_ <= kLeastEps) {
        ++idle_stages_;
    }
}

/// The answer: the best point, with s = ||w||_q and the middle of the optimal biases, measured once
/// more with the caller's features and bias.
HingeSolution HingeSolver::finish() {
    if (best_z_.size() == 0) {
        best_z_ = stage_.z();
        best_a_ = stage_.a();
    }
    const Index n = problem_.n();
    Vector z = best_z_;
    Vector t(problem_.m);
    choose_bias(z, t);
    z[problem_.bias()] -= map_.feature_mean().dot(z.head(n));
    map_.multiply_uncentred(z, t);
    t.array() += 1.0;
    if (phase_ == Phase::HardMargin) stretch_to_margin(z, t);

    const DualityGap gap = measure_gap(problem_, map_, problem_.mu, z, t, best_a_);
    result_.w = z.head(n);
    result_.b = z[problem_.bias()];
    result_.a = best_a_;
    result_.primal = gap.primal;
    result_.dual = gap.dual;
    result_.relative_gap = gap.relative(settings_.gap_floor);
    if (result_.status == Status::Optimal && result_.relative_gap > settings_.tolerance) {
        result_.status = Status::NumericalFailure;
    }
    return result_;
}

void HingeSolver::choose_bias(Vector& z, Vector& t) const {
    Vector offset = Vector::Ones(problem_.m);
    z[problem_.bias()] = 0.0;
    if (problem_.is_robust()) {
        z[problem_.size()] = problem_.size_of(z.head(problem_.n()));
        offset += z[problem_.size()] * problem_.r;
    }
    map_.multiply(z, t);
    t.array() += 1.0;
    const Vector score = problem_.y.cwiseProduct(offset - t);
    z[problem_.bias()] = optimal_bias(score, offset, problem_.y, problem_.c);
    t -= z[problem_.bias()] * problem_.y;
}

/// Scales a plane whose hinges are zero but for rounding so that they are zero: t is 1 - (margin),
/// and margins grow with the plane.
void HingeSolver::stretch_to_margin(Vector& z, Vector& t) const {
    double largest = 0.0;
    for (Index j = 0; j < problem_.m; ++j) {
        if (problem_.c[j] > 0.0) largest = std::max(largest, t[j]);
    }
    if (largest > kLargestStretch) return;
    // Twice what is needed, and a hair more against the rounding still to come.
    z *= 1.0 + 2.0 * largest + 8.0 * std::numeric_limits<double>::epsilon();
    map_.multiply_uncentred(z, t);
    t.array() += 1.0;
}

void HingeSolver::set_eps(double eps) {
    eps_ = eps;
    const double mean_radius = problem_.is_robust() ? problem_.c.dot(problem_.r) : 1.0;
    const auto w = stage_.z().head(problem_.n());
    double size = w.norm();
    double least_size = 1.0 / std::sqrt(map_.mean_square());
    if (problem_.scale.size() > 0) {
        size = problem_.scale.cwiseProduct(w).norm();
        least_size *= problem_.scale.maxCoeff();
    }
    size = std::max(size, least_size);
    stage_.set_smoothing({eps, eps * kConeRatio * size / mean_radius});
}

DualityGap HingeSolver::current_gap() {
    return measure_gap(problem_, map_, phase_ == Phase::Polish ? 0.0 : mu_, stage_.z(), stage_.t(),
                       stage_.a());
}

/// Also writes down which limit it was.
bool HingeSolver::has_limit_struck() {
    if (settings_.stop != nullptr && settings_.stop->load(std::memory_order_relaxed)) {
        result_.status = Status::Interrupted;
        return true;
    }
    if (result_.n_newton_steps + steps_in_stage_ < settings_.max_newton_steps) return false;
    result_.status = Status::IterationLimit;
    return true;
}

}  // namespace

HingeSolution solve_hinge_problem(const HingeProblem& problem, const HingeSettings& settings,
                                  const std::optional<HingeStart>& start) {
    return HingeSolver(problem, settings).run(start);
}

}  // namespace redoubt
