#include "redoubt/collaborative.hpp"

#include <chrono>
#include <cmath>

#include "core/check.hpp"
#include "core/random.hpp"
#include "ensemble/collaborative_descent.hpp"
#include "ensemble/round_clock.hpp"
#include "ensemble/stump_vote.hpp"
#include "redoubt/dataset.hpp"
#include "redoubt/radius_choice.hpp"
#include "svm/check_data.hpp"

namespace redoubt {

namespace {

/// Streams of the seed.
constexpr std::uint64_t kHoldOutStream = 1;
constexpr std::uint64_t kFirstEpochStream = 2;
/// How often the radius of the start is halved before it is 0.
constexpr int kMostHalvings = 4;
/// A plane with unit margins that is no longer than this, in spreads of the data, is constant.
constexpr double kConstantLength = 1e-6;

class CollaborativeTrainer {
public:
    CollaborativeTrainer(const SvmData& data, const VectorRef& radii,
                         const CollaborativeSettings& settings)
        : data_(data), radii_(radii), settings_(settings), clock_(settings.control) {}

    CollaborativeResult run(const std::optional<CollaborativeState>& resume);

private:
    void hold_out();
    void start();
    void start_classes(const SvmData& data, const Vector& radii, RobustSvmSettings robust);
    Hyperplane class_plane(const SvmData& data, Vector radii, const RobustSvmSettings& robust);
    bool run_epoch();
    bool is_finished() const;
    void note_validation(EpochRecord& record);
    double radius(Index j) const { return radii_.size() == 1 ? radii_[0] : radii_[j]; }
    double weight(Index j) const { return data_.weights.size() == 0 ? 1.0 : data_.weights[j]; }

