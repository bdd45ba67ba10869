#include "redoubt/collaborative.hpp"

#include <chrono>
#include <cmath>
#include <numeric>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "ensemble/round_clock.hpp"
#include "ensemble/stump_vote.hpp"
#include "flip/radius_slope.hpp"
#include "svm/check_data.hpp"

namespace redoubt {

namespace {

/// Seconds of work below which threads cost more than they save.
constexpr double kWorthThreads = 5e-4;
/// Few, because batches are small.
constexpr Index kPointsPerPiece = 8;
// Adam's usual constants.
constexpr double kMomentDecay = 0.9;
constexpr double kVarianceDecay = 0.999;
constexpr double kVarianceFloor = 1e-8;
/// Powers below 1 pull without bound at a radius that is almost reached; from here on they do not
/// pull harder.
constexpr double kLeastMiss = 0.01;
// How long descent goes on if nobody says: benchmarks/results/methods.md has what was tried.
constexpr Index kUsualEpochs = 20;
constexpr Index kLeastSteps = 1000;
constexpr Index kMostSteps = 50000;
/// The first step is this over the root of the number of steps, but no longer than kLongestStep.
constexpr double kUsualStep = 2.0;
constexpr double kLongestStep = 0.06;
/// Streams of the seed.
constexpr std::uint64_t kJitterStream = 0;
constexpr std::uint64_t kHoldOutStream = 1;
constexpr std::uint64_t kFirstEpochStream = 2;

/// Points that belong together, by their numbers in the data.
using Points = std::vector<Index>;

class CollaborativeTrainer {
public:
    CollaborativeTrainer(const SvmData& data, const VectorRef& radii,
                         const CollaborativeSettings& settings)
        : data_(data),
          radii_(radii),
          settings_(settings),
          clock_(settings.control),
          space_(settings.attack_model, data.X.cols()),
          length_(space_) {}

    CollaborativeResult run(const std::optional<CollaborativeState>& resume);

private:
    void hold_out();
    void plan_steps();
    void start();
    bool run_epoch();
    double run_batch(const Points& points, double step);
    double objective_of(const Points& points, Matrix* gradient);
    void find_slopes(const Points& points);
    void normalize();
    bool is_finished() const;
    void note_validation(EpochRecord& record);
    double radius(Index j) const { return radii_.size() == 1 ? radii_[0] : radii_[j]; }
    double weight(Index j) const { return data_.weights.size() == 0 ? 1.0 : data_.weights[j]; }
    Ensemble vote_of(Matrix coef, Vector intercept) const {
        Ensemble vote(std::move(coef), std::move(intercept));
        return settings_.quota ? vote.with_quota(static_cast<double>(*settings_.quota)) : vote;
    }

