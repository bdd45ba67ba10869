#include "ensemble/collaborative_descent.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "counting/count_sloper.hpp"
#include "search/limits.hpp"
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
/// The first stream of the seed; train_collaborative has others.
constexpr std::uint64_t kJitterStream = 0;

void check_planes(const CollaborativeState& state, Index n_features) {
    check_length("state.coef", state.coef.cols(), n_features);
    check_length("state.intercept", state.intercept.size(), state.coef.rows());
    const auto is_fit = [&](const Matrix& matrix) {
        return matrix.rows() == state.coef.rows() && matrix.cols() == n_features + 1;
    };
    if (is_fit(state.moment) && is_fit(state.variance)) return;
    throw InvalidInput("state", "means of the size of the planes", "others");
}

void check_part(const SvmData& data, const VectorRef& radii,
                const CollaborativeSettings& settings) {
    settings.check();
    check_value(settings.features_per_plane == 0, "features_per_plane",
                "0 for points that come in parts",
                static_cast<double>(settings.features_per_plane));
    check_length("y", data.y.size(), data.X.rows());
    check_points("X", data.X, kLargestFeature);
    for (Index j = 0; settings.n_classes > 2 && j < data.y.size(); ++j) {
        check_value(data.y[j] >= 0.0 && data.y[j] < static_cast<double>(settings.n_classes), "y",
                    "classes 0 to " + std::to_string(settings.n_classes - 1), data.y[j]);
    }
    if (settings.n_classes == 2) check_labels("y", data.y);
    if (data.weights.size() > 0) {
        check_length("weights", data.weights.size(), data.X.rows());
        check_non_negative("weights", data.weights, kLargestFeature);
    }
    check_radii(radii, data.X.rows());
    check_value(radii.minCoeff() > 0.0, "radii", "numbers > 0", radii.minCoeff());
    settings.attack_model.check(data.X.cols(), settings.n_classes);
    settings.attack_model.check_points(data.X, data.y);
}

Points consecutive(Index first, Index last) {
    Points points(static_cast<std::size_t>(last - first));
    std::iota(points.begin(), points.end(), first);
    return points;
}

}  // namespace

Ensemble collaborative_vote(Matrix coef, Vector intercept, const CollaborativeSettings& settings) {
    Ensemble vote(std::move(coef), std::move(intercept));
    return settings.quota ? vote.with_quota(static_cast<double>(*settings.quota)) : vote;
}

CollaborativePlan plan_collaborative(Index n_points, const CollaborativeSettings& settings) {
    CollaborativePlan plan;
    plan.n_batches = (n_points + settings.batch_size - 1) / settings.batch_size;
    plan.n_epochs = settings.n_epochs.value_or(0);
    if (!settings.n_epochs) {
        const Index n_steps = std::clamp(kUsualEpochs * plan.n_batches, kLeastSteps, kMostSteps);
        plan.n_epochs = std::max<Index>(1, (n_steps + plan.n_batches / 2) / plan.n_batches);
        plan.n_batches = std::min(plan.n_batches, n_steps);
    }
    const Index n_steps = std::max<Index>(1, plan.n_epochs * plan.n_batches);
    const double usual = kUsualStep / std::sqrt(static_cast<double>(n_steps));
    plan.step = settings.step.value_or(std::min(usual, kLongestStep));
    return plan;
}

double step_length(const CollaborativePlan& plan, Index epoch, Index batch) {
    const double share = (static_cast<double>(epoch) +
                          static_cast<double>(batch) / static_cast<double>(plan.n_batches)) /
                         static_cast<double>(plan.n_epochs);
    return plan.step * 0.5 * (1.0 + std::cos(M_PI * share));
}

void normalize_planes(const PlaneLength& length_of, CollaborativeState& state, bool has_values) {
    if (has_values) {
        double sum = 0.0;
        for (Index c = 0; c < state.coef.rows(); ++c)
            sum += length_of(state.coef.row(c).transpose());
        if (!(sum > 0.0)) return;
        const double mean = sum / static_cast<double>(state.coef.rows());
        state.coef /= mean;
        state.intercept /= mean;
        return;
    }
    for (Index i = 0; i < state.coef.rows(); ++i) {
        const auto w = state.coef.row(i).transpose();
        const double length = length_of(w);
        if (!(length > 0.0)) continue;
        state.coef.row(i) /= length;
        state.intercept[i] /= length;
    }
}

