#include "redoubt/svm.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "svm/check_data.hpp"
#include "svm/counted_solver.hpp"
#include "svm/staged_solver.hpp"
#include "threat/support.hpp"

namespace redoubt {

namespace {

/// Points per piece of work.
constexpr Index kMovedPiece = 128;

void check_start(const SvmStart& start, const HingeProblem& problem) {
    check_length("start.plane.w", start.plane.w.size(), problem.n());
    check_finite("start.plane.w", VectorRef(start.plane.w), kLargestFeature);
    check_value(std::isfinite(start.plane.b), "start.plane.b", "a finite number", start.plane.b);
    if (start.dual_ratio.size() == 0) return;
    check_length("start.dual_ratio", start.dual_ratio.size(), problem.m);
    check_non_negative("start.dual_ratio", start.dual_ratio, 1.0);
}

/// Values are those of the caller's weights, times C.
template <typename Solve>
SvmResult solve(const HingeProblem& problem, const SvmSettings& settings,
                const std::optional<SvmStart>& start, Solve solve_problem) {
    const auto begin = std::chrono::steady_clock::now();
    if (start) check_start(*start, problem);
    SvmResult result = solve_problem(problem, settings, start);
    const double scale = settings.C * problem.total_weight;
    result.primal_value *= scale;
    result.dual_value *= scale;
    result.multipliers *= scale;
    result.distance *= scale;
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

Vector spread_ends(const char* name, const Vector& ends, Index n, double none) {
    if (ends.size() == 0) return Vector::Constant(n, none);
    if (ends.size() != 1) check_length(name, ends.size(), n);
    if (ends.array().isNaN().any()) throw InvalidInput(name, "numbers", "nan");
    return ends.size() == 1 ? Vector::Constant(n, ends[0]) : ends;
}

WeightBox weight_box(const RobustSvmSettings& settings, Index n) {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    WeightBox box{spread_ends("least_weight", settings.least_weight, n, -kNone),
                  spread_ends("greatest_weight", settings.greatest_weight, n, kNone)};
    for (Index l = 0; l < n; ++l) {
        const bool is_sound =
            box.least[l] <= box.greatest[l] && box.least[l] < kNone && box.greatest[l] > -kNone;
        if (is_sound) continue;
        throw InvalidInput(
            "greatest_weight", "a number of at least the least weight",
            format_number(box.greatest[l]) + " for feature " + std::to_string(l + 1));
    }
    return box;
}

/// Is the adversary one who counts, and his problem one for coordinate descent? With ends of
/// weights it must be.
bool counts_changes(const HingeProblem& problem, const RobustSvmSettings& settings) {
    if (settings.least_weight.size() > 0 || settings.greatest_weight.size() > 0 ||
        settings.shares_threshold) {
        if (!problem.is_robust() || problem.threat.norm == Norm::L1) return true;
        throw InvalidInput("attack_model",
                           "l1 moves, or radius 0, for a training with ends of "
                           "weights or a shared threshold",
                           std::string(to_string(problem.threat.norm)));
    }
    const bool is_small = !problem.is_wide() || !problem.rows.is_sparse();
    return problem.is_robust() && !is_small && problem.mu > 0.0 && CountedMoves::suits(problem);
}

/// The moves of points whose moves are given, checked.
void check_given(const GivenMoves& given, const AttackModel& model, const HingeProblem& problem) {
    const auto count = static_cast<std::size_t>(problem.m - given.first);
    check_value(given.first >= 0 && given.first <= problem.m && given.start.size() == count + 1 &&
                    given.start.front() == 0 && given.start.back() == given.moves.rows() &&
                    std::is_sorted(given.start.begin(), given.start.end()),
                "given.start", "the places of the moves of each point",
                static_cast<double>(given.first));
    if (given.moves.rows() > 0) check_length("given.moves", given.moves.cols(), problem.n());
    check_value(given.moves.allFinite() && given.half.allFinite(), "given.moves", "finite numbers",
                static_cast<double>(given.moves.rows()));
    if (given.half.size() == 0) return;
    check_value(model.norm == Norm::LInf && given.half.minCoeff() >= 0.0, "given.half",
                "numbers >= 0, with linf", given.half.minCoeff());
    check_length("given.half", given.half.rows(), problem.m - given.first);
    check_length("given.half", given.half.cols(), problem.n());
}

/// Only of the points that move as the model says.
void check_attacked(const AttackModel& model, const SvmData& data, const GivenMoves& given) {
    if (given.start.empty()) {
        model.check_data(data.X, data.y);
        return;
    }
    model.check(data.X.cols());
    const MatrixRef own = data.X.dense().topRows(given.first);
    model.check_points(PointsRef(own), data.y.head(given.first));
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
    return solve(problem, settings, start, solve_hinge_problem);
}

SvmResult train_robust_svm(const SvmData& data, const VectorRef& radii,
                           const RobustSvmSettings& settings,
                           const std::optional<SvmStart>& start) {
    settings.check();
    HingeProblem problem(data);
    check_radii(radii, problem.m);
    check_attacked(settings.attack_model, data, settings.given);
    if (!settings.given.start.empty()) {
        check_given(settings.given, settings.attack_model, problem);
        problem.given = settings.given;
    }
    if (settings.attack_model.counts()) {
        // Parts of a change gain nothing.
        problem.set_threat(counted_in_l1(settings.attack_model, problem.n()),
                           Vector(radii.array().floor()));
        static_cast<void>(CountedMoves(problem, false));
    } else {
        problem.set_threat(settings.attack_model, radii);
    }
    problem.mu = settings.regularization / problem.total_weight;
    problem.n_threads = settings.n_threads;
    // C stays 1: the weights alone scale the hinges.
    const SvmSettings limits{.tolerance = settings.tolerance,
                             .max_iterations = settings.max_iterations,
                             .stop = settings.stop};
    const WeightBox box = weight_box(settings, problem.n());
    if (!counts_changes(problem, settings)) {
        SvmResult result = solve(problem, limits, start, solve_hinge_problem);
        prefer_constant_plane(problem, settings.tolerance, result);
        return result;
    }
    const auto solve_here = [&](const HingeProblem& hinges, const SvmSettings& own,
                                const std::optional<SvmStart>& from) {
        return solve_counted(hinges, box, settings.shares_threshold, own, settings.max_iterations,
                             from);
    };
    SvmResult result = solve(problem, limits, start, solve_here);
    const bool allows_none =
        (box.least.array() <= 0.0).all() && (box.greatest.array() >= 0.0).all();
    if (allows_none) prefer_constant_plane(problem, settings.tolerance, result);
    return result;
}

Matrix worst_moves(const SvmData& data, const VectorRef& radii, const AttackModel& model,
                   const VectorRef& w, int n_threads) {
    check_radii(radii, data.X.rows());
    check_length("w", w.size(), data.X.cols());
    model.check_data(data.X, data.y);
    const MoveSpace space(model, data.X.cols());
    Matrix moves = Matrix::Zero(data.X.rows(), data.X.cols());
    parallel_blocks(data.X.rows(), kMovedPiece, n_threads, [&](Index begin, Index end) {
        Support support(space);
        for (Index j = begin; j < end; ++j) {
            const double radius = radii.size() == 1 ? radii[0] : radii[j];
            if (!(radius > 0.0) || !model.attacks(data.y[j] > 0.0 ? 1 : -1)) continue;
            support.load(data.X.row(j).to_dense());
            moves.row(j) = support.maximise(-data.y[j] * w, radius);
        }
    });
    return moves;
}

}  // namespace redoubt
