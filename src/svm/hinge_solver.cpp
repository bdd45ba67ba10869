#include "svm/hinge_solver.hpp"

#include <algorithm>
#include <cmath>

#include "svm/duality_gap.hpp"
#include "svm/hinge_map.hpp"
#include "svm/optimal_bias.hpp"
#include "svm/smoothed_hinge.hpp"
#include "svm/stages.hpp"

namespace redoubt {

namespace {

/// Below this, rounding errors in t shake the multipliers a = t / eps more than another stage would
/// improve them.
constexpr double kLeastEps = 1e-8;
/// Width of the cone's smoothing for a hinge width of 1, in units of ||w|| / (mean radius), which
/// is how the size of a point in the cone compares with that of a multiplier.
constexpr double kConeRatio = 2.0;
/// A stage ends when its last step promised less than this share of its smoothing error
constexpr double kStageGoal = 0.05;
/// (tighter in the search for the least norm, where mu makes the objective nearly flat).
constexpr double kLeastNormStageGoal = 0.005;
/// Stages without a step, or at the least smoothing and without a better gap, before giving up.
constexpr int kMaxIdleStages = 20;
/// A regularized problem whose multipliers are all small is solved another way after this many.
constexpr int kMaxIdleSmall = 3;

class HingeSolver {
public:
    HingeSolver(const HingeProblem& problem, const HingeSettings& settings)
        : problem_(problem),
          settings_(settings),
          map_(problem),
          stage_(problem, map_),
          plan_(problem.mu, map_.mean_square(), kLeastEps) {}

    HingeSolution run(const std::optional<HingeStart>& start);

private:
    void begin(const std::optional<HingeStart>& start);
    void minimize_stage();
    bool is_solved();
    void turn_to_hard_margin();
    void prepare_next_stage();
    void keep_if_better(double relative_gap);
    HingeSolution finish();
    void choose_bias(Vector& z, Vector& t) const;
    void smooth(double eps);
    bool has_limit_struck();

    const HingeProblem& problem_;
    const HingeSettings& settings_;
    HingeMap map_;
    SmoothedHinge stage_;
    Stages plan_;
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
        turn_to_hard_margin();
        prepare_next_stage();
    }
    return finish();
}

void HingeSolver::begin(const std::optional<HingeStart>& start) {
    stage_.set_regularizer(plan_.mu(), SmoothedHinge::Reference::Zero);
    const bool has_multipliers = start && start->a.size() > 0;
    smooth(has_multipliers ? kWarmEps : kColdEps);
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
    const double goal = plan_.is_flat() ? kLeastNormStageGoal : kStageGoal;
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
    const DualityGap gap =
        measure_gap(problem_, map_, plan_.gap_mu(), stage_.z(), stage_.t(), stage_.a());
    switch (plan_.phase()) {
        case Phase::LeastNorm:
            if (plan_.judge_mu(gap, stage_.largest_multiplier())) {
                stage_.set_regularizer(plan_.mu(), SmoothedHinge::Reference::Zero);
                smooth(plan_.eps());
            }
            return false;
        case Phase::HardMargin:
            return gap.relative(0.0) <= plan_.hard_margin_goal(settings_.tolerance);
        case Phase::Regularized:
        case Phase::Polish:
            break;
    }
    const double relative = gap.relative(settings_.gap_floor);
    keep_if_better(relative);
    return relative <= settings_.tolerance;
}

void HingeSolver::turn_to_hard_margin() {
    if (idle_stages_ <= kMaxIdleSmall) return;
    if (!plan_.turn_to_hard_margin(stage_.largest_multiplier())) return;
    best_z_.resize(0);
    idle_stages_ = 0;
    smooth(plan_.eps());
}

void HingeSolver::prepare_next_stage() {
    stage_.advance();
    if (plan_.phase() == Phase::Polish)
        stage_.set_regularizer(plan_.mu(), SmoothedHinge::Reference::Current);
    if (plan_.is_flat()) {
        const double factor = plan_.grow_multipliers(stage_.largest_multiplier());
        if (factor != 1.0) stage_.scale_multipliers(factor);
    }
    smooth(plan_.shrunk_eps(is_clean_, steps_in_stage_));
}

void HingeSolver::keep_if_better(double relative_gap) {
    if (relative_gap < best_gap_) {
        best_gap_ = relative_gap;
        best_z_ = stage_.z();
        best_a_ = stage_.a();
        if (steps_in_stage_ > 0) idle_stages_ = 0;
    } else if (plan_.is_at_least_eps()) {
        ++idle_stages_;
    }
}

/// The answer: the best point, with s = ||w||_q and the middle of the optimal biases, measured once
/// more with the caller's features and bias.
HingeSolution HingeSolver::finish() {
    if (best_z_.size() == 0) {
        best_z_ = stage_.z();
        best_a_ = stage_.a();
        if (problem_.mu > 0.0) best_a_ *= problem_.mu / plan_.mu();
    }
    const Index n = problem_.n();
    Vector z = best_z_;
    Vector t(problem_.m);
    choose_bias(z, t);
    z[problem_.bias()] -= map_.feature_mean().dot(z.head(n));
    map_.multiply_uncentred(z, t);
    t.array() += 1.0;
    if (plan_.phase() == Phase::HardMargin) {
        z *= stretch_to_margin(t, problem_.c);
        map_.multiply_uncentred(z, t);
        t.array() += 1.0;
    }

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

void HingeSolver::smooth(double eps) {
    plan_.set_eps(eps);
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

bool HingeSolver::has_limit_struck() {
    return redoubt::has_limit_struck(settings_, result_.n_newton_steps + steps_in_stage_,
                                     result_.status);
}

}  // namespace

HingeSolution solve_hinge_problem(const HingeProblem& problem, const HingeSettings& settings,
                                  const std::optional<HingeStart>& start) {
    return HingeSolver(problem, settings).run(start);
}

}  // namespace redoubt
