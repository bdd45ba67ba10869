#include <chrono>
#include <memory>
#include <mutex>
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
#include "redoubt/certifier.hpp"
#include "redoubt/proof_file.hpp"

namespace redoubt {

namespace {

/// Made once per ensemble and norm.
std::shared_ptr<const BallPlanes> prepared_planes(const Ensemble& ensemble, Norm norm) {
    return ensemble.prepared().part<BallPlanes>(
        to_string(norm), [&] { return std::make_shared<const BallPlanes>(ensemble, norm); });
}

/// Throws unless a call makes sense; the attack model is known to.
void check_call(const Ensemble& ensemble, const AttackModel& threat, const PointsRef& X,
                const VectorRef& y, const CertifySettings& settings) {
    settings.check();
    if (X.cols() != ensemble.n_features()) {
        throw InvalidInput("X", std::to_string(ensemble.n_features()) + " features",
                           std::to_string(X.cols()));
    }
    check_length("y", y.size(), X.rows());
    check_points("X", X);
    check_labels("y", y);
    check_reference(settings.solver, ensemble);
    check_frozen(settings.frozen, X.rows(), X.cols());
    check_reference(settings.solver, threat);
}

}  // namespace

/// The planes and moves, prepared for whichever search is asked for.
class Certifier::Prepared {
public:
    Prepared(const Ensemble& ensemble, const AttackModel& threat)
        : ensemble_(ensemble),
          threat_(threat),
          space_(threat, ensemble.n_features()),
          vote_(ensemble, space_) {}

    const Ensemble& ensemble() const { return ensemble_; }
    const AttackModel& threat() const { return threat_; }

    // The points have been checked.
    std::vector<Certificate> solve(const PointsRef& X, const VectorRef& y,
                                   const CertifySettings& settings) const;
    Certificate solve_answer(const VectorRef& x, int answer, const SearchLimits& limits) const;

private:
    class Call;
    class Worker;

    /// Searches that are not in use. Each keeps its memory from point to point.
    class IdleFinders {
    public:
        /// nullptr if all are in use.
        std::unique_ptr<MoveFinder> take() {
            const std::lock_guard lock(mutex_);
            if (finders_.empty()) return nullptr;
            std::unique_ptr<MoveFinder> finder = std::move(finders_.back());
            finders_.pop_back();
            return finder;
        }

        void put_back(std::unique_ptr<MoveFinder> finder) {
            const std::lock_guard lock(mutex_);
            finders_.push_back(std::move(finder));
        }

    private:
        std::mutex mutex_{};
        std::vector<std::unique_ptr<MoveFinder>> finders_{};
    };

    const Ensemble& ensemble_;
    const AttackModel& threat_;
    MoveSpace space_;
    ThreatenedVote vote_;
    mutable IdleFinders idle_{};
};

/// What the threads of one call share.
class Certifier::Prepared::Call {
public:
    Call(const Prepared& the_vote, const CertifySettings& the_settings, bool is_sparse)
        : prepared(the_vote), settings(the_settings) {
        const bool is_l1 = prepared.threat_.norm == Norm::L1;
        const bool writes_moves = settings.wants_witness && !(is_l1 && is_sparse);
        if (settings.solver == Solver::Native && prepared.space_.is_ball && !writes_moves &&
            !settings.proofs && prepared.vote_.steps() == nullptr)
            ball_planes = prepared_planes(prepared.ensemble_, prepared.threat_.norm);
    }

    bool is_right(const PointRef& x, Certificate certificate) const {
        certificate.witness.resize(0);
        return audit_.accepts(
            proof_line(1, prepared.ensemble_, prepared.threat_, x.to_dense(), certificate));
    }

