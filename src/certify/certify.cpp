#include <chrono>
#include <memory>
#include <mutex>
#include <optional>

#include "certify/flip.hpp"
#include "certify/model_flip.hpp"
#include "core/check.hpp"
#include "core/parallel.hpp"
#include "reference/model_opinion.hpp"
#include "reference/second_opinion.hpp"
#include "redoubt/certificate.hpp"

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

/// The same under an attack model. The second opinions give sizes, no witnesses.
Flip to_flip(const FlipAnswer& answer) {
    Flip flip;
    flip.status = answer.status;
    flip.lower = std::min(answer.bound, answer.distance);
    flip.upper = answer.distance;
    flip.n_nodes = answer.n_nodes;
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

/// A point of a class that does not attack keeps its answer.
Flip no_flip() {
    Flip flip;
    flip.lower = HUGE_VAL;
    return flip;
}

/// How the points of one call are flipped. Made once; its workers are made per block of points.
class Certifier {
public:
    Certifier(const Ensemble& ensemble, const CertifySettings& settings)
        : ensemble_(ensemble), settings_(settings) {
        if (settings.attack_model && settings.attack_model->is_plain()) {
            settings_.norm = settings.attack_model->norm;
            settings_.attack_model.reset();
        }
        if (settings_.attack_model) {
            space_.emplace(*settings_.attack_model, ensemble.n_features());
            planes_.emplace(ensemble, *space_);
        } else {
            planes_.emplace(ensemble, settings_.norm);
        }
    }

    /// One per block.
    class Worker {
    public:
        explicit Worker(const Certifier& certifier) : certifier_(certifier) {
            if (certifier.space_) {
                model_flipper_.emplace(certifier.ensemble_, *certifier.planes_, *certifier.space_);
            } else {
                flipper_.emplace(certifier.ensemble_, *certifier.planes_);
            }
        }

        Flip flip(const Vector& x, int y, int from, const PointLimits& limits) {
            const CertifySettings& settings = certifier_.settings_;
            if (flipper_)
                return find_flip(certifier_.ensemble_, x, from, settings, *flipper_, limits);
            if (!settings.attack_model->attacks(y)) return no_flip();
            if (settings.solver == Solver::Native)
                return model_flipper_->flip_answer(x, from, limits);
            return second_opinion(x, from, limits);
        }

    private:
        Flip second_opinion(const Vector& x, int from, const PointLimits& limits) const {
            const Ensemble& ensemble = certifier_.ensemble_;
            ModelQuestion question{ensemble, *certifier_.settings_.attack_model, x, from,
                                   weight_needed(ensemble, from)};
            if (certifier_.settings_.solver == Solver::Enumerate)
                return to_flip(enumerate_model_flip(question));
            return to_flip(mip_model_flip_anywhere(question, limits));
        }

        const Certifier& certifier_;
        std::optional<Flipper> flipper_{};
        std::optional<ModelFlipper> model_flipper_{};
    };

private:
    const Ensemble& ensemble_;
    CertifySettings settings_;
    std::optional<MoveSpace> space_{};
    std::optional<PlaneSet> planes_{};
};

/// The points that an attack model moves must be its points.
void check_model(const AttackModel& model, const MatrixRef& X, const VectorRef& y) {
    model.check(X.cols());
    model.check_points(X, y);
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

    if (settings.attack_model) check_model(*settings.attack_model, X, y);

    const Clock::time_point call_deadline =
        deadline_after(Clock::now(), settings.limits.max_seconds);
    const Certifier certifier(ensemble, settings);
    std::vector<Certificate> results(static_cast<std::size_t>(X.rows()));
    std::mutex progress_mutex;
    Index n_done = 0;
    const Index n_blocks = (X.rows() + kPointsPerBlock - 1) / kPointsPerBlock;
    parallel_for(n_blocks, settings.n_threads, [&](Index block) {
        Certifier::Worker worker(certifier);
        const Index begin = block * kPointsPerBlock;
        const Index end = std::min(X.rows(), begin + kPointsPerBlock);
        for (Index j = begin; j < end; ++j) {
            const auto start = Clock::now();
            const Vector x = X.row(j).transpose();
            const int from = ensemble.predict(x);
            const PointLimits limits = point_limits(settings.limits, call_deadline);
            Certificate& result = results[static_cast<std::size_t>(j)];
            result =
                make_certificate(worker.flip(x, y[j] > 0.0 ? 1 : -1, from, limits), from == y[j]);
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
