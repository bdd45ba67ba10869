#include "redoubt/certificate.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "certify/proof_audit.hpp"
#include "certify/signed_certificate.hpp"
#include "core/check.hpp"
#include "core/compress.hpp"
#include "core/parallel.hpp"
#include "flip/ball_flipper.hpp"
#include "flip/row_patterns.hpp"
#include "flip/second_opinion.hpp"
#include "moves/move_finder.hpp"
#include "redoubt/proof_file.hpp"

namespace redoubt {

namespace {

/// Made once per ensemble and norm.
std::shared_ptr<const BallPlanes> prepared_planes(const Ensemble& ensemble, Norm norm) {
    return ensemble.prepared().part<BallPlanes>(
        to_string(norm), [&] { return std::make_shared<const BallPlanes>(ensemble, norm); });
}

/// What the threads of one call share: the planes, prepared for whichever search is asked for.
class Certifier {
public:
    Certifier(const Ensemble& ensemble, const PointsRef& X, const CertifySettings& settings)
        : ensemble_(ensemble),
          X_(X),
          settings_(settings),
          space_(settings.attack_model, ensemble.n_features()),
          vote_(ensemble, space_) {
        const bool is_l1 = settings.attack_model.norm == Norm::L1;
        const bool writes_moves = settings.wants_witness && !(is_l1 && X.is_sparse());
        if (settings.solver == Solver::Native && space_.is_ball && !writes_moves &&
            !settings.proofs && vote_.steps() == nullptr)
            ball_planes_ = prepared_planes(ensemble, settings.attack_model.norm);
    }

    /// With the memory of one thread.
    class Worker {
    public:
        explicit Worker(Certifier& shared) : shared_(shared) {
            if (shared.ball_planes_) ball_flipper_.emplace(*shared.ball_planes_);
        }

        /// `y` is the label, which decides who attacks.
        Certificate certify(Index j, int y, const PointLimits& limits) {
            const PointRef x = shared_.X_.row(j);
            const int label = shared_.ensemble_.predict(x);
            std::vector<Index> features;
            Flip flip = find_flip(x, y, label, limits, features);
            if (!shared_.settings_.wants_witness) flip.d.resize(0);
            if (shared_.X_.is_sparse() && flip.d.size() > 0 && features.empty())
                compress(flip.d, features);
            const bool is_doubtful = flip.is_proof_doubtful;
            Certificate result = make_certificate(std::move(flip), label == y);
            if (result.proof && is_doubtful && !shared_.is_right(x, result)) {
                result.proof.reset();
                result.why_no_proof = kFloatingPointOnly;
            }
            if (result.witness.size() > 0) result.witness_features = std::move(features);
            return result;
        }

    private:
        Flip find_flip(const PointRef& x, int y, int label, const PointLimits& limits,
                       std::vector<Index>& features) {
            const CertifySettings& settings = shared_.settings_;
            if (!settings.attack_model.attacks(y)) return no_flip();
            if (ball_flipper_) {
                BallFlipper::Answer answer = ball_flipper_->flip_answer(x, label, limits);
                features = std::move(answer.features);
                if (!answer.is_open) return std::move(answer.flip);
                features.clear();
            }
            if (settings.solver != Solver::Native) {
                return reference_flip(settings.solver, shared_.ensemble_, settings.attack_model,
                                      x.to_dense(), label, limits);
            }
            if (!finder_) {
                finder_.emplace(shared_.vote());
                finder_->record_proofs(settings.proofs);
            }
            MoveFinder::Answer answer = finder_->flip_answer(x, label, limits);
            features = std::move(answer.features);
            return std::move(answer.flip);
        }

        Certifier& shared_;
        std::optional<BallFlipper> ball_flipper_;
        std::optional<MoveFinder> finder_;
    };

private:
    const ThreatenedVote& vote() const { return vote_; }

    bool is_right(const PointRef& x, Certificate certificate) {
        certificate.witness.resize(0);
        return audit_.accepts(
            proof_line(1, ensemble_, settings_.attack_model, x.to_dense(), certificate));
    }

    const Ensemble& ensemble_;
    const PointsRef& X_;
    const CertifySettings& settings_;
    MoveSpace space_;
    ThreatenedVote vote_;
    std::shared_ptr<const BallPlanes> ball_planes_;
    ProofAudit audit_{[this] { return proof_header(ensemble_, settings_.attack_model); }};
};

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
    check_reference(settings.solver, threat);
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
    Certifier certifier(ensemble, X, settings);
    std::vector<Certificate> results(static_cast<std::size_t>(X.rows()));
    SharedProgress progress(settings.progress, X.rows());
    parallel_blocks(X.rows(), kPointsPerBlock, settings.n_threads, [&](Index begin, Index end) {
        Certifier::Worker worker(certifier);
        for (Index j = begin; j < end; ++j) {
            const auto start = Clock::now();
            const PointLimits limits = point_limits(settings.limits, call_deadline);
            Certificate& result = results[static_cast<std::size_t>(j)];
            result = worker.certify(j, y[j] > 0.0 ? 1 : -1, limits);
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
