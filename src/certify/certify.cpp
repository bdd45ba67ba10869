#include "redoubt/certificate.hpp"

#include <chrono>
#include <optional>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "flip/flipper.hpp"
#include "flip/row_patterns.hpp"
#include "flip/second_opinion.hpp"

namespace redoubt {

namespace {

/// Points per block: a block is what a thread takes at a time and what progress counts.
constexpr Index kPointsPerBlock = 16;

/// The signed certificate of a point from its flip, which is unsigned.
Certificate make_certificate(Flip flip, bool is_correct) {
    Certificate result;
    result.status = flip.status;
    result.lower = is_correct ? flip.lower : -flip.upper;
    result.upper = is_correct ? flip.upper : -flip.lower;
    const bool is_known = flip.upper < HUGE_VAL;
    // [0, infinity] settles nothing, however the search ended.
    if (!is_known && flip.lower == 0.0 && flip.status == Status::Optimal)
        result.status = Status::NumericalFailure;
    const bool is_impossible = !is_known && result.status == Status::Optimal;
    const double estimate = is_known ? flip.upper : is_impossible ? HUGE_VAL : flip.lower;
    result.radius = is_correct ? estimate : -estimate;
    result.n_nodes = flip.n_nodes;
    result.fooled = std::move(flip.fooled);
    result.witness = std::move(flip.d);
    return result;
}

/// A point of a class that does not attack keeps its answer.
Flip no_flip() {
    Flip flip;
    flip.lower = HUGE_VAL;
    return flip;
}

}  // namespace

void CertifySettings::check() const {
    limits.check();
    check_value(n_threads >= 0, "n_threads", "an integer >= 0", n_threads);
}

std::vector<Certificate> certify(const Ensemble& ensemble, const PointsRef& X, const VectorRef& y,
                                 const CertifySettings& settings) {
    settings.check();
    if (X.cols() != ensemble.n_features()) {
        throw InvalidInput("X", std::to_string(ensemble.n_features()) + " features",
                           std::to_string(X.cols()));
    }
    check_length("y", y.size(), X.rows());
    check_points("X", X);
    check_labels("y", y);
    check_reference(settings.solver, ensemble);
    const AttackModel& threat = settings.attack_model;
    check_frozen(settings.frozen, X.rows(), X.cols());
    threat.check(X.cols());
    threat.check_points(X, y, {}, settings.frozen);
    if (!settings.frozen.empty()) {
        return solve_by_pattern<Certificate>(
            settings, X.rows(), X.cols(),
            [&](const std::vector<Index>& rows, const CertifySettings& own) {
                return certify(ensemble, PointSet(X, rows), Vector(y(rows)), own);
            });
    }
    const Clock::time_point call_deadline =
        deadline_after(Clock::now(), settings.limits.max_seconds);
    const MoveSpace space(threat, ensemble.n_features());
    const ThreatPlanes planes(ensemble, space);
    const bool is_native = settings.solver == Solver::Native;
    std::vector<Certificate> results(static_cast<std::size_t>(X.rows()));
    SharedProgress progress(settings.progress, X.rows());
    parallel_blocks(X.rows(), kPointsPerBlock, settings.n_threads, [&](Index begin, Index end) {
        std::optional<Flipper> flipper;
        if (is_native) flipper.emplace(planes);
        const auto find_flip = [&](const Vector& x, int y_j, int label, const PointLimits& limits) {
            if (!threat.attacks(y_j)) return no_flip();
            if (flipper) return flipper->flip_answer(x, label, limits);
            return reference_flip(settings.solver, ensemble, threat, x, label, limits);
        };
        for (Index j = begin; j < end; ++j) {
            const auto start = Clock::now();
            const int label = ensemble.predict(X.row(j));
            const Vector x = X.row(j).to_dense();
            const PointLimits limits = point_limits(settings.limits, call_deadline);
            Certificate& result = results[static_cast<std::size_t>(j)];
            result =
                make_certificate(find_flip(x, y[j] > 0.0 ? 1 : -1, label, limits), label == y[j]);
            result.solve_seconds = std::chrono::duration<double>(Clock::now() - start).count();
        }
        progress.add(end - begin);
    });
    return results;
}

std::vector<Certificate> certify(const Ensemble& ensemble, const PointsRef& X,
                                 const CertifySettings& settings) {
    settings.check();
    const Vector answers = ensemble.predict_all(X, settings.n_threads).cast<double>();
    return certify(ensemble, X, answers, settings);
}

}  // namespace redoubt
