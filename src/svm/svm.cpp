#include "redoubt/svm.hpp"

#include <chrono>
#include <cmath>
#include <utility>

#include "core/check.hpp"
#include "svm/check_data.hpp"
#include "svm/staged_solver.hpp"

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

/// Values are those of the caller's weights, times C.
SvmResult solve(const HingeProblem& problem, const SvmSettings& settings,
                const std::optional<SvmStart>& start) {
    const auto begin = std::chrono::steady_clock::now();
    if (start) check_start(*start, problem);
    SvmResult result = solve_hinge_problem(problem, settings, start);
    const double scale = settings.C * problem.total_weight;
    result.primal_value *= scale;
    result.dual_value *= scale;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    result.stats.solve_seconds = elapsed.count();
    return result;
}

/// Replaces the plane by the constant one where that is optimal too: it has the least ||w||.
void prefer_constant_plane(const HingeProblem& problem, double tolerance, SvmResult& result) {
    const double total = problem.total_weight;
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
    HingeProblem problem(data);
    problem.mu = 1.0 / (settings.C * problem.total_weight);
    problem.n_threads = settings.n_threads;
    return solve(problem, settings, start);
}

SvmResult train_robust_svm(const SvmData& data, const VectorRef& radii,
                           const RobustSvmSettings& settings,
                           const std::optional<SvmStart>& start) {
    settings.check();
    HingeProblem problem(data);
    check_radii(radii, problem.m);
    require_dual("attack_model.norm", settings.attack_model.norm);
    settings.attack_model.check_data(data.X, data.y);
    problem.set_threat(settings.attack_model, radii);
    problem.mu = settings.regularization / problem.total_weight;
    problem.n_threads = settings.n_threads;
    // C stays 1: the weights alone scale the hinges.
    const SvmSettings limits{.tolerance = settings.tolerance,
                             .max_iterations = settings.max_iterations,
                             .stop = settings.stop};
    SvmResult result = solve(problem, limits, start);
    prefer_constant_plane(problem, settings.tolerance, result);
    return result;
}

}  // namespace redoubt
