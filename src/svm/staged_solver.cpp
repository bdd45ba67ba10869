#include "svm/staged_solver.hpp"

#include <cmath>
#include <memory>

#include "svm/ball_stage.hpp"
#include "svm/threat_stage.hpp"
#include "svm/wide_solver.hpp"

namespace redoubt {

namespace {

/// Newton steps of one stage before it is left as it is.
constexpr int kMaxStepsPerStage = 60;
/// A stage counts as clean when the next step would promise less than this share of its smoothing
/// error.
constexpr double kCleanGoal = 1e-8;

/// Of wide problems, whose stages may take very many steps where all multipliers are small: no need
/// to wait until none leads down if, after some stages, all are below this and a stage takes so
/// many.
constexpr int kSettledStages = 4;
constexpr int kHardSteps = 20;
constexpr double kLostMultipliers = 0.05;

/// The one place where threats part ways: support functions that are norms go through a cone, all
/// others through moves.
std::unique_ptr<HingeStage> make_stage(const HingeProblem& problem, const SvmSettings& settings) {
    if (problem.is_ball()) return std::make_unique<BallStage>(problem, settings.stop);
    return std::make_unique<ThreatStage>(problem, settings);
}

/// Leads from stage to stage, and keeps the best answer on the way.
class StagedSolver {
public:
    StagedSolver(const HingeProblem& problem, const SvmSettings& settings)
        : problem_(problem),
          settings_(settings),
          stage_(make_stage(problem, settings)),
          plan_(problem.mu, problem.mean_square, stage_->traits().least_eps) {}

    SvmResult run(const std::optional<SvmStart>& start);
    SvmResult run(const StagedStart& start);
    void stay_in_features() { stage_->stay_in_features(); }

private:
    void begin(const std::optional<SvmStart>& start);
    SvmResult run_stages();
    void minimize_stage();
    bool is_solved(const DualityGap& gap);
    void turn_to_hard_margin();
    void prepare_next_stage();
    void keep_if_better(const DualityGap& gap, double relative_gap);
    SvmResult finish();
    void smooth(double eps);
    bool is_at_limit();

    const HingeProblem& problem_;
    const SvmSettings& settings_;
    std::unique_ptr<HingeStage> stage_;
    StagePlan plan_;
    int steps_in_stage_ = 0;
    bool is_clean_ = false;
    bool can_predict_ = false;
    int idle_stages_ = 0;