    const SvmData& data_;
    const VectorRef& radii_;
    const CollaborativeSettings& settings_;
    RoundClock clock_;
    Points training_;
    Points held_out_;
    CollaborativePlan plan_;
    double spread_ = 1.0;  ///< of the data, see start_radius
    CollaborativeState state_;
    std::optional<CollaborativeDescent> descent_;
};

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

CollaborativeResult CollaborativeTrainer::run(const std::optional<CollaborativeState>& resume) {
    hold_out();
    plan_ = plan_collaborative(static_cast<Index>(training_.size()), settings_);
    spread_ = find_spread(data_.X, training_);
    if (resume) {
        state_ = *resume;
    } else {
        start();
    }
    descent_.emplace(data_, radii_, settings_, spread_, state_);
    bool is_stopped = false;
    while (!is_stopped && !is_finished()) {
        is_stopped = !run_epoch();
        if (!is_stopped && settings_.checkpoint) settings_.checkpoint(state_);
    }
    const Index n = data_.X.cols();
    const bool has_best = state_.best.size() > 0;
    Ensemble ensemble =
        has_best ? collaborative_vote(state_.best.leftCols(n), state_.best.col(n), settings_)
                 : collaborative_vote(state_.coef, state_.intercept, settings_);
    const Status status = is_stopped ? clock_.status() : Status::Finished;
    return {status, std::move(ensemble), std::move(state_), is_stopped, plan_.n_epochs, plan_.step};
}

/// Every class gives its share but keeps a point.
void CollaborativeTrainer::hold_out() {
    Random random(settings_.seed, kHoldOutStream);
    const auto n_classes = static_cast<std::size_t>(settings_.n_classes);
    for (std::size_t c = 0; c < n_classes; ++c) {
        const double label = label_of_class(c, n_classes);
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

void CollaborativeTrainer::start() {
    if (settings_.start) {
        state_.coef = settings_.start->coef();
        state_.intercept = settings_.start->intercept();
        state_.moment = Matrix::Zero(state_.coef.rows(), state_.coef.cols() + 1);
        state_.variance = state_.moment;
        const MoveSpace space(settings_.attack_model, data_.X.cols());
        normalize_planes(PlaneLength(space), state_, settings_.n_classes > 2);
        return;
    }
    RobustSvmSettings robust;
    // Counts are no share of the spread: there the plain SVM is the start.
    const bool counts = settings_.attack_model.counts();
    if (!counts) robust.attack_model = settings_.attack_model;
    robust.n_threads = settings_.n_threads;
    robust.stop = settings_.control.stop;
    const PointSet X(data_.X, training_);
    const Vector y = data_.y(training_);
    Vector weights(y.size());
    Vector radii(y.size());
    for (std::size_t i = 0; i < training_.size(); ++i) {
        const auto at = static_cast<Index>(i);
        weights[at] = weight(training_[i]);
        radii[at] =
            counts ? 0.0 : std::min(settings_.start_radius * spread_, 0.5 * radius(training_[i]));
    }
    if (settings_.n_classes > 2) {
        start_classes({X, y, weights}, radii, robust);
        return;
    }
    const Hyperplane plane = train_robust_svm({X, y, weights}, radii, robust).plane;
    state_ = start_collaborative(plane, X, settings_);
}

/// The robust SVM. If all classes had constant ones, descent would have no direction: then that of
/// half the radius, and so on, in the end the ordinary SVM.
Hyperplane CollaborativeTrainer::class_plane(const SvmData& data, Vector radii,
                                             const RobustSvmSettings& robust) {
    for (int halvings = 0;; ++halvings) {
        if (halvings == kMostHalvings) radii.setZero();
        const Hyperplane plane = train_robust_svm(data, radii, robust).plane;
        const bool is_constant = plane.w.norm() * spread_ <= kConstantLength;
        if (!is_constant || !(radii.maxCoeff() > 0.0)) return plane;
        radii *= 0.5;
    }
}

/// The robust SVM of each class against the rest.
void CollaborativeTrainer::start_classes(const SvmData& data, const Vector& radii,
                                         RobustSvmSettings robust) {
    state_.coef.resize(settings_.n_classes, data.X.cols());
    state_.intercept.resize(settings_.n_classes);
    for (Index c = 0; c < settings_.n_classes; ++c) {
        robust.attack_model = settings_.attack_model.against_rest(static_cast<int>(c));
        const Vector signs = against_rest(data.y, c);
        const Hyperplane plane = class_plane({data.X, signs, data.weights}, radii, robust);
        state_.coef.row(c) = plane.w.transpose();
        state_.intercept[c] = plane.b;
    }
    state_.moment = Matrix::Zero(settings_.n_classes, data.X.cols() + 1);
    state_.variance = state_.moment;
    normalize_planes(PlaneLength(MoveSpace(settings_.attack_model, data.X.cols())), state_, true);
}

bool CollaborativeTrainer::is_finished() const {
    if (state_.n_epochs_done >= plan_.n_epochs) return true;
    return state_.best.size() > 0 && state_.n_epochs_done - state_.best_epoch >= settings_.patience;
}

/// False when a limit was reached; the planes are then those of the last batch.
bool CollaborativeTrainer::run_epoch() {
    const auto begin = Clock::now();
    const Index epoch = state_.n_epochs_done;
    Points order = training_;
    Random(settings_.seed, kFirstEpochStream + static_cast<std::uint64_t>(epoch)).shuffle(order);
    const Index size =
        std::min(static_cast<Index>(order.size()), plan_.n_batches * settings_.batch_size);
    double sum = 0.0;
    for (Index batch = 0; batch < plan_.n_batches; ++batch) {
        if (clock_.is_up()) return false;
        const Index first = batch * settings_.batch_size;
        const Index last = std::min(size, first + settings_.batch_size);
        sum += descent_->run_batch({order.begin() + first, order.begin() + last},
                                   step_length(plan_, epoch, batch));
        clock_.report({epoch, plan_.n_epochs, last, size});
    }
    EpochRecord record;
    record.objective = sum / static_cast<double>(size);
    ++state_.n_epochs_done;
    note_validation(record);
    record.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    state_.history.push_back(record);
    clock_.report({epoch + 1, plan_.n_epochs, 0, size});
    return true;
}

void CollaborativeTrainer::note_validation(EpochRecord& record) {
    record.validation_objective = std::numeric_limits<double>::quiet_NaN();
    if (held_out_.empty()) return;
    record.validation_objective =
        descent_->objective_of(held_out_, nullptr) / static_cast<double>(held_out_.size());
    const bool is_best =
        state_.best.size() == 0 ||
        record.validation_objective <
            state_.history[static_cast<std::size_t>(state_.best_epoch - 1)].validation_objective;
    if (!is_best) return;
    state_.best.resize(state_.coef.rows(), state_.coef.cols() + 1);
    state_.best << state_.coef, state_.intercept;
    state_.best_epoch = state_.n_epochs_done;
}

void check_resume(const CollaborativeState& state, const CollaborativeSettings& settings, Index n) {
    const Index k = settings.start           ? settings.start->n_planes()
                    : settings.n_classes > 2 ? settings.n_classes
                                             : settings.n_planes;
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

void check_classes(const CollaborativeSettings& settings) {
    check_value(settings.n_classes >= 2, "n_classes", "an integer >= 2",
                static_cast<double>(settings.n_classes));
    if (settings.n_classes == 2) return;
    check_value(settings.n_planes == 1, "n_planes", "1 for each of several classes",
                static_cast<double>(settings.n_planes));
    if (settings.start) check_length("start", settings.start->n_planes(), settings.n_classes);
    if (settings.quota)
        throw InvalidInput("quota", "none for several classes", std::to_string(*settings.quota));
    if (settings.features_per_plane != 0)
        throw InvalidInput("features_per_plane", "0 for several classes", "1");
    if (settings.attack_model.counts())
        throw InvalidInput("attack_model.norm", "l1, l2 or linf for several classes", "l0");
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
    check_classes(*this);
    control.check();
}

CollaborativeResult train_collaborative(const SvmData& data, const VectorRef& radii,
                                        const CollaborativeSettings& settings,
                                        const std::optional<CollaborativeState>& resume) {
    settings.check();
    if (settings.n_classes > 2) {
        check_class_data(data, settings.n_classes);
    } else {
        check_svm_data(data);
    }
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
    settings.attack_model.check(data.X.cols(), settings.n_classes);
    settings.attack_model.check_points(data.X, data.y);
    return CollaborativeTrainer(data, radii, settings).run(resume);
}

}  // namespace redoubt
