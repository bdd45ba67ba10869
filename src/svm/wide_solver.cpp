#include "svm/wide_solver.hpp"

#include <algorithm>
#include <cmath>

#include "svm/ball_gap.hpp"
#include "svm/dual_descent.hpp"
#include "svm/staged_solver.hpp"

namespace redoubt {

namespace {

/// Passes before the first look at the gap, and the share of all passes so far between two looks.
constexpr int kFirstPasses = 5;
constexpr double kPassesPerLook = 0.25;
constexpr int kMostPasses = 5000;
constexpr int kStretchBisections = 40;
/// While the gap is above this, looks put the bias where it is best.
constexpr double kBiasGap = 1e-3;
/// Numbers per second of a pass, dense and compressed, and operations per second of a
/// factorisation: only their ratios count.
constexpr double kDenseSpeed = 0.8e9;
constexpr double kSparseSpeed = 0.3e9;
constexpr double kMatrixSpeed = 1.5e10;
/// Looking at a threshold costs several times a product.
constexpr double kThresholdCost = 3.0;
/// Newton steps to be expected from a gap of kGoodStart, and for every power of ten above.
constexpr double kStepsFromGoodStart = 6.0;
constexpr double kStepsPerDigit = 12.0;
constexpr double kGoodStart = 1e-5;
/// Above this gap only a descent that stalls is left.
constexpr double kLargestStart = 0.01;
constexpr double kUselessStart = 0.1;
/// Largest matrix that is factorised.
constexpr double kLargestMatrix = 8000.0;
/// A descent stalls when its error has not fallen by this factor within so many passes, at least
/// that share of all.
constexpr double kProgress = 0.7;
constexpr int kPatientPasses = 60;
constexpr double kPatientShare = 0.4;
/// Slower progress than this per pass is not counted on.
constexpr double kLeastRate = 0.003;

/// Proximal steps of problems without a regulariser.
constexpr int kPassesPerCentre = 10;
constexpr double kMuShare = 0.3;
constexpr double kMuChange = 3.0;
/// Share of the objective by which a step may go up.
constexpr double kNoise = 0.01;
/// Share of the squared distance between the means of the classes.
constexpr double kFirstMuShare = 0.1;
/// The first smoothing of the stages in units of the residuals of the free points, and its bounds.
constexpr double kResidualWidth = 5.0;
constexpr double kLeastFreeWeight = 1e-3;
constexpr double kLeastEps = 1e-8;
/// Their proximal term as a share of the objective.
constexpr double kPolishShare = 0.1;
constexpr double kTiny = 1e-300;
/// The least norm is looked for up to this tolerance, with this smoothing and so many steps.
constexpr double kLeastNormTolerance = 1e-6;
constexpr double kLeastNormEps = 1e-4;
constexpr int kMostLeastNormSteps = 60;
/// All hinges are below this: so is a multiple of the plane where they are 0.
constexpr double kSeparated = 0.9;
/// What the multipliers of a hard margin may sum to, and how mu falls when one reaches its bound.
constexpr double kHardMarginFill = 0.1;
constexpr double kHardMarginCut = 0.3;

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
    WideSolver(const HingeProblem& problem, const SvmSettings& settings)
        : problem_(problem),
          settings_(settings),
          rows_(problem),
          gap_(problem, rows_),
          descent_(problem, settings.stop) {}

    SvmResult run(const std::optional<SvmStart>& start);

private:
    enum class End { Solved, Slow, Stopped, Separated };

    End descend();
    End descend_with_centre();
    End descend_to_hard_margin();
    void forget_progress();
    double first_mu() const;
    int passes_to(double goal) const;
    bool run_passes(int count);
    void look(double mu);
    void stretch(double mu);
    bool is_slow(double goal);
    double pass_cost() const;
    double newton_cost() const;
    StagedStart staged_start() const;
    SvmResult continue_in_stages(const std::optional<SvmStart>& first);
    SvmResult solve_without_descent(const std::optional<SvmStart>& first);
    SvmResult solve_hard_margin(const std::optional<SvmStart>& first);
    SvmResult with_least_norm(const SvmResult& optimum);
    SvmResult finish(Status status);

