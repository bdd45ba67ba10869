#include "svm/attack_hinge.hpp"

#include <algorithm>
#include <cmath>

#include "svm/attack_bounds.hpp"
#include "svm/grouped_hinge.hpp"
#include "svm/optimal_bias.hpp"
#include "svm/stages.hpp"
#include "svm/worst_moves.hpp"

namespace redoubt {

namespace {

constexpr double kLeastEps = 1e-6;
/// Width of the boxes' smoothing for a hinge width of 1; see kConeRatio in hinge_solver.cpp.
constexpr double kBoxRatio = 2.0;
/// Stages without a step, or at the least smoothing and without a better gap, before giving up.
constexpr int kMaxIdleStages = 60;
/// A stage goes on until it is clean, unlike those of hinge_solver.cpp: moves are found at its end,
/// and they should be worth it. Then a few more steps go after the gradient itself, until it is
/// worth no more than this share of the gap allowed.
constexpr double kGradientGoal = 0.1;
constexpr int kMaxExtraSteps = 5;
/// The smoothing shrinks no further while the moves found so far miss more than this many times
/// its error: moves come first.
constexpr double kMissedShare = 1.0;
/// Then it grows by at most this factor, which keeps the multipliers from jumping to new rows.
constexpr double kMaxGrowth = 3.0;
/// New moves replace those that differ by less than this share of their length. A round set then
/// keeps one row per point, whose curvature the stage knows. But what is replaced is forgotten, so
/// that two moves could replace each other for ever: after some stages the share falls to nothing.
constexpr double kNearlySame = 0.1;
constexpr double kMergingDecay = 0.7;
constexpr int kMergingStages = 20;
/// A point's worst move is added when it is missed by more than this share of what the tolerance
/// allows in all.
constexpr double kMissedGoal = 0.01;

class AttackHingeSolver {
public:
    AttackHingeSolver(const HingeProblem& problem, const AttackModel& model,
                      const HingeSettings& settings)
        : problem_(problem),
          settings_(settings),
          worst_(problem, model),
          rows_(problem, worst_.boxes()),
          stage_(rows_),
          plan_(problem.mu, rows_.mean_square(), kLeastEps) {}

    HingeSolution run(const std::optional<HingeStart>& start);

private:
    void begin(const std::optional<HingeStart>& start);
    void minimize_stage();
    bool is_gradient_small() const;
    AttackBounds look_for_moves();
    bool is_solved(const AttackBounds& bounds);
    void prepare_next_stage(const AttackBounds& bounds);
    std::vector<NewRow> fresh_moves(double allowance) const;
    void update_curvature();
    void keep_if_better(const AttackBounds& bounds);
    HingeSolution finish();
    void smooth(double eps);
    bool has_limit_struck();

    const HingeProblem& problem_;
    const HingeSettings& settings_;
    WorstMoves worst_;
    MoveRows rows_;
    GroupedHinge stage_;
    Stages plan_;

    double smoothing_error_ = 0.0;  ///< of the last stage
    double last_primal_ = 1.0;
    int steps_in_stage_ = 0;
    bool is_clean_ = false;
    bool can_predict_ = false;

