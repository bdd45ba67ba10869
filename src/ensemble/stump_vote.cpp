#include "ensemble/stump_vote.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/random.hpp"
#include "ensemble/round_clock.hpp"
#include "redoubt/bagging.hpp"

namespace redoubt {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
/// Thresholds tried per feature: more follow the sample's noise.
constexpr std::size_t kMaxThresholds = 24;
/// Sweeps if nobody says how many; most votes are done long before.
constexpr Index kMaxSweeps = 60;
/// A stump is replaced only if the objective falls by this share.
constexpr double kLeastGain = 1e-12;

struct Stump {
    Index feature = 0;
    double sign = 1.0;
    double threshold = 0.0;
};

/// Between neighbouring values, or at quantiles where there are too many.
std::vector<double> thresholds_of(const Vector& values) {
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> distinct = sorted;
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    std::vector<double> found;
    if (distinct.size() <= kMaxThresholds + 1) {
        for (std::size_t i = 1; i < distinct.size(); ++i)
            found.push_back(0.5 * (distinct[i - 1] + distinct[i]));
        return found;
    }
    for (std::size_t i = 0; i < kMaxThresholds; ++i) {
        const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(kMaxThresholds);
        const auto at = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
        // Between two values of the sample, so that no point of it lies on the plane.
        const auto next = std::upper_bound(sorted.begin(), sorted.end(), sorted[at]);
        if (next != sorted.end()) found.push_back(0.5 * (sorted[at] + *next));
    }
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

/// One vote on one sample.
class StumpTrainer {
public:
    StumpTrainer(const Matrix& X, const Vector& y, const Vector& weights, const Vector& radii,
                 const CollaborativeSettings& settings, RoundClock& clock)
        : y_(y), weights_(weights), radii_(radii), settings_(settings), clock_(clock) {
        for (Index l = 0; l < X.cols(); ++l) {
            const Vector values = X.col(l);
            for (double threshold : thresholds_of(values)) {
                for (double sign : {1.0, -1.0}) candidates_.push_back({l, sign, threshold});
            }
        }
        margins_.resize(static_cast<Index>(candidates_.size()), X.rows());
        for (std::size_t c = 0; c < candidates_.size(); ++c) {
            const Stump& stump = candidates_[c];
            margins_.row(static_cast<Index>(c)) =
                (stump.sign * y.array() * (X.col(stump.feature).array() - stump.threshold))
                    .matrix()
                    .transpose();
        }
    }

    /// Empty if every feature is constant on the sample.
    std::vector<Stump> train(Random& random) {
        if (candidates_.empty()) return {};
        const auto k = static_cast<std::size_t>(settings_.n_planes);
        start(k, random);
        best_ = kInfinity;
        std::vector<Index> order(k);
        for (std::size_t i = 0; i < k; ++i) order[i] = static_cast<Index>(i);
        bool is_better = true;
        for (Index sweep = 0; is_better && sweep < settings_.n_epochs.value_or(kMaxSweeps);
             ++sweep) {
            const double begin = clock_.seconds();
            is_better = false;
            random.shuffle(order);
            for (Index i : order) {
                if (clock_.is_up()) break;
                is_better |= improve(static_cast<std::size_t>(i));
            }
            if (clock_.is_up()) break;
            sweeps_.push_back({best_, kUnknown, clock_.seconds() - begin});
        }
        std::vector<Stump> stumps;
        for (std::size_t choice : chosen_) stumps.push_back(candidates_[choice]);
        return stumps;
    }

    /// One record per sweep that was completed, with the sum of the points' terms.
    const std::vector<EpochRecord>& sweeps() const { return sweeps_; }

private:
    /// Any stumps that look the same way on each feature.
    void start(std::size_t k, Random& random) {
        chosen_.clear();
        while (chosen_.size() < k) {
            const Index draw = random.below(static_cast<Index>(candidates_.size()));
            auto choice = static_cast<std::size_t>(draw);
            // A stump and its reverse are neighbours.
            if (looks_against_others(choice, k)) choice ^= 1U;
            chosen_.push_back(choice);
        }
    }

    /// The best of all stumps in place of stump i, given the others.
    bool improve(std::size_t i) {
        load_neighbours(i);
        double best = best_;
        std::size_t choice = chosen_[i];
        for (std::size_t c = 0; c < candidates_.size(); ++c) {
            if (looks_against_others(c, i)) continue;
            const double value = objective_with(c, best);
            if (value < best * (1.0 - kLeastGain)) {
                best = value;
                choice = c;
            }
        }
        if (!(best < best_)) return false;
        best_ = best;
        chosen_[i] = choice;
        return true;
    }

    bool looks_against_others(std::size_t c, std::size_t i) const {
        for (std::size_t other = 0; other < chosen_.size(); ++other) {
            const Stump& stump = candidates_[chosen_[other]];
            if (other != i && stump.feature == candidates_[c].feature &&
                stump.sign != candidates_[c].sign)
                return true;
        }
        return false;
    }

    /// For each point the two margins of the other stumps between which the radius may move.
    void load_neighbours(std::size_t i) {
        below_.resize(y_.size());
        above_.resize(y_.size());
        const std::size_t k = chosen_.size();
        std::vector<double> others;
        for (Index j = 0; j < y_.size(); ++j) {
            others.clear();
            for (std::size_t other = 0; other < k; ++other) {
                if (other != i) others.push_back(margins_(static_cast<Index>(chosen_[other]), j));
            }
            std::sort(others.begin(), others.end());
            const std::size_t need = y_[j] > 0.0 ? k / 2 + 1 : (k + 1) / 2;
            below_[j] = need >= 2 ? others[need - 2] : -kInfinity;
            above_[j] = need - 1 < others.size() ? others[need - 1] : kInfinity;
        }
    }

    /// Gives up once it passes `limit`.
    double objective_with(std::size_t c, double limit) const {
        const auto row = static_cast<Index>(c);
        double sum = 0.0;
        for (Index j = 0; j < y_.size(); ++j) {
            const double radius = std::clamp(margins_(row, j), below_[j], above_[j]);
            const double rho = radii_[j];
            const double miss = std::clamp(1.0 - radius / rho, 0.0, 1.0 + settings_.cap);
            if (miss == 0.0) continue;
            const double power = settings_.power;
            sum += weights_[j] * rho *
                   (power == 1.0   ? miss
                    : power == 2.0 ? 0.5 * miss * miss
                                   : std::pow(miss, power) / power);
            if (sum > limit) break;
        }
        return sum;
    }

    const Vector& y_;
    const Vector& weights_;
    const Vector& radii_;
    const CollaborativeSettings& settings_;
    RoundClock& clock_;
    std::vector<Stump> candidates_{};
    Matrix margins_{};  ///< candidates x points
    std::vector<std::size_t> chosen_{};
    Vector below_{};
    Vector above_{};
    double best_ = kInfinity;
    std::vector<EpochRecord> sweeps_{};
};

/// Sweep by sweep the mean of a point's term over all votes. One that needs fewer sweeps keeps its
/// last value.
std::vector<EpochRecord> joined(const std::vector<std::vector<EpochRecord>>& votes,
                                Index n_points) {
    std::vector<EpochRecord> history;
    for (std::size_t sweep = 0;; ++sweep) {
        EpochRecord record{0.0, kUnknown, 0.0};
        double n_votes = 0.0;
        bool is_over = true;
        for (const std::vector<EpochRecord>& sweeps : votes) {
            if (sweeps.empty()) continue;
            const bool takes_part = sweep < sweeps.size();
            record.objective += (takes_part ? sweeps[sweep] : sweeps.back()).objective;
            if (takes_part) record.seconds += sweeps[sweep].seconds;
            is_over = is_over && !takes_part;
            ++n_votes;
        }
        if (is_over) return history;
        record.objective /= n_votes * static_cast<double>(n_points);
        history.push_back(record);
    }
}

}  // namespace

CollaborativeResult train_stump_vote(const SvmData& data, const VectorRef& radii,
                                     const CollaborativeSettings& settings) {
    RoundClock clock(settings.control);
    const Index m = data.X.rows();
    const Vector weights = data.weights.size() == 0 ? Vector::Ones(m) : data.weights;
    const Vector targets = radii.size() == 1 ? Vector::Constant(m, radii[0]) : Vector(radii);
    const Matrix bags = settings.n_bags == 1 ? Matrix(Matrix::Ones(1, m))
                                             : draw_bags(data, settings.n_bags, settings.seed);
    std::vector<Stump> stumps;
    std::vector<std::vector<EpochRecord>> sweeps;
    bool is_stopped = false;
    for (Index bag = 0; bag < settings.n_bags && !is_stopped; ++bag) {
        std::vector<Index> rows;
        for (Index j = 0; j < m; ++j) {
            if (bags(bag, j) * weights[j] > 0.0) rows.push_back(j);
        }
        const Matrix X = data.X.to_dense(rows);
        const Vector y = data.y(rows);
        const Vector counts = bags.row(bag).transpose().cwiseProduct(weights)(rows);
        const Vector rho = targets(rows);
        Random random(settings.seed, static_cast<std::uint64_t>(bag));
        StumpTrainer trainer(X, y, counts, rho, settings, clock);
        const std::vector<Stump> found = trainer.train(random);
        stumps.insert(stumps.end(), found.begin(), found.end());
        sweeps.push_back(trainer.sweeps());
        is_stopped = clock.is_up();
        clock.report({bag + 1, settings.n_bags, 0, m});
    }
    // Where no feature tells the points apart there is one answer left.
    const auto k = std::max<Index>(1, static_cast<Index>(stumps.size()));
    CollaborativeState state;
    state.history = joined(sweeps, m);
    state.n_epochs_done = static_cast<Index>(state.history.size());
    state.coef = Matrix::Zero(k, data.X.cols());
    state.intercept = Vector::Constant(k, data.y.dot(weights) >= 0.0 ? 1.0 : -1.0);
    for (std::size_t i = 0; i < stumps.size(); ++i) {
        const auto row = static_cast<Index>(i);
        state.coef(row, stumps[i].feature) = stumps[i].sign;
        state.intercept[row] = -stumps[i].sign * stumps[i].threshold;
    }
    Ensemble ensemble(state.coef, state.intercept);
    return {is_stopped ? clock.status() : Status::Finished, std::move(ensemble), std::move(state),
            is_stopped};
}

}  // namespace redoubt