CollaborativeState start_collaborative(const Hyperplane& plane, const PointsRef& points,
                                       const CollaborativeSettings& settings) {
    settings.check();
    const Index n = plane.w.size();
    check_length("points' features", points.cols(), n);
    const double length = plane.w.norm();
    Random random(settings.seed, kJitterStream);
    CollaborativeState state;
    state.coef.resize(settings.n_planes, n);
    state.intercept.resize(settings.n_planes);
    for (Index i = 0; i < settings.n_planes; ++i) {
        Vector direction = Vector::NullaryExpr(n, [&](Index) { return random.normal(); });
        direction.normalize();
        direction *= settings.jitter;
        if (length > 0.0) {
            state.coef.row(i) = (plane.w / length + direction).transpose();
            state.intercept[i] = plane.b / length;
        } else {
            // A constant classifier has no normal to jitter: any direction will do, at the edge
            // of the points, so that the answer starts as the constant one.
            state.coef.row(i) = direction.transpose();
            const double reach = points.multiply(direction).cwiseAbs().maxCoeff();
            state.intercept[i] = reach > 0.0 ? std::copysign(reach, plane.b) : plane.b;
        }
    }
    state.moment = Matrix::Zero(settings.n_planes, n + 1);
    state.variance = state.moment;
    normalize_planes(PlaneLength(MoveSpace(settings.attack_model, n)), state);
    return state;
}

double run_collaborative_batches(const SvmData& data, const VectorRef& radii,
                                 const CollaborativeSettings& settings,
                                 const CollaborativePlan& plan, double spread,
                                 CollaborativeState& state) {
    check_part(data, radii, settings);
    check_planes(state, data.X.cols());
    CollaborativeDescent descent(data, radii, settings, spread, state);
    const auto is_stopped = [&] {
        return settings.control.stop != nullptr &&
               settings.control.stop->load(std::memory_order_relaxed);
    };
    double sum = 0.0;
    const Index m = data.X.rows();
    for (Index first = 0; first < m && !is_stopped(); first += settings.batch_size) {
        const Points points = consecutive(first, std::min(m, first + settings.batch_size));
        const Index epoch = state.n_steps / plan.n_batches;
        sum += descent.run_batch(points, step_length(plan, epoch, state.n_steps % plan.n_batches));
    }
    return sum;
}

double collaborative_objective(const SvmData& data, const VectorRef& radii,
                               const CollaborativeSettings& settings, CollaborativeState& state) {
    check_part(data, radii, settings);
    check_planes(state, data.X.cols());
    CollaborativeDescent descent(data, radii, settings, 1.0, state);
    return descent.objective_of(consecutive(0, data.X.rows()), nullptr);
}

CollaborativeDescent::CollaborativeDescent(const SvmData& data, const VectorRef& radii,
                                           const CollaborativeSettings& settings, double spread,
                                           CollaborativeState& state)
    : data_(data),
      radii_(radii),
      settings_(settings),
      spread_(spread),
      state_(state),
      space_(settings.attack_model, data.X.cols()),
      length_(space_) {}

double CollaborativeDescent::run_batch(const Points& points, double step) {
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
    normalize_planes(length_, state_, settings_.n_classes > 2);
    return sum;
}

/// The slopes of all points, whichever thread finds them.
void CollaborativeDescent::find_slopes(const Points& points) {
    const Ensemble ensemble = collaborative_vote(state_.coef, state_.intercept, settings_);
    std::optional<ThreatPlanes> planes;
    std::optional<CountedPlanes> counted;
    if (space_.model->counts()) {
        counted.emplace(ensemble, space_);
    } else {
        planes.emplace(ensemble, space_);
    }
    slopes_.resize(points.size());
    const auto size = static_cast<Index>(points.size());
    // Whether threads pay shows in the batches before; the result does not depend on it.
    const bool is_short = seconds_per_point_ * static_cast<double>(size) < kWorthThreads;
    const int n_threads = is_short ? 1 : settings_.n_threads;
    const auto begin = Clock::now();
    parallel_blocks(size, kPointsPerPiece, n_threads, [&](Index first, Index last) {
        std::optional<RadiusSloper> sloper;
        std::optional<CountSloper> counter;
        if (planes) sloper.emplace(*planes);
        if (counted) counter.emplace(*counted);
        for (Index i = first; i < last; ++i) {
            const Index j = points[static_cast<std::size_t>(i)];
            const PointRef x = data_.X.row(j);
            const int y = data_.y[j] > 0.0 ? 1 : -1;
            const RadiusLimits limits{radius(j), settings_.cap * radius(j)};
            slopes_[static_cast<std::size_t>(i)] =
                counter ? counter->solve(x, y, limits) : sloper->solve(x.to_dense(), y, limits);
        }
    });
    const std::chrono::duration<double> elapsed = Clock::now() - begin;
    seconds_per_point_ =
        elapsed.count() * resolve_threads(n_threads) / std::max(1.0, static_cast<double>(size));
}

