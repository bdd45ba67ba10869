#include "redoubt/attack.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "attack/adversary.hpp"
#include "attack/exact_adversary.hpp"
#include "attack/relaxed_adversary.hpp"
#include "attack/relaxed_rules.hpp"
#include "core/check.hpp"
#include "core/compress.hpp"
#include "core/parallel.hpp"
#include "flip/row_patterns.hpp"
#include "flip/second_opinion.hpp"

namespace redoubt {

namespace {

/// Points of a block: enough to make its set-up cheap, few enough to share out the work.
constexpr Index kPointsPerBlock = 16;

void check_input(const Ensemble& ensemble, const PointsRef& X, const VectorRef& y,
                 const VectorRef& radii, const AttackSettings& settings) {
    settings.check();
    if (X.cols() != ensemble.n_features()) {
        throw InvalidInput("X", std::to_string(ensemble.n_features()) + " features",
                           std::to_string(X.cols()));
    }
    check_points("X", X);
    check_length("y", y.size(), X.rows());
    check_labels("y", y);
    if (radii.size() != 1) check_length("radii", radii.size(), X.rows());
    check_non_negative("radii", radii);
    check_reference(settings.solver, settings.attack_model);
    settings.attack_model.check(X.cols());
    check_frozen(settings.frozen, X.rows(), X.cols());
    settings.attack_model.check_points(X, y, {}, settings.frozen);
    if (settings.adversary == Adversary::Heuristic) {
        check_rule(settings.rule, settings.attack_model);
    } else {
        check_reference(settings.solver, ensemble, settings.adversary == Adversary::Exact);
    }
}

/// The sum of alpha_i [c_i + a_i'd]_+ at x + d as rounded.
double hinge_sum(const PointProblem& point, const Vector& moved) {
    const Matrix& W = point.ensemble.coef();
    double sum = 0.0;
    for (Index i = 0; i < W.rows(); ++i) {
        const double margin = point.y * (W.row(i).dot(moved) + point.ensemble.intercept()[i]);
        sum += point.ensemble.weight(i) * std::max(0.0, 1.0 - margin);
    }
    return sum;
}

/// A point that the call had no time for: no step, and a bound that holds without any search.
AdversaryAnswer untouched(const PointProblem& point, Adversary adversary, Status status) {
    const Ensemble& ensemble = point.ensemble;
    const Matrix& W = ensemble.coef();
    const double total = ensemble.weight_unit() * static_cast<double>(ensemble.total_units());
    AdversaryAnswer answer{status, Vector::Zero(W.cols()), 0.0, total, 0};
    if (adversary == Adversary::Heuristic) answer.bound = std::numeric_limits<double>::infinity();
    if (adversary != Adversary::Relaxed) return answer;
    const MoveSpace space(point.threat, point.x.size());
    Support support(space);
    support.load(point.x);
    double sum = 0.0;
    for (Index i = 0; i < W.rows(); ++i) {
        const auto row = W.row(i).transpose();
        sum += ensemble.weight(i) *
               (1.0 + std::abs(ensemble.intercept()[i]) + row.cwiseAbs().dot(point.x.cwiseAbs()) +
                support.value(-point.y * row, point.radius));
    }
    // The support function is the least exact of all.
    answer.bound = sum * (1.0 + 1e-9);
    return answer;
}

/// The native adversary that was asked for, with its memory. One per block of points.
struct NativeAdversary {
    std::optional<RelaxedAdversary> relaxed{};
    std::optional<RelaxedRuleSearch> relaxed_rules{};
    std::optional<ExactAdversary> exact{};
};

/// One call: what its blocks share.
class Attacker {
public:
    Attacker(const Ensemble& ensemble, const AttackSettings& settings)
        : ensemble_(ensemble),
          settings_(settings),
          deadline_(deadline_after(Clock::now(), settings.limits.max_seconds)),
          space_(settings.attack_model, ensemble.n_features()) {
        if (settings.solver != Solver::Native) return;
        if (settings.adversary == Adversary::Exact) vote_.emplace(ensemble, space_);
        if (settings.adversary == Adversary::Relaxed && space_.is_ball)
            relaxed_planes_.emplace(ensemble, settings.attack_model.norm);
    }

    void prepare(NativeAdversary& native) const {
        if (vote_) native.exact.emplace(*vote_);
        if (relaxed_planes_) native.relaxed.emplace(*relaxed_planes_);
        if (!space_.is_ball) native.relaxed_rules.emplace(space_);
    }