    const Prepared& prepared;
    const CertifySettings& settings;
    std::shared_ptr<const BallPlanes> ball_planes{};

private:
    mutable ProofAudit audit_{
        [this] { return proof_header(prepared.ensemble_, prepared.threat_); }};
};

/// With the memory of one thread.
class Certifier::Prepared::Worker {
public:
    explicit Worker(const Call& call) : call_(call), prepared_(call.prepared) {
        if (call.ball_planes) ball_flipper_.emplace(*call.ball_planes);
    }
    ~Worker() {
        if (finder_ && !call_.settings.proofs) prepared_.idle_.put_back(std::move(finder_));
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// `answer` is that at x; `y` is the label, which decides who attacks.
    Certificate certify(const PointRef& x, int y, int answer, const PointLimits& limits) {
        std::vector<Index> features;
        Flip flip = find_flip(x, y, answer, limits, features);
        if (!call_.settings.wants_witness) flip.d.resize(0);
        if (x.is_sparse() && flip.d.size() > 0 && features.empty()) compress(flip.d, features);
        const bool is_doubtful = flip.is_proof_doubtful;
        Certificate result = make_certificate(std::move(flip), answer == y);
        if (result.proof && is_doubtful && !call_.is_right(x, result)) {
            result.proof.reset();
            result.why_no_proof = kFloatingPointOnly;
        }
        if (result.witness.size() > 0) result.witness_features = std::move(features);
        return result;
    }

private:
    Flip find_flip(const PointRef& x, int y, int answer, const PointLimits& limits,
                   std::vector<Index>& features) {
        const CertifySettings& settings = call_.settings;
        if (!prepared_.threat_.attacks(y)) return no_flip();
        if (ball_flipper_) {
            BallFlipper::Answer found = ball_flipper_->flip_answer(x, answer, limits);
            features = std::move(found.features);
            if (!found.is_open) return std::move(found.flip);
            features.clear();
        }
        if (settings.solver != Solver::Native) {
            return reference_flip(settings.solver, prepared_.ensemble_, prepared_.threat_,
                                  x.to_dense(), answer, limits);
        }
        if (!finder_ && !settings.proofs) finder_ = prepared_.idle_.take();
        if (!finder_) {
            finder_ = std::make_unique<MoveFinder>(prepared_.vote_);
            finder_->record_proofs(settings.proofs);
        }
        MoveFinder::Answer found = finder_->flip_answer(x, answer, limits);
        features = std::move(found.features);
        return std::move(found.flip);
    }

    const Call& call_;
    const Prepared& prepared_;
    std::optional<BallFlipper> ball_flipper_{};
    std::unique_ptr<MoveFinder> finder_{};
};

std::vector<Certificate> Certifier::Prepared::solve(const PointsRef& X, const VectorRef& y,
                                                    const CertifySettings& settings) const {
    const Clock::time_point call_deadline =
        deadline_after(Clock::now(), settings.limits.max_seconds);
    const Call call(*this, settings, X.is_sparse());
    std::vector<Certificate> results(static_cast<std::size_t>(X.rows()));
    SharedProgress progress(settings.progress, X.rows());
    parallel_blocks(X.rows(), kPointsPerBlock, settings.n_threads, [&](Index begin, Index end) {
        Worker worker(call);
        for (Index j = begin; j < end; ++j) {
            const auto start = Clock::now();
            const PointLimits limits = point_limits(settings.limits, call_deadline);
            const PointRef x = X.row(j);
            Certificate& result = results[static_cast<std::size_t>(j)];
            result = worker.certify(x, y[j] > 0.0 ? 1 : -1, ensemble_.predict(x), limits);
            result.solve_seconds = std::chrono::duration<double>(Clock::now() - start).count();
        }
        progress.add(end - begin);
    });
    return results;
}

Certificate Certifier::Prepared::solve_answer(const VectorRef& x, int answer,
                                              const SearchLimits& limits) const {
    static const CertifySettings settings;
    const auto start = Clock::now();
    const Clock::time_point deadline = deadline_after(start, limits.max_seconds);
    const Call call(*this, settings, false);
    Certificate result = Worker(call).certify(x, answer, answer, point_limits(limits, deadline));
    result.solve_seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return result;
}

Certifier::Certifier(const Ensemble& ensemble, const AttackModel& attack_model) {
    attack_model.check(ensemble.n_features());
    prepared_ = std::make_unique<const Prepared>(ensemble, attack_model);
}

Certifier::~Certifier() = default;

const Ensemble& Certifier::ensemble() const {
    return prepared_->ensemble();
}

const AttackModel& Certifier::attack_model() const {
    return prepared_->threat();
}

std::vector<Certificate> Certifier::certify(const PointsRef& X, const VectorRef& y,
                                            const CertifySettings& settings) const {
    check_call(ensemble(), attack_model(), X, y, settings);
    return certify_checked(X, y, settings);
}

std::vector<Certificate> Certifier::certify_checked(const PointsRef& X, const VectorRef& y,
                                                    const CertifySettings& settings) const {
    attack_model().check_points(X, y, {}, settings.frozen);
    if (settings.frozen.empty()) return prepared_->solve(X, y, settings);
    CertifySettings all = settings;
    all.attack_model = attack_model();
    return solve_by_pattern<Certificate>(
        all, X.rows(), X.cols(), [&](const std::vector<Index>& rows, const CertifySettings& own) {
            return redoubt::certify(ensemble(), PointSet(X, rows), Vector(y(rows)), own);
        });
}

std::pair<int, Certificate> Certifier::certify_answer(const VectorRef& x,
                                                      const SearchLimits& limits) const {
    limits.check();
    check_length("x", x.size(), ensemble().n_features());
    check_finite("x", x);
    const int answer = ensemble().predict(x);
    if (attack_model().attacks(answer)) attack_model().check_point(x, 0);
    return {answer, prepared_->solve_answer(x, answer, limits)};
}

void CertifySettings::check() const {
    limits.check();
    check_value(n_threads >= 0, "n_threads", "an integer >= 0", n_threads);
}

std::vector<Certificate> certify(const Ensemble& ensemble, const PointsRef& X, const VectorRef& y,
                                 const CertifySettings& settings) {
    check_call(ensemble, settings.attack_model, X, y, settings);
    return Certifier(ensemble, settings.attack_model).certify_checked(X, y, settings);
}

std::vector<Certificate> certify(const Ensemble& ensemble, const PointsRef& X,
                                 const CertifySettings& settings) {
    settings.check();
    const Vector answers = ensemble.predict_all(X, settings.n_threads).cast<double>();
    return certify(ensemble, X, answers, settings);
}

}  // namespace redoubt
