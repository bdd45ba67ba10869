#include "svm/wide_solver.hpp"

#include <algorithm>
#include <cmath>

#include "svm/chosen_columns.hpp"
#include "svm/descent_watch.hpp"
#include "svm/interior_dual.hpp"
#include "svm/merged_columns.hpp"
#include "svm/point_space.hpp"
#include "svm/stage_plan.hpp"
#include "svm/staged_solver.hpp"

namespace redoubt {

namespace {

/// A start of the stages from a gap above this only misleads.
constexpr double kUselessStart = 0.1;

/// Proximal steps of problems without a regulariser.
constexpr int kPassesPerCentre = 10;
constexpr double kMuShare = 0.3;
constexpr double kMuChange = 3.0;
/// By how much ||w|| may change after a pass of a descent that follows it.
constexpr double kSizeChange = 1.25;
/// Steps after which few points should be separated.
constexpr int kQuickSteps = 3;
/// Share of the objective by which a step may go up.
constexpr double kNoise = 0.01;
/// Share of the squared distance between the means of the classes.
constexpr double kFirstMuShare = 0.1;
/// The first smoothing of the stages in units of the residuals of the free points, and its bounds.
constexpr double kResidualWidth = 5.0;
constexpr double kLeastFreeWeight = 1e-3;
constexpr double kLeastEps = 1e-8;
/// Their proximal term as a share of the objective, in all columns and in few.
constexpr double kPolishShare = 0.1;
constexpr double kColumnShare = 0.03;
constexpr double kTiny = 1e-300;
/// Of an interior-point method: its steps, and where one of them no longer helps.
constexpr int kMostInteriorSteps = 100;
constexpr double kInteriorProgress = 0.8;
constexpr double kSettledGap = 1e-3;
/// The least norm is looked for up to this tolerance, with this smoothing and so many steps.
constexpr double kLeastNormTolerance = 1e-6;
constexpr double kLeastNormEps = 1e-4;
constexpr int kMostLeastNormSteps = 60;
/// All hinges are below this: so is a multiple of the plane where they are 0.
constexpr double kSeparated = 0.9;
/// What the multipliers of a hard margin may sum to, and how mu falls when one reaches its bound.
constexpr double kHardMarginFill = 0.1;
constexpr double kHardMarginCut = 0.3;
/// How large its hinges may be for the plane to be stretched until none is left.
constexpr double kMostStretch = 0.5;

/// The second, unless only the first is closer to an optimum. Counts the steps of both.
SvmResult better_of(const SvmResult& first, SvmResult second) {
    const bool is_first =
        second.status != Status::Optimal && first.relative_gap < second.relative_gap;
    SvmResult result = is_first ? first : second;
    result.stats.n_newton_steps = first.stats.n_newton_steps + second.stats.n_newton_steps;
    result.stats.n_stages = first.stats.n_stages + second.stats.n_stages;
    return result;
}

class WideSolver {
public:
    /// `follows_size` allows the descent of that name.
    WideSolver(const HingeProblem& problem, const SvmSettings& settings, bool follows_size)
        : problem_(problem),
          settings_(settings),
          follows_size_(follows_size && problem.is_robust() && problem.threat.norm == Norm::L2),
          watch_(problem, settings.stop),
          descent_(watch_.descent()) {}

    SvmResult run(const std::optional<SvmStart>& start);

private:
    enum class End { Solved, Slow, Stopped, Separated, SolvedInColumns, Lost };

    End descend();
    End descend_without_regularizer();
    End descend_with_size();
    End descend_with_centre();
    End descend_to_hard_margin();
    bool is_soon_separated();
    double first_mu() const;
    StagedStart staged_start() const;
    StagedStart start_at_any_optimum(double share) const;
    SvmResult continue_in_stages(const std::optional<SvmStart>& first);
    SvmResult solve_without_descent(const std::optional<SvmStart>& first);
    std::optional<SvmResult> solve_inside();
    std::optional<SvmResult> solve_as_hard_margin();
    SvmResult solve_hard_margin(const std::optional<SvmStart>& first);
    SvmResult with_least_norm(const SvmResult& optimum);
    SvmResult finish(Status status) { return finish(status, watch_.w(), watch_.a()); }
    SvmResult finish(Status status, const Vector& w, const Vector& a);