    struct Answer {
        double relative_gap = HUGE_VAL;
        std::optional<DualityGap> gap;
        Vector w;  ///< empty: none yet
        Vector a;
    };
    Answer best_;
    SvmResult result_;
};

SvmResult StagedSolver::run(const std::optional<SvmStart>& start) {
    begin(start);
    return run_stages();
}

SvmResult StagedSolver::run(const StagedStart& start) {
    const bool is_ours = !(problem_.mu > 0.0);
    if (is_ours && start.is_any_optimum) {
        plan_.begin_polishing(start.mu);
    } else if (is_ours && start.mu > 0.0) {
        plan_.begin_with(start.mu);
    }
    stage_->set_regularizer(plan_.mu(), HingeStage::Reference::Zero);
    plan_.set_eps(start.eps);
    can_predict_ = stage_->start(start.plane, start.a, start.eps);
    // Unlike any other start this one is of the right size.
    stage_->smooth(start.eps);
    if (plan_.phase() == Phase::Polish)
        stage_->set_regularizer(plan_.mu(), HingeStage::Reference::Current);
    return run_stages();
}

SvmResult StagedSolver::run_stages() {
    while (!is_at_limit()) {
        minimize_stage();
        if (is_raised(settings_.stop)) {
            result_.status = Status::Interrupted;
            break;
        }
        stage_->advance();
        const DualityGap gap = stage_->add_rows(stage_->measure(plan_.gap_mu()), plan_);
        if (is_solved(gap)) {
            result_.status = Status::Optimal;
            break;
        }
        if (idle_stages_ > stage_->traits().max_idle_stages) {
            result_.status = Status::NumericalFailure;
            break;
        }
        turn_to_hard_margin();
        prepare_next_stage();
    }
    return finish();
}

void StagedSolver::begin(const std::optional<SvmStart>& start) {
    stage_->set_regularizer(plan_.mu(), HingeStage::Reference::Zero);
    Hyperplane plane{Vector::Zero(problem_.n()), 0.0};
    Vector a;
    if (start) {
        plane = start->plane;
        plane.b += problem_.mean.dot(plane.w);
        a = start->dual_ratio;
    }
    plan_.set_eps(a.size() > 0 ? kWarmEps : kColdEps);
    can_predict_ = stage_->start(plane, a, plan_.eps());
}

/// Newton steps until Phi is minimal for the present centre and smoothing, or none leads down.
void StagedSolver::minimize_stage() {
    ++result_.stats.n_stages;
    steps_in_stage_ = 0;
    is_clean_ = false;
    if (can_predict_) {
        stage_->evaluate_on_last_piece();
        if (stage_->step()) ++steps_in_stage_;
    }
    stage_->evaluate();
    int n_clean = 0;
    while (steps_in_stage_ < kMaxStepsPerStage && !is_at_limit()) {
        if (steps_in_stage_ > 0) {
            is_clean_ = stage_->next_decrement() < kCleanGoal * stage_->smoothing_error();
            if (is_clean_) ++n_clean;
            if (stage_->is_minimal(is_clean_ ? n_clean : 0, plan_.is_flat())) break;
        }
        if (!stage_->step()) break;
        ++steps_in_stage_;
        stage_->evaluate();
    }
    result_.stats.n_newton_steps += steps_in_stage_;
    can_predict_ = true;
    if (steps_in_stage_ == 0) ++idle_stages_;
}

/// Is the gap of the last stage small enough? Decides with it, too, what the next stage is for.
bool StagedSolver::is_solved(const DualityGap& gap) {
    if (plan_.phase() == Phase::LeastNorm) {
        if (plan_.judge_mu(gap, stage_->largest_multiplier())) {
            stage_->set_regularizer(plan_.mu(), HingeStage::Reference::Zero);
            smooth(plan_.eps());
        }
        return false;
    }
    if (plan_.phase() == Phase::HardMargin) {
        const double relative = gap.relative(0.0);
        if (stage_->traits().keeps_best_hard_margin) keep_if_better(gap, relative);
        return relative <= plan_.hard_margin_goal(settings_.tolerance);
    }
    const double relative = gap.relative(kGapFloor);
    keep_if_better(gap, relative);
    return relative <= settings_.tolerance;
}

void StagedSolver::turn_to_hard_margin() {
    const bool is_lost = problem_.is_wide() && result_.stats.n_stages > kSettledStages &&
                         steps_in_stage_ > kHardSteps &&
                         stage_->largest_multiplier() < kLostMultipliers;
    if (idle_stages_ <= stage_->traits().max_idle_small && !is_lost) return;
    if (!plan_.turn_to_hard_margin(stage_->largest_multiplier())) return;
    best_ = {};
    idle_stages_ = 0;
    smooth(plan_.eps());
}

void StagedSolver::prepare_next_stage() {
    plan_.adapt_mu(steps_in_stage_);
    if (plan_.phase() == Phase::Polish)
        stage_->set_regularizer(plan_.mu(), HingeStage::Reference::Current);
    const double eps = stage_->prepare(plan_, is_clean_, steps_in_stage_);
    if (plan_.is_flat())
        stage_->scale_multipliers(plan_.grow_multipliers(stage_->largest_multiplier()));
    smooth(eps);
}

void StagedSolver::keep_if_better(const DualityGap& gap, double relative_gap) {
    if (relative_gap < best_.relative_gap) {
        best_.relative_gap = relative_gap;
        best_.gap = gap;
        best_.w = stage_->w();
        best_.a = stage_->multipliers();
        if (steps_in_stage_ > 0) idle_stages_ = 0;
    } else if (plan_.is_at_least_eps()) {
        ++idle_stages_;
    }
}

/// The answer: the best plane with its optimal bias, measured once more where the caller will.
SvmResult StagedSolver::finish() {
    if (best_.w.size() == 0) {
        best_.w = stage_->w();
        best_.a = stage_->multipliers();
        // A hard margin may have raised a mu that was the caller's, and the multipliers with it.
        if (problem_.mu > 0.0) best_.a *= problem_.mu / plan_.mu();
    }
    result_.plane.w = best_.w;
    const DualityGap gap =
        stage_->finish(result_.plane, best_.a, best_.gap, plan_.phase() == Phase::HardMargin);
    result_.dual_ratio = best_.a;
    result_.primal_value = gap.primal;
    result_.dual_value = gap.dual;
    result_.multipliers = gap.multipliers;
    result_.distance = gap.distance;
    result_.relative_gap = gap.relative(kGapFloor);
    if (result_.status == Status::Optimal && result_.relative_gap > settings_.tolerance)
        result_.status = Status::NumericalFailure;
    return result_;
}

void StagedSolver::smooth(double eps) {
    plan_.set_eps(eps);
    stage_->smooth(eps);
}

/// Also writes down which limit it is.
bool StagedSolver::is_at_limit() {
    if (settings_.stop != nullptr && settings_.stop->load(std::memory_order_relaxed)) {
        result_.status = Status::Interrupted;
        return true;
    }
    if (result_.stats.n_newton_steps + steps_in_stage_ < settings_.max_iterations) return false;
    result_.status = Status::IterationLimit;
    return true;
}

}  // namespace

SvmResult solve_hinge_problem(const HingeProblem& problem, const SvmSettings& settings,
                              const std::optional<SvmStart>& start) {
    return suits_wide_route(problem) ? solve_wide(problem, settings, start)
                                     : solve_in_stages(problem, settings, start);
}

SvmResult solve_in_stages(const HingeProblem& problem, const SvmSettings& settings,
                          const std::optional<SvmStart>& start, bool in_features) {
    StagedSolver solver(problem, settings);
    if (in_features) solver.stay_in_features();
    return solver.run(start);
}

SvmResult solve_in_stages(const HingeProblem& problem, const SvmSettings& settings,
                          const StagedStart& start) {
    return StagedSolver(problem, settings).run(start);
}

}  // namespace redoubt