    const SvmData& data_;
    const VectorRef& radii_;
    const CollaborativeSettings& settings_;
    RoundClock clock_;
    Points training_;
    Points held_out_;
    Index n_epochs_ = 0;
    Index n_batches_ = 0;  ///< of an epoch
    double step_ = 0.0;
    double spread_ = 1.0;  ///< of the data, see start_radius
    CollaborativeState state_;
    MoveSpace space_;
    PlaneLength length_;
    std::vector<RadiusSlope> slopes_;
    double seconds_per_point_ = 0.0;  ///< of the last batch
};

CollaborativeResult CollaborativeTrainer::run(const std::optional<CollaborativeState>& resume) {
    hold_out();
    plan_steps();
    if (resume) {
        state_ = *resume;
    } else {
        start();
    }
    bool is_stopped = false;
    while (!is_stopped && !is_finished()) {
        is_stopped = !run_epoch();
        if (!is_stopped && settings_.checkpoint) settings_.checkpoint(state_);
    }
    const Index n = data_.X.cols();
    const bool has_best = state_.best.size() > 0;
    Ensemble ensemble = has_best ? vote_of(state_.best.leftCols(n), state_.best.col(n))
                                 : vote_of(state_.coef, state_.intercept);
    const Status status = is_stopped ? clock_.status() : Status::Finished;
    return {status, std::move(ensemble), std::move(state_), is_stopped, n_epochs_, step_};
}

/// Every class gives its share but keeps a point.
void CollaborativeTrainer::hold_out() {
    Random random(settings_.seed, kHoldOutStream);
    for (double label : {-1.0, 1.0}) {
        Points points;
        for (Index j = 0; j < data_.X.rows(); ++j) {
            if (data_.y[j] == label && weight(j) > 0.0) points.push_back(j);
        }
        random.shuffle(points);
        const auto size = static_cast<std::ptrdiff_t>(points.size());
        const auto n_held_out = std::min<std::ptrdiff_t>(
            size - 1, std::llround(settings_.validation_share * static_cast<double>(size)));
        held_out_.insert(held_out_.end(), points.begin(), points.begin() + n_held_out);
        training_.insert(training_.end(), points.begin() + n_held_out, points.end());
    }
    std::sort(training_.begin(), training_.end());
    std::sort(held_out_.begin(), held_out_.end());
}

/// The root mean square of the standard deviations of the features, rounded to a power of 2: to
/// divide by it loses no bits. 1 for data that do not vary.
double find_spread(const PointsRef& X, const Points& points) {
    Vector mean = Vector::Zero(X.cols());
    for (Index j : points) mean += X.row(j).to_dense();
    mean /= static_cast<double>(points.size());
    double sum = 0.0;
    for (Index j : points) sum += (X.row(j).to_dense() - mean).squaredNorm();
    const double variance =
        sum / (static_cast<double>(points.size()) * static_cast<double>(X.cols()));
    if (!(variance > 0.0 && std::isfinite(variance))) return 1.0;
    return std::exp2(std::round(0.5 * std::log2(variance)));
}

void CollaborativeTrainer::plan_steps() {
    const auto size = static_cast<Index>(training_.size());
    n_batches_ = (size + settings_.batch_size - 1) / settings_.batch_size;
    n_epochs_ = settings_.n_epochs.value_or(0);
    if (!settings_.n_epochs) {
        const Index n_steps = std::clamp(kUsualEpochs * n_batches_, kLeastSteps, kMostSteps);
        n_epochs_ = std::max<Index>(1, (n_steps + n_batches_ / 2) / n_batches_);
        n_batches_ = std::min(n_batches_, n_steps);
    }
    const Index n_steps = std::max<Index>(1, n_epochs_ * n_batches_);
    const double usual = kUsualStep / std::sqrt(static_cast<double>(n_steps));
    step_ = settings_.step.value_or(std::min(usual, kLongestStep));
    spread_ = find_spread(data_.X, training_);
}

void CollaborativeTrainer::start() {
    const Index n = data_.X.cols();
    if (settings_.start) {
        state_.coef = settings_.start->coef();
        state_.intercept = settings_.start->intercept();
    } else {
        RobustSvmSettings robust;
        robust.attack_model = settings_.attack_model;
        robust.n_threads = settings_.n_threads;
        robust.stop = settings_.control.stop;
        const PointSet X(data_.X, training_);
        const Vector y = data_.y(training_);
        Vector weights(y.size());
        Vector radii(y.size());
        for (std::size_t i = 0; i < training_.size(); ++i) {
            const auto at = static_cast<Index>(i);
            weights[at] = weight(training_[i]);
            radii[at] = std::min(settings_.start_radius * spread_, 0.5 * radius(training_[i]));
        }
        const Hyperplane plane = train_robust_svm({X, y, weights}, radii, robust).plane;
        const double length = plane.w.norm();
        Random random(settings_.seed, kJitterStream);
        state_.coef.resize(settings_.n_planes, n);
        state_.intercept.resize(settings_.n_planes);
        for (Index i = 0; i < settings_.n_planes; ++i) {
            Vector direction = Vector::NullaryExpr(n, [&](Index) { return random.normal(); });
            direction.normalize();
            direction *= settings_.jitter;
            if (length > 0.0) {
                state_.coef.row(i) = (plane.w / length + direction).transpose();
                state_.intercept[i] = plane.b / length;
            } else {
                // A constant classifier has no normal to jitter: any direction will do, at the edge
                // of the points, so that the answer starts as the constant one.
                state_.coef.row(i) = direction.transpose();
                const double reach = PointsRef(X).multiply(direction).cwiseAbs().maxCoeff();
                state_.intercept[i] = reach > 0.0 ? std::copysign(reach, plane.b) : plane.b;
            }
        }
    }
    state_.moment = Matrix::Zero(state_.coef.rows(), n + 1);
    state_.variance = state_.moment;
    normalize();
}

/// A plane may be scaled by any factor. One length for all keeps Adam's steps comparable.
void CollaborativeTrainer::normalize() {
    for (Index i = 0; i < state_.coef.rows(); ++i) {
        const auto w = state_.coef.row(i).transpose();
        const double length = length_(w);
        if (!(length > 0.0)) continue;
        state_.coef.row(i) /= length;
        state_.intercept[i] /= length;
    }
}

bool CollaborativeTrainer::is_finished() const {
    if (state_.n_epochs_done >= n_epochs_) return true;
    return state_.best.size() > 0 && state_.n_epochs_done - state_.best_epoch >= settings_.patience;
}

/// False when a limit was reached; the planes are then those of the last batch.
bool CollaborativeTrainer::run_epoch() {
    const auto begin = Clock::now();
    const Index epoch = state_.n_epochs_done;
    Points order = training_;
    Random(settings_.seed, kFirstEpochStream + static_cast<std::uint64_t>(epoch)).shuffle(order);
    const Index size =
        std::min(static_cast<Index>(order.size()), n_batches_ * settings_.batch_size);
    double sum = 0.0;
    for (Index batch = 0; batch < n_batches_; ++batch) {
        if (clock_.is_up()) return false;
        const double share = (static_cast<double>(epoch) +
                              static_cast<double>(batch) / static_cast<double>(n_batches_)) /
                             static_cast<double>(n_epochs_);
        const double step = step_ * 0.5 * (1.0 + std::cos(M_PI * share));
        const Index first = batch * settings_.batch_size;
        const Index last = std::min(size, first + settings_.batch_size);
        sum += run_batch({order.begin() + first, order.begin() + last}, step);
        clock_.report({epoch, n_epochs_, last, size});
    }
    EpochRecord record;
    record.objective = sum / static_cast<double>(size);
    ++state_.n_epochs_done;
    note_validation(record);
    record.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    state_.history.push_back(record);
    clock_.report({epoch + 1, n_epochs_, 0, size});
    return true;
}

void CollaborativeTrainer::note_validation(EpochRecord& record) {
    record.validation_objective = std::numeric_limits<double>::quiet_NaN();
    if (held_out_.empty()) return;
    record.validation_objective =
        objective_of(held_out_, nullptr) / static_cast<double>(held_out_.size());
    const bool is_best =
        state_.best.size() == 0 ||
        record.validation_objective <
            state_.history[static_cast<std::size_t>(state_.best_epoch - 1)].validation_objective;
    if (!is_best) return;
    state_.best.resize(state_.coef.rows(), state_.coef.cols() + 1);
    state_.best << state_.coef, state_.intercept;
    state_.best_epoch = state_.n_epochs_done;
}

/// One step of Adam; the sum of the batch's objective before it.
double CollaborativeTrainer::run_batch(const Points& points, double step) {
    Matrix gradient = Matrix::Zero(state_.coef.rows(), state_.coef.cols() + 1);
    const double sum = objective_of(points, &gradient);
    gradient /= static_cast<double>(points.size());
    ++state_.n_steps;
    const auto t = static_cast<double>(state_.n_steps);
    state_.moment = kMomentDecay * state_.moment + (1.0 - kMomentDecay) * gradient;
    state_.variance =
        kVarianceDecay * state_.variance + (1.0 - kVarianceDecay) * gradient.cwiseAbs2();
    const double moment_scale = 1.0 / (1.0 - std::pow(kMomentDecay, t));
    const double variance_scale = 1.0 / (1.0 - std::pow(kVarianceDecay, t));
    const Matrix change =
        step * (moment_scale * state_.moment.array() /
                ((variance_scale * state_.variance.array()).sqrt() + kVarianceFloor * spread_))
                   .matrix();
    const Index n = state_.coef.cols();
    state_.coef -= change.leftCols(n);
    state_.intercept -= spread_ * change.col(n);
    normalize();
    return sum;
}

/// The slopes of all points, whichever thread finds them.
void CollaborativeTrainer::find_slopes(const Points& points) {
    const Ensemble ensemble = vote_of(state_.coef, state_.intercept);
    const ThreatPlanes planes(ensemble, space_);
    slopes_.resize(points.size());
    const auto size = static_cast<Index>(points.size());
    // Whether threads pay shows in the batches before; the result does not depend on it.
    const bool is_short = seconds_per_point_ * static_cast<double>(size) < kWorthThreads;
    const int n_threads = is_short ? 1 : settings_.n_threads;
    const auto begin = Clock::now();
    parallel_blocks(size, kPointsPerPiece, n_threads, [&](Index first, Index last) {
        RadiusSloper sloper(planes);
        for (Index i = first; i < last; ++i) {
            const Index j = points[static_cast<std::size_t>(i)];
            const double rho = radius(j);
            slopes_[static_cast<std::size_t>(i)] = sloper.solve(
                data_.X.row(j).to_dense(), data_.y[j] > 0.0 ? 1 : -1, {rho, settings_.cap * rho});
        }
    });
    const std::chrono::duration<double> elapsed = Clock::now() - begin;
    seconds_per_point_ =
        elapsed.count() * resolve_threads(n_threads) / std::max(1.0, static_cast<double>(size));
}

/// sum_j c_j rho_j / s (max(0, rho_j - R_j) / rho_j)^s and, if asked for, its gradient: added up in
/// the order of the points, whichever thread certified them.
double CollaborativeTrainer::objective_of(const Points& points, Matrix* gradient) {
    find_slopes(points);
    const Index n = state_.coef.cols();
    double sum = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double c = weight(points[i]);
        const RadiusSlope& slope = slopes_[i];
        const double rho = radius(points[i]);
        const double miss = std::max(0.0, rho - slope.radius) / rho;
        sum += c * rho * std::pow(miss, settings_.power) / settings_.power;
        const double pull = c * std::pow(std::max(miss, kLeastMiss), settings_.power - 1.0);
        if (gradient == nullptr) continue;
        for (const RadiusSlope::Share& share : slope.shares) {
            gradient->row(share.plane).head(n) -= pull * share.rate * slope.moved.transpose();
            (*gradient)(share.plane, n) -= pull * share.rate;
        }
    }
    return sum;
}

void check_resume(const CollaborativeState& state, const CollaborativeSettings& settings, Index n) {
    const Index k = settings.start ? settings.start->n_planes() : settings.n_planes;
    const auto check_size = [&](const char* name, const Matrix& matrix, Index n_columns) {
        if (matrix.rows() == k && matrix.cols() == n_columns && matrix.allFinite()) return;
        throw InvalidInput(
            name, std::to_string(k) + " x " + std::to_string(n_columns) + " finite numbers",
            std::to_string(matrix.rows()) + " x " + std::to_string(matrix.cols()));
    };
    check_size("resume.coef", state.coef, n);
    check_length("resume.intercept", state.intercept.size(), k);
    check_finite("resume.intercept", VectorRef(state.intercept));
    check_size("resume.moment", state.moment, n + 1);
    check_size("resume.variance", state.variance, n + 1);
    if (state.best.size() > 0) check_size("resume.best", state.best, n + 1);
    check_length("resume.history", static_cast<Index>(state.history.size()), state.n_epochs_done);
    const Index first_best = state.best.size() > 0 ? 1 : 0;
    check_value(state.best_epoch >= first_best && state.best_epoch <= state.n_epochs_done,
                "resume.best_epoch", "an epoch that was done",
                static_cast<double>(state.best_epoch));
}

void check_stumps(const CollaborativeSettings& settings) {
    const Index wanted = settings.features_per_plane;
    check_value(wanted == 0 || wanted == 1, "features_per_plane", "0 (all) or 1",
                static_cast<double>(wanted));
    check_value(settings.n_bags >= 1, "n_bags", "an integer >= 1",
                static_cast<double>(settings.n_bags));
    if (wanted == 0) {
        check_value(settings.n_bags == 1, "n_bags", "1 unless features_per_plane is 1",
                    static_cast<double>(settings.n_bags));
        return;
    }
    if (settings.attack_model.norm != Norm::LInf)
        throw InvalidInput("features_per_plane", "0 for this norm; stumps are for linf", "1");
    if (settings.start) throw InvalidInput("start", "none for stumps", "an ensemble");
    if (settings.quota)
        throw InvalidInput("quota", "none for stumps", std::to_string(*settings.quota));
    if (!settings.attack_model.is_plain())
        throw InvalidInput("attack_model", "none for stumps", "one that is more than a ball");
    check_value(settings.validation_share == 0.0, "validation_share", "0 for stumps",
                settings.validation_share);
}

}  // namespace