    Vector best_w_;
    Vector best_a_;
    AttackBounds best_;
    double best_gap_ = HUGE_VAL;
    int idle_stages_ = 0;
    HingeSolution result_;
};

HingeSolution AttackHingeSolver::run(const std::optional<HingeStart>& start) {
    begin(start);
    while (!has_limit_struck()) {
        minimize_stage();
        const AttackBounds bounds = look_for_moves();
        if (is_solved(bounds)) {
            result_.status = Status::Optimal;
            break;
        }
        if (idle_stages_ > kMaxIdleStages) {
            result_.status = Status::NumericalFailure;
            break;
        }
        prepare_next_stage(bounds);
    }
    return finish();
}

void AttackHingeSolver::begin(const std::optional<HingeStart>& start) {
    stage_.set_regularizer(plan_.mu(), GroupedHinge::Reference::Zero);
    const Vector w = start ? start->w : Vector::Zero(rows_.n());
    const double b = start ? start->b + rows_.feature_mean().dot(start->w) : 0.0;
    stage_.start(w, b);
    const bool has_multipliers = start && start->a.size() > 0;
    smooth(has_multipliers ? kWarmEps : kColdEps);
    if (!has_multipliers) return;
    worst_.find(w);
    std::vector<NewRow> added;
    for (Index group = 0; group < rows_.n_groups(); ++group) {
        const Index j = rows_.point(group);
        added.push_back({group, worst_.move(j), std::clamp(start->a[j], 0.0, 1.0)});
    }
    stage_.update_rows(added, 0.0);
    update_curvature();
    can_predict_ = true;
}

/// Newton steps until Phi is minimal for the present centre and smoothing, or none leads down.
void AttackHingeSolver::minimize_stage() {
    ++result_.n_stages;
    steps_in_stage_ = 0;
    is_clean_ = false;
    if (can_predict_) {
        stage_.evaluate_on_last_piece();
        if (stage_.step()) ++steps_in_stage_;
    }
    stage_.evaluate();
    int n_extra = 0;
    while (steps_in_stage_ < kMaxStepsPerStage && !has_limit_struck()) {
        if (steps_in_stage_ > 0) {
            is_clean_ = stage_.next_decrement() < kCleanGoal * stage_.smoothing_error();
            if (is_clean_ && (is_gradient_small() || ++n_extra > kMaxExtraSteps)) break;
        }
        if (!stage_.step()) break;
        ++steps_in_stage_;
        stage_.evaluate();
    }
    result_.n_newton_steps += steps_in_stage_;
    can_predict_ = true;
    if (steps_in_stage_ == 0) ++idle_stages_;
}

/// What is left of the gradient widens the duality gap by its product with w.
bool AttackHingeSolver::is_gradient_small() const {
    const double w_size = stage_.z().head(rows_.n()).norm();
    return stage_.gradient().norm() * w_size <= kGradientGoal * settings_.tolerance * last_primal_;
}

/// Finds the worst moves at the present w, measures both sides with what is known by then, and adds
/// the moves. Where they only replace nearly the same ones, the multipliers that have come with
/// them may prove more than before.
AttackBounds AttackHingeSolver::look_for_moves() {
    worst_.find(stage_.z().head(rows_.n()));
    AttackBounds bounds = measure_bounds(stage_, rows_, worst_, plan_.gap_mu());
    smoothing_error_ = stage_.smoothing_error();
    last_primal_ = std::max(bounds.primal, settings_.gap_floor);
    stage_.advance();
    const double floor = plan_.is_flat() ? 0.0 : settings_.gap_floor;
    const double allowance = kMissedGoal * settings_.tolerance * std::max(bounds.primal, floor);
    const int n_late = std::max(0, result_.n_stages - kMergingStages);
    stage_.update_rows(fresh_moves(allowance), kNearlySame * std::pow(kMergingDecay, n_late));
    AttackBounds fresh = bounds;
    measure_dual(stage_, rows_, plan_.gap_mu(), fresh);
    return fresh.dual > bounds.dual ? fresh : bounds;
}

bool AttackHingeSolver::is_solved(const AttackBounds& bounds) {
    switch (plan_.phase()) {
        case Phase::LeastNorm:
            if (plan_.judge_mu(bounds, stage_.largest_multiplier())) {
                stage_.set_regularizer(plan_.mu(), GroupedHinge::Reference::Zero);
                smooth(plan_.eps());
            }
            return false;
        case Phase::HardMargin:
            keep_if_better(bounds);
            return bounds.relative(0.0) <= plan_.hard_margin_goal(settings_.tolerance);
        case Phase::Regularized:
        case Phase::Polish:
            break;
    }
    keep_if_better(bounds);
    return bounds.relative(settings_.gap_floor) <= settings_.tolerance;
}

/// The worst moves of the points whose hinge they raise by more than the allowance; of a round set
/// also those of all points with a multiplier, because its moves never come twice.
std::vector<NewRow> AttackHingeSolver::fresh_moves(double allowance) const {
    std::vector<NewRow> fresh;
    const Index n = rows_.n();
    for (Index group = 0; group < rows_.n_groups(); ++group) {
        const Index j = rows_.point(group);
        if (!(problem_.r[j] > 0.0)) continue;
        const Vector d = worst_.move(j);
        const double moved =
            stage_.t()[rows_.begin(group)] - rows_.label(group) * d.dot(stage_.z().head(n));
        double known = 0.0;
        for (Index row = rows_.begin(group); row < rows_.end(group); ++row)
            known = std::max(known, stage_.t()[row]);
        const bool is_missed = moved > known + allowance;
        const bool is_round = worst_.is_round() && stage_.group_multiplier(group) > 0.0;
        if (is_missed || (is_round && moved > known)) fresh.push_back({group, d, 0.0});
    }
    return fresh;
}

void AttackHingeSolver::update_curvature() {
    Vector weight = Vector::Zero(problem_.m);
    for (Index group = 0; group < rows_.n_groups(); ++group)
        weight[rows_.point(group)] = rows_.weight(group) * stage_.group_multiplier(group);
    stage_.set_curvature(worst_.curvature(weight, rows_.mean_square()));
}

void AttackHingeSolver::prepare_next_stage(const AttackBounds& bounds) {
    if (plan_.phase() == Phase::Polish)
        stage_.set_regularizer(plan_.mu(), GroupedHinge::Reference::Current);
    update_curvature();
    if (plan_.is_flat()) {
        const double factor = plan_.grow_multipliers(stage_.largest_multiplier());
        if (factor != 1.0) stage_.scale_multipliers(factor);
    }
    if (bounds.missed > kMissedShare * smoothing_error_) {
        const double growth = std::min(kMaxGrowth, bounds.missed / smoothing_error_);
        smooth(std::min(kColdEps, growth * plan_.eps()));
    } else {
        smooth(plan_.shrunk_eps(is_clean_, steps_in_stage_));
    }
}

void AttackHingeSolver::keep_if_better(const AttackBounds& bounds) {
    const double gap =
        bounds.relative(plan_.phase() == Phase::HardMargin ? 0.0 : settings_.gap_floor);
    if (gap < best_gap_) {
        best_gap_ = gap;
        best_ = bounds;
        best_w_ = stage_.z().head(rows_.n());
        best_a_.setZero(problem_.m);
        for (Index group = 0; group < rows_.n_groups(); ++group)
            best_a_[rows_.point(group)] = std::min(1.0, stage_.group_multiplier(group));
        if (steps_in_stage_ > 0) idle_stages_ = 0;
    } else if (plan_.is_at_least_eps()) {
        ++idle_stages_;
    }
}

/// The answer: the best w with the middle of the optimal biases, measured once more with the
/// caller's features.
HingeSolution AttackHingeSolver::finish() {
    if (best_w_.size() == 0) {
        worst_.find(stage_.z().head(rows_.n()));
        keep_if_better(measure_bounds(stage_, rows_, worst_, plan_.gap_mu()));
    }
    worst_.find(best_w_);
    Vector score(problem_.m);
    kernels::multiply_rows(problem_.X, best_w_.data(), 0, problem_.m, score.data());
    Vector height = worst_.gain();
    height.array() += 1.0;
    double b = optimal_bias(score, height, problem_.y, problem_.c);
    Vector t = height - problem_.y.cwiseProduct((score.array() + b).matrix());
    if (plan_.phase() == Phase::HardMargin) {
        // Margins grow with the plane, what moves take from them included.
        const double factor = stretch_to_margin(t, problem_.c);
        best_w_ *= factor;
        b *= factor;
        if (factor > 1.0) t = 1.0 - factor * (1.0 - t.array());
    }
    result_.primal = 0.5 * problem_.mu * best_w_.squaredNorm();
    for (Index j = 0; j < problem_.m; ++j) result_.primal += problem_.c[j] * std::max(0.0, t[j]);
    result_.dual = best_.dual;
    if (problem_.mu == 0.0)
        result_.dual = std::max(0.0, best_.multipliers - 2.0 * best_w_.norm() * best_.distance);
    result_.w = best_w_;
    result_.b = b;
    result_.a = best_a_;
    result_.relative_gap =
        (result_.primal - result_.dual) / std::max(result_.primal, settings_.gap_floor);
    if (result_.status == Status::Optimal && result_.relative_gap > settings_.tolerance)
        result_.status = Status::NumericalFailure;
    return result_;
}

void AttackHingeSolver::smooth(double eps) {
    plan_.set_eps(eps);
    double eps_box = eps;
    if (rows_.n_boxed() > 0) {
        const double mean_half = worst_.boxes().half.rowwise().sum().dot(problem_.c);
        const double size =
            std::max(stage_.z().head(rows_.n()).norm(), 1.0 / std::sqrt(rows_.mean_square()));
        eps_box = eps * kBoxRatio * size / mean_half * static_cast<double>(rows_.n());
    }
    stage_.set_smoothing({eps, eps_box});
}

bool AttackHingeSolver::has_limit_struck() {
    return redoubt::has_limit_struck(settings_, result_.n_newton_steps + steps_in_stage_,
                                     result_.status);
}

}  // namespace

HingeSolution solve_attack_problem(const HingeProblem& problem, const AttackModel& model,
                                   const HingeSettings& settings,
                                   const std::optional<HingeStart>& start) {
    return AttackHingeSolver(problem, model, settings).run(start);
}

}  // namespace redoubt
