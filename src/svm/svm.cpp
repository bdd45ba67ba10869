#include "redoubt/svm.hpp"

#include <chrono>
#include <cmath>
#include <utility>

#include "core/check.hpp"
#include "svm/attack_hinge.hpp"
#include "svm/check_data.hpp"
#include "svm/hinge_solver.hpp"

namespace redoubt {

namespace {

void check_start(const SvmStart& start, const HingeProblem& problem) {
    check_length("start.plane.w", start.plane.w.size(), problem.n());
    check_finite("start.plane.w", VectorRef(start.plane.w), kLargestFeature);
    check_value(std::isfinite(start.plane.b), "start.plane.b", "a finite number", start.plane.b);
    if (start.dual_ratio.size() == 0) return;
    check_length("start.dual_ratio", start.dual_ratio.size(), problem.m);
    check_non_negative("start.dual_ratio", start.dual_ratio, 1.0);
}

/// Checks the data and scales the weights to sum 1; `total` receives the sum they had.
HingeProblem make_problem(const SvmData& data, double* total) {
    check_svm_data(data);
    HingeProblem problem;
    problem.c = data.weights.size() == 0 ? Vector::Ones(data.X.rows()) : data.weights;
    *total = problem.c.sum();
    problem.c /= *total;
    problem.X = {data.X.data(), data.X.outerStride(), data.X.cols()};
    problem.m = data.X.rows();
    problem.y = data.y;
    return problem;
}

template <typename Settings>
SvmResult solve(const HingeProblem& problem, const Settings& settings, double scale,
                const std::optional<SvmStart>& start, const AttackModel* model = nullptr) {
    const auto begin = std::chrono::steady_clock::now();
    std::optional<HingeStart> hinge_start;
    if (start) {
        check_start(*start, problem);
        hinge_start = HingeStart{start->plane.w, start->plane.b, start->dual_ratio};
    }
    const HingeSettings hinge_settings{.tolerance = settings.tolerance,
                                       .gap_floor = kGapFloor,
                                       .max_newton_steps = settings.max_iterations,
                                       .stop = settings.stop};
    HingeSolution solution =
        model == nullptr ? solve_hinge_problem(problem, hinge_settings, hinge_start)
                         : solve_attack_problem(problem, *model, hinge_settings, hinge_start);
    SvmResult result;
    result.status = solution.status;
    result.plane = {std::move(solution.w), solution.b};
    result.primal_value = scale * solution.primal;
    result.dual_value = scale * solution.dual;
    result.relative_gap = solution.relative_gap;
    result.dual_ratio = std::move(solution.a);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    result.stats = {solution.n_newton_steps, solution.n_stages, elapsed.count()};
    return result;
}

/// Replaces the plane by the constant one where that is optimal too: it has the least ||w||.
void prefer_constant_plane(const HingeProblem& problem, double tolerance, double total,
                           SvmResult& result) {
    double plus = 0.0;
    for (Index j = 0; j < problem.m; ++j) {
        if (problem.y[j] > 0.0) plus += problem.c[j];
    }
    const double minus = 1.0 - plus;
    // With w = 0 and b in [-1, 1] the objective is (1 - b) plus + (1 + b) minus.
    const double constant_value = total * 2.0 * std::min(plus, minus);
    const double allowance = tolerance * std::max(result.primal_value, kGapFloor * total);
    if (constant_value > result.primal_value + allowance) return;
    result.plane.w.setZero();
    const bool is_tie = std::abs(plus - minus) <= 1e-12;
    result.plane.b = is_tie ? 0.0 : (plus > minus ? 1.0 : -1.0);
    result.primal_value = constant_value;
    result.relative_gap =
        (constant_value - result.dual_value) / std::max(constant_value, kGapFloor * total);
    result.warning = std::string(
                         "w = 0 is optimal: no plane is worth its risk at these radii, and every "
                         "point gets the answer ") +
                     (result.plane.b >= 0.0 ? "+1" : "-1");
}

/// A norm of d / scale, at most r, is all that the model asks.
bool is_scaled_ball(const AttackModel& model) {
    AttackModel rest = model;
    rest.scale.resize(0);
    rest.attacking_class.reset();
    return rest.is_plain();
}

/// The model's norm, its scales, and radius 0 where a point cannot move.
void use_attack_model(const AttackModel& model, HingeProblem& problem) {
    problem.norm = model.norm;
    if ((model.scale.array() != 1.0).any()) problem.scale = model.scale;
    const bool is_frozen = model.is_all_frozen(problem.n());
    for (Index j = 0; j < problem.m; ++j) {
        if (is_frozen || !model.attacks(problem.y[j] > 0.0 ? 1 : -1)) problem.r[j] = 0.0;
    }
}

void check_common(double tolerance, int max_iterations, int n_threads) {
    check_value(tolerance >= 1e-14 && tolerance <= 0.1, "tolerance", "a number in [1e-14, 0.1]",
                tolerance);
    check_value(max_iterations >= 1, "max_iterations", "an integer >= 1", max_iterations);
    check_value(n_threads >= 0, "n_threads", "an integer >= 0", n_threads);
}

}  // namespace

void SvmSettings::check() const {
    check_value(C > 0.0 && std::isfinite(C), "C", "a finite number > 0", C);
    check_common(tolerance, max_iterations, n_threads);
}

void RobustSvmSettings::check() const {
    check_value(regularization >= 0.0 && std::isfinite(regularization), "regularization",
                "a finite number >= 0", regularization);
    check_common(tolerance, max_iterations, n_threads);
}

SvmResult train_svm(const SvmData& data, const SvmSettings& settings,
                    const std::optional<SvmStart>& start) {
    settings.check();
    double total = 0.0;
    HingeProblem problem = make_problem(data, &total);
    problem.norm = Norm::L2;
    problem.mu = 1.0 / (settings.C * total);
    problem.n_threads = settings.n_threads;
    return solve(problem, settings, settings.C * total, start);
}

SvmResult train_robust_svm(const SvmData& data, const VectorRef& radii,
                           const RobustSvmSettings& settings,
                           const std::optional<SvmStart>& start) {
    settings.check();
    double total = 0.0;
    HingeProblem problem = make_problem(data, &total);
    check_radii(radii, problem.m);
    problem.r = radii.size() == 1 ? Vector::Constant(problem.m, radii[0]) : Vector(radii);
    problem.mu = settings.regularization / total;
    problem.n_threads = settings.n_threads;
    const AttackModel* model = &settings.attack_model;
    model->check_data(data.X, data.y);
    use_attack_model(*model, problem);
    if (is_scaled_ball(*model)) model = nullptr;
    if (!(problem.r.maxCoeff() > 0.0)) {
        problem.r.resize(0);
        problem.scale.resize(0);
        model = nullptr;
    }
    SvmResult result = solve(problem, settings, total, start, model);
    prefer_constant_plane(problem, settings.tolerance, total, result);
    return result;
}

}  // namespace redoubt