void CollaborativeSettings::check() const {
    check_value(n_planes >= 1, "n_planes", "an integer >= 1", static_cast<double>(n_planes));
    const Index k = start ? start->n_planes() : n_planes;
    const Index wanted = quota.value_or(1);
    check_value(wanted >= 1 && wanted <= k, "quota",
                "an integer from 1 to the number of planes, " + std::to_string(k),
                static_cast<double>(wanted));
    check_value(n_epochs.value_or(0) >= 0, "n_epochs", "an integer >= 0",
                static_cast<double>(n_epochs.value_or(0)));
    check_value(batch_size >= 1, "batch_size", "an integer >= 1", static_cast<double>(batch_size));
    const double first_step = step.value_or(1.0);
    check_value(first_step > 0.0 && std::isfinite(first_step), "step", "a finite number > 0",
                first_step);
    check_value(power > 0.0 && power <= 2.0, "power", "a number in (0, 2]", power);
    check_value(cap > 0.0 && std::isfinite(cap), "cap", "a finite number > 0", cap);
    check_value(start_radius >= 0.0 && std::isfinite(start_radius), "start_radius",
                "a finite number >= 0", start_radius);
    check_value(jitter >= 0.0 && std::isfinite(jitter), "jitter", "a finite number >= 0", jitter);
    check_value(validation_share >= 0.0 && validation_share <= 0.9, "validation_share",
                "a number in [0, 0.9]", validation_share);
    check_value(patience >= 1, "patience", "an integer >= 1", static_cast<double>(patience));
    check_value(n_threads >= 0, "n_threads", "an integer >= 0", n_threads);
    check_stumps(*this);
    control.check();
}

CollaborativeResult train_collaborative(const SvmData& data, const VectorRef& radii,
                                        const CollaborativeSettings& settings,
                                        const std::optional<CollaborativeState>& resume) {
    settings.check();
    check_svm_data(data);
    check_radii(radii, data.X.rows());
    check_value(radii.minCoeff() > 0.0, "radii", "numbers > 0", radii.minCoeff());
    if (settings.start) {
        check_length("start's features", settings.start->n_features(), data.X.cols());
    }
    if (settings.features_per_plane == 1) {
        if (resume) throw InvalidInput("resume", "none for stumps", "a state");
        return train_stump_vote(data, radii, settings);
    }
    if (resume) check_resume(*resume, settings, data.X.cols());
    settings.attack_model.check_data(data.X, data.y);
    return CollaborativeTrainer(data, radii, settings).run(resume);
}

}  // namespace redoubt