    Attack attack_point(const PointProblem& point, NativeAdversary& native) const {
        const Clock::time_point start = Clock::now();
        Attack result = recount(point, answer(point, native));
        result.solve_seconds = std::chrono::duration<double>(Clock::now() - start).count();
        return result;
    }

private:
    AdversaryAnswer answer(const PointProblem& point, NativeAdversary& native) const {
        const Adversary adversary = settings_.adversary;
        Status status = Status::Optimal;
        // The whole call's limits bind also where a point's own work is too short to be limited.
        const PointLimits call{std::numeric_limits<std::int64_t>::max(), deadline_,
                               settings_.limits.stop};
        if (call.reached(0, &status)) return untouched(point, adversary, status);
        if (!settings_.attack_model.attacks(point.y)) {
            // Nothing moves: what is fooled at x itself is all there is.
            const bool has_bound = adversary != Adversary::Heuristic;
            return {Status::Optimal, Vector::Zero(point.x.size()), 0.0, has_bound ? 0.0 : HUGE_VAL,
                    0};
        }
        const PointLimits limits = point_limits(settings_.limits, deadline_);
        if (adversary == Adversary::Heuristic) return heuristic_adversary(point, settings_.rule);
        if (settings_.solver != Solver::Native)
            return reference_adversary(settings_.solver, adversary, point, limits);
        if (adversary == Adversary::Exact) return native.exact->solve(point, limits);
        return space_.is_ball ? native.relaxed->solve(point, limits)
                              : native.relaxed_rules->solve(point, limits);
    }

    /// The answer as the code of `predict` sees it at x + d, rounded to doubles.
    Attack recount(const PointProblem& point, AdversaryAnswer answer) const {
        Attack result;
        if (!(point.x + answer.d).allFinite()) {
            answer.status = Status::NumericalFailure;
            answer.d.setZero();
        }
        const Vector moved = point.x + answer.d;
        const Matrix& W = ensemble_.coef();
        Index fooled = 0;
        for (Index i = 0; i < W.rows(); ++i) {
            if (sign_of_plane(W.row(i).transpose(), ensemble_.intercept()[i], moved) != point.y) {
                result.fooled.push_back(static_cast<int>(i));
                fooled += ensemble_.weight_units(i);
            }
        }
        const Index vote = point.y * (ensemble_.total_units() - 2 * fooled);
        result.success = ensemble_.answer_to(vote) != point.y;
        result.status = answer.status;
        result.objective = settings_.adversary == Adversary::Relaxed
                               ? hinge_sum(point, moved)
                               : ensemble_.weight_unit() * static_cast<double>(fooled);
        result.bound = std::max(answer.bound, result.objective);
        result.n_nodes = answer.n_nodes;
        result.d = std::move(answer.d);
        return result;
    }

    const Ensemble& ensemble_;
    const AttackSettings& settings_;
    Clock::time_point deadline_;
    MoveSpace space_;
    std::optional<ThreatenedVote> vote_{};
    std::optional<RelaxedPlanes> relaxed_planes_{};
};

}  // namespace

std::vector<Attack> attack(const Ensemble& ensemble, const PointsRef& X, const VectorRef& y,
                           const VectorRef& radii, const AttackSettings& settings) {
    check_input(ensemble, X, y, radii, settings);
    if (!settings.frozen.empty()) {
        return solve_by_pattern<Attack>(
            settings, X.rows(), X.cols(),
            [&](const std::vector<Index>& rows, const AttackSettings& own) {
                const Vector own_radii = radii.size() == 1 ? Vector(radii) : Vector(radii(rows));
                return attack(ensemble, PointSet(X, rows), Vector(y(rows)), own_radii, own);
            });
    }
    std::vector<Attack> results(static_cast<std::size_t>(X.rows()));
    Attacker attacker(ensemble, settings);
    SharedProgress progress(settings.progress, X.rows());
    parallel_blocks(X.rows(), kPointsPerBlock, settings.n_threads, [&](Index begin, Index end) {
        NativeAdversary native;
        attacker.prepare(native);
        for (Index j = begin; j < end; ++j) {
            const Vector x = X.row(j).to_dense();
            const PointProblem point{ensemble, settings.attack_model, x, y[j] > 0.0 ? 1 : -1,
                                     radii.size() == 1 ? radii[0] : radii[j]};
            Attack& result = results[static_cast<std::size_t>(j)];
            result = attacker.attack_point(point, native);
            if (X.is_sparse()) compress(result.d, result.features);
        }
        progress.add(end - begin);
    });
    return results;
}

}  // namespace redoubt