namespace {

/// The planes between each two classes, c < k, for one batch.
class ClassPairs {
public:
    ClassPairs(const CollaborativeState& state, const MoveSpace& space,
               const PlaneLength& length_of) {
        const Index n = state.coef.rows();
        for (Index c = 0; c < n; ++c) {
            for (Index k = c + 1; k < n; ++k) {
                const Hyperplane plane{(state.coef.row(c) - state.coef.row(k)).transpose(),
                                       state.intercept[c] - state.intercept[k]};
                lengths_.push_back(length_of(plane.w));
                planes_.push_back(std::make_unique<Pair>(plane, space));
            }
        }
        n_ = n;
    }

    std::size_t number(Index c, Index k) const {
        const auto [least, other] = std::minmax(c, k);
        return static_cast<std::size_t>(least * n_ - least * (least + 1) / 2 + other - least - 1);
    }
    std::size_t size() const { return planes_.size(); }
    double length(std::size_t pair) const { return lengths_[pair]; }
    const ThreatPlanes& planes(std::size_t pair) const { return planes_[pair]->planes; }

private:
    struct Pair {
        Pair(const Hyperplane& plane, const MoveSpace& space)
            : ensemble(plane), planes(ensemble, space) {}
        Ensemble ensemble;
        ThreatPlanes planes;
    };

    std::vector<double> lengths_;
    std::vector<std::unique_ptr<Pair>> planes_;
    Index n_ = 0;
};

/// The rivals of class y at x with their signed distances, nearest first; approximate unless the
/// adversary moves in a ball.
std::vector<std::pair<double, Index>> rivals_of(const CollaborativeState& state,
                                                const ClassPairs& pairs, const VectorRef& x,
                                                Index y) {
    const Vector values = state.coef * x + state.intercept;
    std::vector<std::pair<double, Index>> rivals;
    for (Index k = 0; k < values.size(); ++k) {
        if (k == y) continue;
        const double gap = values[y] - values[k];
        const double length = pairs.length(pairs.number(y, k));
        rivals.emplace_back(length > 0.0 ? gap / length : (gap < 0.0 ? -HUGE_VAL : HUGE_VAL), k);
    }
    std::sort(rivals.begin(), rivals.end());
    return rivals;
}

}  // namespace

/// Of each point the slope against the rival that comes first, as shares of the planes of both.
void CollaborativeDescent::find_class_slopes(const Points& points) {
    const ClassPairs pairs(state_, space_, length_);
    slopes_.resize(points.size());
    const auto size = static_cast<Index>(points.size());
    const bool is_short = seconds_per_point_ * static_cast<double>(size) < kWorthThreads;
    const int n_threads = is_short ? 1 : settings_.n_threads;
    const auto begin = Clock::now();
    parallel_blocks(size, kPointsPerPiece, n_threads, [&](Index first, Index last) {
        std::vector<std::unique_ptr<RadiusSloper>> slopers(pairs.size());
        for (Index i = first; i < last; ++i) {
            const Index j = points[static_cast<std::size_t>(i)];
            const Vector x = data_.X.row(j).to_dense();
            const auto y = static_cast<Index>(data_.y[j]);
            RadiusSlope best;
            best.radius = HUGE_VAL;
            for (const auto& [distance, k] : rivals_of(state_, pairs, x, y)) {
                const std::size_t pair = pairs.number(y, k);
                if (!slopers[pair])
                    slopers[pair] = std::make_unique<RadiusSloper>(pairs.planes(pair));
                const RadiusLimits limits{radius(j), settings_.cap * radius(j)};
                RadiusSlope slope = slopers[pair]->solve(x, y < k ? 1 : -1, limits);
                if (slope.radius < best.radius) {
                    std::vector<RadiusSlope::Share> shares;
                    for (const RadiusSlope::Share& share : slope.shares) {
                        const double rate = y < k ? share.rate : -share.rate;
                        shares.push_back({static_cast<int>(y), rate});
                        shares.push_back({static_cast<int>(k), -rate});
                    }
                    slope.shares = std::move(shares);
                    best = std::move(slope);
                }
                if (space_.is_ball) break;
            }
            slopes_[static_cast<std::size_t>(i)] = std::move(best);
        }
    });
    const std::chrono::duration<double> elapsed = Clock::now() - begin;
    seconds_per_point_ =
        elapsed.count() * resolve_threads(n_threads) / std::max(1.0, static_cast<double>(size));
}

double CollaborativeDescent::objective_of(const Points& points, Matrix* gradient) {
    if (settings_.n_classes > 2) {
        find_class_slopes(points);
    } else {
        find_slopes(points);
    }
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

}  // namespace redoubt