    const HingeProblem& problem_;
    const SvmSettings& settings_;
    bool follows_size_;
    DescentWatch watch_;
    DualDescent& descent_;
    double own_mu_ = 0.0;  ///< of a hard margin
    std::optional<SvmResult> in_columns_;
};

/// With the problem's own regulariser.
WideSolver::End WideSolver::descend() {
    descent_.set_regularizer(problem_.mu, Vector::Zero(problem_.n()));
    int passes = watch_.first_passes();
    for (bool on_face = false;; on_face = watch_.prefers_face(settings_.tolerance)) {
        if (!(on_face ? watch_.step_on_face() : watch_.run_passes(passes))) return End::Stopped;
        watch_.look(problem_.mu);
        if (watch_.relative() <= settings_.tolerance) return End::Solved;
        if (watch_.prefers_face(settings_.tolerance)) continue;
        if (watch_.is_slow(settings_.tolerance)) return End::Slow;
        passes = watch_.passes_to(settings_.tolerance);
    }
}

/// A few points in many dimensions can nearly always be separated, and a few steps on the face,
/// each from where the last one ended, show it. Otherwise all is as it was.
bool WideSolver::is_soon_separated() {
    const Vector before = watch_.descent().multipliers();
    descent_.set_regularizer(first_mu(), Vector::Zero(problem_.n()));
    bool is_separated = false;
    for (int i = 0; i < kQuickSteps && !is_separated; ++i) {
        const bool goes_on = i == 0 ? watch_.run_passes(1) : watch_.step_on_face();
        if (!goes_on) break;
        watch_.look(0.0);
        is_separated = watch_.largest_hinge() < kSeparated;
        descent_.set_regularizer(descent_.mu(), descent_.w());
    }
    if (!is_separated) descent_.start(before);
    watch_.forget_progress();
    return is_separated;
}

WideSolver::End WideSolver::descend_without_regularizer() {
    if (watch_.has_few_points() && is_soon_separated()) return End::Separated;
    return follows_size_ ? descend_with_size() : descend_with_centre();
}

/// Against an l2 ball: passes of a plain SVM, whose margins 1 + r ||w|| and whose mu = R / ||w||
/// follow after every one.
WideSolver::End WideSolver::descend_with_size() {
    double mu = first_mu();
    descent_.set_regularizer(mu, Vector::Zero(problem_.n()));
    double size = descent_.length() / mu;
    descent_.fix_size(mu, size);
    int passes = watch_.first_passes();
    for (;;) {
        for (int i = 0; i < passes; ++i) {
            if (!watch_.run_passes(1)) return End::Stopped;
            const double found = descent_.length() / mu;
            size = size > 0.0 ? std::clamp(found, size / kSizeChange, size * kSizeChange) : found;
            // Without a multiplier at its bound there is a plane without hinges, and smaller mu
            // would only go on for ever.
            const double wanted = size > 0.0 ? descent_.radius_sum() / size : mu;
            if (wanted > mu || (wanted > 0.0 && descent_.has_full())) mu = wanted;
            descent_.fix_size(mu, size);
        }
        watch_.look(0.0);
        if (watch_.largest_hinge() < kSeparated) return End::Separated;
        if (watch_.relative() <= settings_.tolerance) return End::Solved;
        if (watch_.is_slow(settings_.tolerance)) return End::Lost;
        passes = watch_.passes_to(settings_.tolerance);
    }
}

/// Proximal steps, whose centre follows w and whose mu is ours.
WideSolver::End WideSolver::descend_with_centre() {
    Vector centre = Vector::Zero(problem_.n());
    double mu = first_mu();
    descent_.set_regularizer(mu, centre);
    double last_primal = HUGE_VAL;
    for (;;) {
        if (!watch_.run_passes(kPassesPerCentre)) return End::Stopped;
        watch_.look(0.0);
        if (watch_.largest_hinge() < kSeparated) return End::Separated;
        if (watch_.relative() <= settings_.tolerance) return End::Solved;
        const bool is_slow = watch_.is_slow(settings_.tolerance);
        const bool is_stuck = is_slow && watch_.relative() > kUselessStart;
        const bool is_linf = problem_.threat.norm == Norm::LInf;
        if (is_linf && (is_stuck || watch_.prefers_columns())) {
            StagedStart from = start_at_any_optimum(kColumnShare);
            from.is_any_optimum = !is_stuck && settings_.tolerance > kLeastNormTolerance;
            in_columns_ = solve_in_columns(problem_, settings_, watch_.rows(), from);
            if (in_columns_) {
                watch_.look_at(in_columns_->plane.w, in_columns_->dual_ratio, 0.0);
                const bool has_hinges = watch_.largest_hinge() >= kSeparated;
                return has_hinges ? End::SolvedInColumns : End::Separated;
            }
        }
        if (is_slow) return End::Slow;
        // An exact proximal step never goes up: mu was too small for so few passes.
        if (watch_.seen().primal > (1.0 + kNoise) * last_primal) {
            mu *= kMuChange;
        } else {
            centre = descent_.w();
            const double square = centre.squaredNorm();
            const double radius = problem_.c.cwiseProduct(watch_.a()).dot(problem_.r);
            const double wanted = kMuShare * radius * watch_.gap().size_of(centre) / square;
            if (square > 0.0) mu = std::clamp(wanted, mu / kMuChange, mu * kMuChange);
            last_primal = watch_.seen().primal;
        }
        descent_.set_regularizer(mu, centre);
    }
}

/// No hinge is left at the optimum, so that the least ||w|| is wanted. It is that of any mu whose
/// multipliers stay below their bounds.
WideSolver::End WideSolver::descend_to_hard_margin() {
    // At the optimum the multipliers sum to mu ||w||^2. Bounds should not be met on the way.
    const double total = kHardMarginFill * std::min(1.0, static_cast<double>(problem_.n()) /
                                                             static_cast<double>(problem_.m));
    own_mu_ = total / watch_.w().squaredNorm();
    const double sum = problem_.c.dot(descent_.multipliers());
    descent_.set_regularizer(own_mu_, Vector::Zero(problem_.n()), sum > 0.0 ? total / sum : 1.0);
    watch_.forget_progress();
    watch_.drop_floor();
    int passes = watch_.first_passes();
    for (bool on_face = watch_.has_all_free();;
         on_face = watch_.prefers_face(settings_.tolerance)) {
        if (!(on_face ? watch_.step_on_face() : watch_.run_passes(passes))) return End::Stopped;
        watch_.look(own_mu_);
        const bool is_slow =
            !watch_.prefers_face(settings_.tolerance) && watch_.is_slow(settings_.tolerance);
        if (watch_.a().maxCoeff() >= 1.0 && !is_slow) {
            own_mu_ *= kHardMarginCut;
            watch_.forget_progress();
            descent_.set_regularizer(own_mu_, Vector::Zero(problem_.n()), kHardMarginCut);
            passes = watch_.first_passes();
            continue;
        }
        if (watch_.relative() <= settings_.tolerance) return End::Solved;
        if (is_slow) return End::Slow;
        passes = watch_.passes_to(settings_.tolerance);
    }
}

SvmResult WideSolver::finish(Status status, const Vector& w, const Vector& a) {
    SvmResult result;
    result.status = status;
    result.plane.w = w;
    const DualityGap gap = watch_.gap().finish(result.plane, a, own_mu_ > 0.0 ? kMostStretch : 0.0);
    result.dual_ratio = a;
    result.primal_value = gap.primal;
    result.dual_value = gap.dual;
    result.relative_gap = gap.relative(kGapFloor);
    if (status == Status::Optimal && result.relative_gap > settings_.tolerance)
        result.status = Status::NumericalFailure;
    return result;
}

/// Where the stages take over: wide enough that the multipliers which are free now stay so.
StagedStart WideSolver::staged_start() const {
    StagedStart start{{watch_.w(), watch_.bias()}, watch_.a()};
    double free_weight = 0.0;
    double residual = 0.0;
    for (Index j = 0; j < problem_.m; ++j) {
        if (!(watch_.a()[j] > 0.0 && watch_.a()[j] < 1.0)) continue;
        free_weight += problem_.c[j];
        residual += problem_.c[j] * std::abs(watch_.t()[j]);
    }
    const double error =
        2.0 * (watch_.seen().primal - watch_.seen().dual) + kResidualWidth * residual;
    start.eps = std::clamp(error / std::max(free_weight, kLeastFreeWeight), kLeastEps, kColdEps);
    start.mu = own_mu_;
    return start;
}

/// The same without a regulariser; the proximal term is this share of the objective.
StagedStart WideSolver::start_at_any_optimum(double share) const {
    StagedStart start = staged_start();
    start.is_any_optimum = true;
    start.mu = share * watch_.seen().primal / std::max(watch_.w().squaredNorm(), kTiny);
    return start;
}

SvmResult WideSolver::continue_in_stages(const std::optional<SvmStart>& first) {
    if (watch_.is_beyond_newton()) return finish(Status::IterationLimit);
    // A start from far away only misleads.
    if (watch_.relative() > kUselessStart) return solve_without_descent(first);
    const bool is_free = !(problem_.mu > 0.0) && !(own_mu_ > 0.0);
    const StagedStart start = is_free ? start_at_any_optimum(kPolishShare) : staged_start();
    const SvmResult result = solve_in_stages(problem_, settings_, start);
    if (result.status == Status::NumericalFailure)
        return better_of(result, solve_without_descent(first));
    if (result.status != Status::Optimal || !start.is_any_optimum) return result;
    watch_.look_at(result.plane.w, result.dual_ratio, 0.0);
    return watch_.largest_hinge() < kSeparated ? solve_hard_margin(first) : with_least_norm(result);
}

/// The stages from the caller's start, or none; where rounding defeats them, in all features.
SvmResult WideSolver::solve_without_descent(const std::optional<SvmStart>& first) {
    if (InteriorDual::suits(problem_)) {
        if (const std::optional<SvmResult> result = solve_inside()) return *result;
    }
    if (problem_.mu > 0.0 && !problem_.is_robust() && problem_.m <= problem_.n()) {
        if (const std::optional<SvmResult> result = solve_as_hard_margin()) return *result;
    }
    const SvmResult result = solve_in_stages(problem_, settings_, first, false);
    const bool is_small = static_cast<double>(problem_.n()) <= kLargestMatrix;
    if (result.status != Status::NumericalFailure || !is_small) return result;
    return better_of(result, solve_in_stages(problem_, settings_, first, true));
}

/// Nothing where rounding keeps the gap too large.
std::optional<SvmResult> WideSolver::solve_inside() {
    InteriorDual interior(problem_, settings_.stop);
    Vector image(watch_.rows().n_variables());
    bool goes_on = interior.prepare();
    int n_steps = 0;
    double last = HUGE_VAL;
    while (goes_on && n_steps < std::min(kMostInteriorSteps, settings_.max_iterations)) {
        goes_on = interior.step();
        ++n_steps;
        const Vector a = interior.multipliers();
        watch_.rows().multiply_transposed(problem_.c.cwiseProduct(a), image);
        watch_.look_at(-image.head(problem_.n()) / problem_.mu, a, problem_.mu);
        if (watch_.relative() <= settings_.tolerance) {
            SvmResult result = finish(Status::Optimal);
            result.stats.n_newton_steps = n_steps;
            if (result.status == Status::Optimal) return result;
        }
        // Near the end w, which is a sum over alpha, has lost too many digits: the stages have
        // their own.
        const bool is_settled = watch_.relative() > kInteriorProgress * last;
        last = watch_.relative();
        if (is_settled && last < kSettledGap) {
            SvmResult result = solve_in_stages(problem_, settings_, staged_start());
            result.stats.n_newton_steps += n_steps;
            if (result.status == Status::Optimal) return result;
            break;
        }
    }
    if (!is_raised(settings_.stop)) return std::nullopt;
    watch_.look(problem_.mu);
    return finish(Status::Interrupted);
}

/// With no more points than features no hinge need be left, and where the regulariser is small none
/// is: the plane of least norm is the answer then. Its multipliers fit up to a factor. Nothing
/// where that does not work out.
std::optional<SvmResult> WideSolver::solve_as_hard_margin() {
    HingeProblem bare = problem_;
    bare.mu = 0.0;
    // About as many points as features: all features cost no more, and rounding does less harm.
    const bool in_features = problem_.n() <= 2 * problem_.m;
    const SvmResult result =
        solve_in_stages(bare, settings_, std::optional<SvmStart>{}, in_features);
    const bool is_stopped = result.status == Status::Interrupted;
    if (result.status != Status::Optimal && !is_stopped) return std::nullopt;
    Vector image(watch_.rows().n_variables());
    const Vector alpha = problem_.c.cwiseProduct(result.dual_ratio);
    watch_.rows().multiply_transposed(alpha, image);
    const double square = image.head(problem_.n()).squaredNorm();
    const double best = problem_.mu * alpha.sum() / std::max(square, kTiny);
    const double largest = std::max(result.dual_ratio.maxCoeff(), kTiny);
    SvmResult scaled =
        finish(result.status, result.plane.w, std::min(best, 1.0 / largest) * result.dual_ratio);
    scaled.stats = result.stats;
    if (scaled.status != Status::Optimal && !is_stopped) return std::nullopt;
    return scaled;
}

SvmResult WideSolver::solve_hard_margin(const std::optional<SvmStart>& first) {
    const End end = descend_to_hard_margin();
    if (end == End::Slow) return continue_in_stages(first);
    if (end == End::Stopped) watch_.look(own_mu_);
    return finish(end == End::Solved ? Status::Optimal : Status::Interrupted);
}

/// Among the optima of a polyhedral norm, which may be many, that of least ||w||: a few steps from
/// any of them. `optimum` where that does not work out.
SvmResult WideSolver::with_least_norm(const SvmResult& optimum) {
    if (problem_.threat.norm == Norm::L2 || settings_.tolerance > kLeastNormTolerance ||
        watch_.is_beyond_newton())
        return optimum;
    StagedStart start{optimum.plane, optimum.dual_ratio, kLeastNormEps};
    start.plane.b += problem_.mean.dot(start.plane.w);
    SvmSettings limited = settings_;
    limited.max_iterations = std::min(settings_.max_iterations, kMostLeastNormSteps);
    SvmResult result = solve_in_stages(problem_, limited, start);
    result.stats.n_newton_steps += optimum.stats.n_newton_steps;
    return result.status == Status::Optimal ? result : optimum;
}

SvmResult WideSolver::run(const std::optional<SvmStart>& start) {
    if (start && start->dual_ratio.size() > 0) descent_.start(start->dual_ratio);
    const End end = problem_.mu > 0.0 ? descend() : descend_without_regularizer();
    if (end == End::Lost) return WideSolver(problem_, settings_, false).run(start);
    if (end == End::Separated) return solve_hard_margin(start);
    if (end == End::Slow) return continue_in_stages(start);
    if (end == End::SolvedInColumns) {
        const bool is_stopped = in_columns_->status == Status::Interrupted;
        return is_stopped ? *in_columns_ : with_least_norm(*in_columns_);
    }
    if (end == End::Stopped) {
        watch_.look(problem_.mu);
        return finish(Status::Interrupted);
    }
    const SvmResult result = finish(Status::Optimal);
    return problem_.mu > 0.0 ? result : with_least_norm(result);
}

/// The mu for which a plane between the means of the classes has about the right length.
double WideSolver::first_mu() const {
    Vector z(watch_.rows().n_variables());
    Vector alpha(problem_.m);
    double plus = 0.0;
    for (Index j = 0; j < problem_.m; ++j) plus += problem_.y[j] > 0.0 ? problem_.c[j] : 0.0;
    for (Index j = 0; j < problem_.m; ++j)
        alpha[j] = problem_.c[j] * (problem_.y[j] > 0.0 ? 0.5 / plus : 0.5 / (1.0 - plus));
    BallRows(problem_).multiply_transposed(alpha, z);
    const double square = z.head(problem_.n()).squaredNorm();
    return kFirstMuShare * std::max(square, 1e-12 * problem_.mean_square);
}

}  // namespace

bool suits_wide_route(const HingeProblem& problem) {
    return problem.is_wide() && problem.is_ball() && problem.threat.scale.size() == 0;
}

SvmResult solve_wide(const HingeProblem& problem, const SvmSettings& settings,
                     const std::optional<SvmStart>& start) {
    const std::optional<MergedColumns> merged =
        problem.rows.is_sparse() ? MergedColumns::of(problem) : std::nullopt;
    if (merged) {
        std::optional<SvmStart> merged_start = start;
        if (start) merged_start->plane.w = merged->merge(start->plane.w);
        SvmResult result = solve_hinge_problem(merged->problem(), settings, merged_start);
        result.plane.w = merged->expand(result.plane.w);
        return result;
    }
    if (suits_point_space(problem)) {
        SvmResult result = solve_in_point_space(problem, settings);
        if (result.status != Status::NumericalFailure) return result;
    }
    return WideSolver(problem, settings, true).run(start);
}

}  // namespace redoubt