    const HingeProblem& problem_;
    const SvmSettings& settings_;
    BallRows rows_;
    BallGap gap_;
    DualDescent descent_;
    int n_passes_ = 0;

    // What the last look saw.
    Vector w_, z_, t_, a_;
    DualityGap seen_;
    double relative_ = HUGE_VAL;
    double last_error_ = HUGE_VAL;
    double least_error_ = HUGE_VAL;
    int last_progress_ = 0;
    int last_look_ = 0;
    double rate_ = 1.0;
    double own_mu_ = 0.0;  ///< of a hard margin
};

double WideSolver::pass_cost() const {
    const bool is_round = !problem_.is_robust() || problem_.threat.norm == Norm::L2;
    const double speed = problem_.rows.is_sparse() ? kSparseSpeed : kDenseSpeed;
    return (is_round ? 1.0 : kThresholdCost) * problem_.rows.n_numbers() / speed;
}

double WideSolver::newton_cost() const {
    const auto n = static_cast<double>(problem_.n());
    const auto count = static_cast<double>(descent_.n_free());
    if (std::min(n, count) > kLargestMatrix) return HUGE_VAL;
    const double in_rows = count * count * (n + count / 3.0);
    const double in_features = n * n * (count + n / 3.0);
    const double digits = std::max(0.0, std::log10(relative_ / kGoodStart));
    const double steps = kStepsFromGoodStart + kStepsPerDigit * digits;
    return steps * (std::min(in_rows, in_features) / kMatrixSpeed + 4.0 * pass_cost());
}

/// Measures both sides of the problem where the descent is.
void WideSolver::look(double mu) {
    w_ = descent_.w();
    a_ = descent_.multipliers();
    gap_.complete(w_, z_, t_);
    stretch(mu);
    seen_ = gap_.measure(mu, z_, t_, a_);
    relative_ = seen_.relative(kGapFloor);
    const int passes = std::max(1, n_passes_ - last_look_);
    // Progress shows below 0, too, where the lower bound is of no use yet.
    const double loss =
        mu > 0.0 ? 0.5 * seen_.squared_distance / mu : 2.0 * gap_.size_of(w_) * seen_.distance;
    const double error = std::max(seen_.primal - (seen_.multipliers - loss), 1e-300);
    rate_ = std::log(last_error_ / error) / passes;
    last_error_ = error;
    if (error < kProgress * least_error_) {
        least_error_ = error;
        last_progress_ = n_passes_;
    }
    last_look_ = n_passes_;
    if (relative_ > kBiasGap) descent_.set_bias(z_[rows_.bias()]);
    descent_.restore();
}

/// Scales the plane to the best of its multiples: far from the optimum its direction is much better
/// than its length, and on the way to a hard margin a little more length pays for all hinges.
void WideSolver::stretch(double mu) {
    const Vector margin = (1.0 - t_.array()).matrix();
    const double square = mu * w_.squaredNorm();
    const auto slope = [&](double f) {
        double sum = f * square;
        for (Index j = 0; j < problem_.m; ++j) {
            if (f * margin[j] < 1.0) sum -= problem_.c[j] * margin[j];
        }
        return sum;
    };
    double low = 0.5;
    double high = 2.0;
    if (slope(low) >= 0.0 || slope(high) <= 0.0) return;
    for (int i = 0; i < kStretchBisections; ++i) {
        const double middle = 0.5 * (low + high);
        (slope(middle) > 0.0 ? high : low) = middle;
    }
    w_ *= high;
    z_ *= high;
    t_ = 1.0 - high * margin.array();
}

/// Would Newton steps be there sooner?
bool WideSolver::is_slow(double goal) {
    if (n_passes_ >= kMostPasses) return true;
    const double newton = newton_cost();
    if (newton == HUGE_VAL) return false;
    const double patience = std::max<double>(kPatientPasses, kPatientShare * n_passes_);
    if (n_passes_ - last_progress_ > patience) return true;
    if (rate_ < kLeastRate || relative_ > kLargestStart) return false;
    const double allowed = goal * std::max(seen_.dual, kGapFloor);
    return std::log(last_error_ / allowed) / rate_ * pass_cost() > newton;
}

/// Passes until the next look: as many as the goal seems to need, but not too many at once.
int WideSolver::passes_to(double goal) const {
    const double allowed = goal * std::max(seen_.dual, kGapFloor);
    const double wanted = std::log(last_error_ / allowed) / std::max(rate_, kLeastRate);
    const double most = std::max<double>(kFirstPasses, kPassesPerLook * n_passes_);
    return static_cast<int>(std::clamp(std::ceil(wanted), 1.0, most));
}

void WideSolver::forget_progress() {
    last_error_ = least_error_ = HUGE_VAL;
    last_progress_ = n_passes_;
}

bool WideSolver::run_passes(int count) {
    for (int i = 0; i < count; ++i) {
        ++n_passes_;
        if (!descent_.pass()) return false;
    }
    return true;
}

/// With the problem's own regulariser.
WideSolver::End WideSolver::descend() {
    descent_.set_regularizer(problem_.mu, Vector::Zero(problem_.n()));
    int passes = kFirstPasses;
    for (;;) {
        if (!run_passes(passes)) return End::Stopped;
        look(problem_.mu);
        if (relative_ <= settings_.tolerance) return End::Solved;
        if (is_slow(settings_.tolerance)) return End::Slow;
        passes = passes_to(settings_.tolerance);
    }
}

/// Without one: proximal steps, whose centre follows w and whose mu is ours.
WideSolver::End WideSolver::descend_with_centre() {
    Vector centre = Vector::Zero(problem_.n());
    double mu = first_mu();
    descent_.set_regularizer(mu, centre);
    double last_primal = HUGE_VAL;
    for (;;) {
        if (!run_passes(kPassesPerCentre)) return End::Stopped;
        look(0.0);
        if (t_.maxCoeff() < kSeparated) return End::Separated;
        if (relative_ <= settings_.tolerance) return End::Solved;
        if (is_slow(settings_.tolerance)) return End::Slow;
        // An exact proximal step never goes up: mu was too small for so few passes.
        if (seen_.primal > (1.0 + kNoise) * last_primal) {
            mu *= kMuChange;
        } else {
            centre = descent_.w();
            const double square = centre.squaredNorm();
            const double radius = problem_.c.cwiseProduct(a_).dot(problem_.r);
            const double wanted = kMuShare * radius * gap_.size_of(centre) / square;
            if (square > 0.0) mu = std::clamp(wanted, mu / kMuChange, mu * kMuChange);
            last_primal = seen_.primal;
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
    own_mu_ = total / w_.squaredNorm();
    const double sum = problem_.c.dot(descent_.multipliers());
    descent_.set_regularizer(own_mu_, Vector::Zero(problem_.n()), sum > 0.0 ? total / sum : 1.0);
    forget_progress();
    int passes = kFirstPasses;
    for (;;) {
        if (!run_passes(passes)) return End::Stopped;
        look(own_mu_);
        const double largest = a_.maxCoeff();
        if (largest >= 1.0) {
            own_mu_ *= kHardMarginCut;
            forget_progress();
            descent_.set_regularizer(own_mu_, Vector::Zero(problem_.n()), kHardMarginCut);
            passes = kFirstPasses;
            continue;
        }
        relative_ = seen_.relative(0.0);
        if (relative_ <= settings_.tolerance) return End::Solved;
        if (is_slow(settings_.tolerance)) return End::Slow;
        passes = passes_to(settings_.tolerance);
    }
}

SvmResult WideSolver::finish(Status status) {
    SvmResult result;
    result.status = status;
    result.plane.w = w_;
    const DualityGap gap = gap_.finish(result.plane, a_, own_mu_ > 0.0 ? 0.5 : 0.0);
    result.dual_ratio = a_;
    result.primal_value = gap.primal;
    result.dual_value = gap.dual;
    result.relative_gap = gap.relative(kGapFloor);
    if (status == Status::Optimal && result.relative_gap > settings_.tolerance)
        result.status = Status::NumericalFailure;
    return result;
}

/// Where the stages take over: wide enough that the multipliers which are free now stay so.
StagedStart WideSolver::staged_start() const {
    StagedStart start{{w_, z_[rows_.bias()]}, a_};
    double free_weight = 0.0;
    double residual = 0.0;
    for (Index j = 0; j < problem_.m; ++j) {
        if (!(a_[j] > 0.0 && a_[j] < 1.0)) continue;
        free_weight += problem_.c[j];
        residual += problem_.c[j] * std::abs(t_[j]);
    }
    const double error = 2.0 * (seen_.primal - seen_.dual) + kResidualWidth * residual;
    start.eps = std::clamp(error / std::max(free_weight, kLeastFreeWeight), kLeastEps, kColdEps);
    start.mu = own_mu_;
    return start;
}

SvmResult WideSolver::continue_in_stages(const std::optional<SvmStart>& first) {
    // A start from far away only misleads.
    if (relative_ > kUselessStart) return solve_without_descent(first);
    StagedStart start = staged_start();
    if (!(problem_.mu > 0.0) && !(own_mu_ > 0.0)) {
        start.is_any_optimum = true;
        start.mu = kPolishShare * seen_.primal / std::max(w_.squaredNorm(), kTiny);
    }
    const SvmResult result = solve_in_stages(problem_, settings_, start);
    if (result.status == Status::NumericalFailure)
        return better_of(result, solve_without_descent(first));
    if (result.status != Status::Optimal || !start.is_any_optimum) return result;
    w_ = result.plane.w;
    a_ = result.dual_ratio;
    gap_.complete(w_, z_, t_);
    return t_.maxCoeff() < kSeparated ? solve_hard_margin(first) : with_least_norm(result);
}

/// The stages from the caller's start, or none; where rounding defeats them, in all features.
SvmResult WideSolver::solve_without_descent(const std::optional<SvmStart>& first) {
    const SvmResult result = solve_in_stages(problem_, settings_, first, false);
    const bool is_small = static_cast<double>(problem_.n()) <= kLargestMatrix;
    if (result.status != Status::NumericalFailure || !is_small) return result;
    return better_of(result, solve_in_stages(problem_, settings_, first, true));
}

SvmResult WideSolver::solve_hard_margin(const std::optional<SvmStart>& first) {
    const End end = descend_to_hard_margin();
    if (end == End::Slow) return continue_in_stages(first);
    if (end == End::Stopped) look(own_mu_);
    return finish(end == End::Solved ? Status::Optimal : Status::Interrupted);
}

/// Among the optima of a polyhedral norm, which may be many, that of least ||w||: a few steps from
/// any of them. `optimum` where that does not work out.
SvmResult WideSolver::with_least_norm(const SvmResult& optimum) {
    const auto smaller = static_cast<double>(std::min(problem_.n(), descent_.n_free()));
    if (problem_.threat.norm == Norm::L2 || settings_.tolerance > kLeastNormTolerance ||
        smaller > kLargestMatrix)
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
    const End end = problem_.mu > 0.0 ? descend() : descend_with_centre();
    if (end == End::Separated) return solve_hard_margin(start);
    if (end == End::Slow) return continue_in_stages(start);
    if (end == End::Stopped) {
        look(problem_.mu);
        return finish(Status::Interrupted);
    }
    const SvmResult result = finish(Status::Optimal);
    return problem_.mu > 0.0 ? result : with_least_norm(result);
}

/// The mu for which a plane between the means of the classes has about the right length.
double WideSolver::first_mu() const {
    Vector z(rows_.n_variables());
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
    return WideSolver(problem, settings).run(start);
}

}  // namespace redoubt
