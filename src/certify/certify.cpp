#include <chrono>
#include <memory>
#include <mutex>

#include "certify/flip.hpp"
#include "core/check.hpp"
#include "core/parallel.hpp"
#include "mip/second_opinion.hpp"
#include "redoubt/certificate.hpp"

namespace redoubt {

namespace {

/// Points per block: a block is what a thread takes at a time and what progress counts.
constexpr Index kPointsPerBlock = 16;

/// The signed certificate of a point from its flip, which is unsigned.
Certificate make_certificate(Flip flip, bool is_correct) {
    Certificate result;
    const bool has_witness = flip.d.size() > 0;
    result.status = flip.status;
    result.lower = is_correct ? flip.lower : -flip.upper;
    result.upper = is_correct ? flip.upper : -flip.lower;
    const bool is_impossible = !has_witness && flip.status == Status::Optimal;
    const double estimate = has_witness ? flip.upper : is_impossible ? HUGE_VAL : flip.lower;
    result.radius = is_correct ? estimate : -estimate;
    result.n_nodes = flip.n_nodes;
    result.fooled = std::move(flip.fooled);
    result.witness = std::move(flip.d);
    return result;
}

/// The flip of a second opinion, in the search's terms.
Flip to_flip(const Ensemble& ensemble, const VectorRef& x, int from, Norm norm, FlipAnswer answer) {
    Flip flip;
    flip.status = answer.status;
    flip.lower = answer.bound;
    flip.n_nodes = answer.n_nodes;
    if (answer.d.size() == 0) return flip;
    flip.fooled = fooled_planes(ensemble, x + answer.d, from);
    flip.upper = norm_value(norm, answer.d);
    flip.lower = std::min(flip.lower, flip.upper);
    flip.d = std::move(answer.d);
    return flip;
}

Flip find_flip(const Ensemble& ensemble, const VectorRef& x, int from,
               const CertifySettings& settings, Flipper& flipper, const PointLimits& limits) {
    switch (settings.solver) {
        case Solver::Native:
            return flipper.flip_answer(x, from, limits);
        case Solver::Mip:
            return to_flip(ensemble, x, from, settings.norm,
                           mip_flip(ensemble, x, from, settings.norm, limits));
        case Solver::Enumerate:
            break;
    }
    return to_flip(ensemble, x, from, settings.norm,
                   enumerate_flip(ensemble, x, from, settings.norm));
}

}  // namespace

void CertifySettings::check() const {
    limits.check();
    check_value(n_threads >= 0, "n_threads", "an integer >= 0", n_threads);
}

std::vector<Certificate> certify(const Ensemble& ensemble, const MatrixRef& X, const VectorRef& y,
                                 const CertifySettings& settings) {
    settings.check();
    if (X.cols() != ensemble.n_features()) {
        throw InvalidInput("X", std::to_string(ensemble.n_features()) + " features",
                           std::to_string(X.cols()));
    }
    check_length("y", y.size(), X.rows());
    check_finite("X", X);
    check_labels("y", y);
    if (settings.solver == Solver::Enumerate && ensemble.n_planes() > kMaxEnumeratedPlanes) {
        throw InvalidInput(
            "solver", "at most " + std::to_string(kMaxEnumeratedPlanes) + " planes to enumerate",
            std::to_string(ensemble.n_planes()));
    }

    const Clock::time_point call_deadline =
        deadline_after(Clock::now(), settings.limits.max_seconds);
    const PlaneSet planes(ensemble, settings.norm);
    std::vector<Certificate> results(static_cast<std::size_t>(X.rows()));
    std::mutex progress_mutex;
    Index n_done = 0;
    const Index n_blocks = (X.rows() + kPointsPerBlock - 1) / kPointsPerBlock;
    parallel_for(n_blocks, settings.n_threads, [&](Index block) {
        Flipper flipper(ensemble, planes);
        const Index begin = block * kPointsPerBlock;
        const Index end = std::min(X.rows(), begin + kPointsPerBlock);
        for (Index j = begin; j < end; ++j) {
            const auto start = Clock::now();
            const Vector x = X.row(j).transpose();
            const int from = ensemble.predict(x);
            const PointLimits limits = point_limits(settings.limits, call_deadline);
            Certificate& result = results[static_cast<std::size_t>(j)];
            result = make_certificate(find_flip(ensemble, x, from, settings, flipper, limits),
                                      from == y[j]);
            result.solve_seconds = std::chrono::duration<double>(Clock::now() - start).count();
        }
        if (!settings.progress) return;
        const std::lock_guard lock(progress_mutex);
        n_done += end - begin;
        settings.progress(n_done, X.rows());
    });
    return results;
}

std::vector<Certificate> certify(const Ensemble& ensemble, const MatrixRef& X,
                                 const CertifySettings& settings) {
    settings.check();
    const Vector answers = ensemble.predict_all(X, settings.n_threads).cast<double>();
    return certify(ensemble, X, answers, settings);
}

}  // namespace redoubt
