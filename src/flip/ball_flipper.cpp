#include "flip/ball_flipper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/rounding.hpp"

namespace redoubt {

namespace {

/// Features that an l1 search sees first, and how many times as many it sees next.
constexpr Index kFirstFeatures = 256;
constexpr Index kMoreFeatures = 8;
/// A level with more than this share of all features is no gain.
constexpr double kLargestShare = 0.5;
/// Merging fewer features than this is no gain.
constexpr Index kLeastMerged = 256;
/// A move misses its goals by rounding errors: it is stretched by this much, then by more.
constexpr double kFirstStretch = 1e-15;
constexpr double kMoreStretch = 8.0;
constexpr double kLargestStretch = 1e-6;

}  // namespace

BallPlanes::BallPlanes(const Ensemble& ensemble, Norm norm) : ensemble_(ensemble), norm_(norm) {
    std::vector<double> largest;
    std::vector<Index> steepest;
    find_features(largest, steepest);
    const auto n_live = static_cast<Index>(order_.size());
    if (norm == Norm::L1) {
        const auto weight = [&](Index feature) -> double& {
            return largest[static_cast<std::size_t>(feature)];
        };
        // Every plane needs its steepest feature.
        for (Index feature : steepest) weight(feature) = 2.0;
        std::stable_sort(order_.begin(), order_.end(),
                         [&](Index a, Index b) { return weight(a) > weight(b); });
        const Index first = std::max<Index>(kFirstFeatures, 2 * ensemble.n_planes());
        for (Index size = first;
             static_cast<double>(size) < kLargestShare * static_cast<double>(n_live);
             size *= kMoreFeatures)
            sizes_.push_back(size);
    }
    sizes_.push_back(n_live);
    levels_.resize(sizes_.size());
    level(0);
}

/// The features with a weight, and of each its largest weight in units of its plane's; planes
/// without any, and the steepest feature of every other one. Row by row, as they lie in memory.
void BallPlanes::find_features(std::vector<double>& largest, std::vector<Index>& steepest) {
    constexpr unsigned kPositive = 1;
    constexpr unsigned kNegative = 2;
    const Matrix& W = ensemble_.coef();
    const auto n = static_cast<std::size_t>(W.cols());
    largest.assign(n, 0.0);
    std::vector<unsigned char> signs(n, 0);
    for (Index i = 0; i < W.rows(); ++i) {
        Index feature = 0;
        const double size = W.row(i).cwiseAbs().maxCoeff(&feature);
        if (!(size > 0.0)) {
            still_.push_back(static_cast<int>(i));
            continue;
        }
        steepest.push_back(feature);
        const double* const w = W.row(i).data();
        for (std::size_t l = 0; l < n; ++l) {
            largest[l] = std::max(largest[l], std::abs(w[l]) / size);
            const unsigned sign = w[l] > 0.0 ? kPositive : w[l] < 0.0 ? kNegative : 0;
            signs[l] = static_cast<unsigned char>(signs[l] | sign);
        }
    }
    for (std::size_t l = 0; l < n; ++l) {
        if (signs[l] == 0) continue;
        // Division may underflow; a weight is a weight.
        largest[l] = std::max(largest[l], std::numeric_limits<double>::denorm_min());
        const bool is_mixed = signs[l] == (kPositive | kNegative);
        (norm_ == Norm::LInf && !is_mixed ? merged_ : order_).push_back(static_cast<Index>(l));
    }
    if (static_cast<Index>(merged_.size()) >= kLeastMerged) return;
    order_.insert(order_.end(), merged_.begin(), merged_.end());
    std::sort(order_.begin(), order_.end());
    merged_.clear();
}

const BallPlanes::Level& BallPlanes::level(Index at) const {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<const Level>& level = levels_[static_cast<std::size_t>(at)];
    if (!level) {
        std::vector<Index> features(order_.begin(),
                                    order_.begin() + sizes_[static_cast<std::size_t>(at)]);
        std::sort(features.begin(), features.end());
        level.reset(new Level{features, PlaneSet(ensemble_, norm_, features, merged_)});
    }
    return *level;
}

BallFlipper::Margin BallFlipper::margin_of(int plane, const PointRef& x, int current_label) const {
    const Ensemble& ensemble = planes_.ensemble();
    const double* w = ensemble.coef().row(plane).data();
    const double b = ensemble.intercept()[plane];
    double sum = 0.0;
    double magnitude = std::abs(b);
    const auto add = [&](Index l, double value) {
        const double term = w[l] * value;
        sum += term;
        magnitude += std::abs(term);
    };
    if (x.is_sparse()) {
        x.sparse().for_each(add);
    } else {
        for (Index l = 0; l < x.size(); ++l) add(l, x.dense()[l]);
    }
    const auto n_roundings = static_cast<double>(x.n_entries()) + 8.0;
    return {current_label * (sum + b), margin_error(n_roundings, magnitude)};
}

BallFlipper::Answer BallFlipper::flip_answer(const PointRef& x, int current_label,
                                             const PointLimits& limits) {
    const Ensemble& ensemble = planes_.ensemble();
    current_label_ = current_label;
    required_ = weight_needed(ensemble, current_label);
    given_ = 0;
    for (int plane : planes_.still()) {
        const int answer = ensemble.intercept()[plane] >= 0.0 ? 1 : -1;
        if (answer != current_label) given_ += ensemble.weight_units(plane);
    }
    margin_.clear();
    for (Index i = 0; i < ensemble.n_planes(); ++i)
        margin_.push_back(margin_of(static_cast<int>(i), x, current_label));
    Answer answer;
    for (Index level = 0; level < planes_.n_levels(); ++level) {
        if (look(level, x, limits, answer)) break;
    }
    return answer;
}

/// Searches among the features of a level; false if more features may say more.
bool BallFlipper::look(Index at, const PointRef& x, const PointLimits& limits, Answer& answer) {
    const BallPlanes::Level& level = planes_.level(at);
    const PlaneSet& planes = level.planes;
    engines_.resize(static_cast<std::size_t>(planes_.n_levels()));
    std::unique_ptr<FlipEngine>& engine = engines_[static_cast<std::size_t>(at)];
    if (!engine) engine = std::make_unique<FlipEngine>(planes);
    margins_.resize(current_label_, planes.n_planes());
    for (Index i = 0; i < planes.n_planes(); ++i) {
        const Margin& margin = margin_[static_cast<std::size_t>(planes.index(i))];
        margins_.set(planes, i, margin.value, margin.error, 1.0);
    }
    margins_.even_out(planes, 1.0);
    Flip& flip = answer.flip;
    PointLimits rest = limits;
    if (rest.max_nodes < std::numeric_limits<std::int64_t>::max())
        rest.max_nodes = std::max<std::int64_t>(0, rest.max_nodes - flip.n_nodes);
    const Index required = std::max<Index>(0, required_ - given_);
    const bool wants_point = planes_.norm() != Norm::L2;
    const SearchResult result =
        engine->run(margins_, required, flip.upper, rest, {.point = wants_point});
    flip.n_nodes += result.n_nodes;
    flip.lower = std::max(flip.lower, std::min(result.proven, flip.upper));
    const bool is_stopped =
        result.status != Status::Optimal && result.status != Status::NumericalFailure;
    flip.status = is_stopped ? result.status : Status::Optimal;
    if (result.distance < HUGE_VAL) {
        measure(planes, result);
        std::vector<int> fooled;
        const double factor = least_factor(planes, required, fooled);
        const double upper = size_ * factor * (1.0 + 4.0 * kEps);
        if (upper < flip.upper) {
            flip.upper = upper;
            flip.fooled = std::move(fooled);
            if (planes_.norm() == Norm::L1) write_move(level, x, factor * result.e, answer);
        }
    }
    const double gap = kProvenGap * flip.upper + kRoundings * margins_.widest_gap(planes);
    answer.is_open = flip.upper < HUGE_VAL ? flip.upper - flip.lower > gap : flip.lower < HUGE_VAL;
    answer.is_open = answer.is_open && !is_stopped;
    const bool is_closed = flip.lower >= flip.upper * (1.0 - kClosedGap);
    return is_stopped || is_closed;
}

/// The products of the point with the planes, and its size.
void BallFlipper::measure(const PlaneSet& planes, const SearchResult& result) {
    const Index k = planes.n_planes();
    const auto n = static_cast<double>(planes.n_features());
    // Sums over merged features are up to 8 units in the last place too large.
    const double merged = planes_.norm() == Norm::LInf ? 8.0 : 0.0;
    const double terms = n + static_cast<double>(result.active.size()) + 8.0 + merged;
    product_.setZero(k);
    product_error_.resize(k);
    if (planes_.norm() != Norm::L2) {
        product_ = planes.W() * result.e;
        size_ = norm_value(planes_.norm(), result.e) *
                (planes_.norm() == Norm::L1 ? 1.0 + terms * kEps : 1.0);
        product_error_ = terms * kEps * size_ * planes.size();
        return;
    }
    double weight = 0.0;
    double square = 0.0;
    for (std::size_t a = 0; a < result.active.size(); ++a) {
        product_ += result.lambda[a] * planes.gram().row(result.active[a]).transpose();
        weight += result.lambda[a] * planes.size()[result.active[a]];
    }
    for (std::size_t a = 0; a < result.active.size(); ++a)
        square += result.lambda[a] * product_[result.active[a]];
    size_ = std::sqrt(std::max(0.0, square) + terms * kEps * weight * weight) * (1.0 + 4.0 * kEps);
    product_error_ = terms * kEps * weight * planes.size();
}

/// How far the point must be stretched to fool planes of weight `required` for sure; those planes,
/// and those without a weight that are fooled anyway.
double BallFlipper::least_factor(const PlaneSet& planes, Index required,
                                 std::vector<int>& fooled) const {
    double stretch = 0.0;
    while (stretch <= kLargestStretch) {
        const double factor = 1.0 + stretch;
        Index weight = 0;
        fooled.clear();
        for (Index i = 0; i < planes.n_planes(); ++i) {
            const Margin& margin = margin_[static_cast<std::size_t>(planes.index(i))];
            const double reached = factor * (product_[i] - product_error_[i]);
            const double needed = (margin.value + margin.error) * planes.scale(i);
            const double rounding = 4.0 * kEps * (std::abs(reached) + std::abs(needed));
            if (!(reached > needed + rounding)) continue;
            weight += planes.weight(i);
            fooled.push_back(planes.index(i));
        }
        if (weight >= required) {
            for (int plane : planes_.still()) {
                const int answer = planes_.ensemble().intercept()[plane] >= 0.0 ? 1 : -1;
                if (answer != current_label_) fooled.push_back(plane);
            }
            std::sort(fooled.begin(), fooled.end());
            return factor;
        }
        stretch = std::max(kFirstStretch, kMoreStretch * stretch);
    }
    return HUGE_VAL;
}

/// The move e, stretched until x moved by it, as rounded, has another answer: a witness of its own
/// size. None where that does not happen soon.
void BallFlipper::write_move(const BallPlanes::Level& level, const PointRef& x, const Vector& e,
                             Answer& answer) const {
    std::vector<Index> features;
    std::vector<double> steps;
    for (Index c = 0; c < e.size(); ++c) {
        if (e[c] == 0.0) continue;
        features.push_back(level.features[static_cast<std::size_t>(c)]);
        steps.push_back(-current_label_ * e[c]);
    }
    const Eigen::Map<const Vector> all(steps.data(), static_cast<Index>(steps.size()));
    for (double stretch = 0.0; stretch <= kLargestStretch;
         stretch = std::max(kFirstStretch, kMoreStretch * stretch)) {
        const Vector d = (1.0 + stretch) * all;
        double size = 0.0;
        if (!is_witness(x, features, d, size)) continue;
        answer.flip.upper = size;
        answer.flip.d = d;
        answer.features = std::move(features);
        return;
    }
    answer.flip.d.resize(0);
    answer.features.clear();
}

/// Has x another answer after steps of some features, rounded? `size` is their size, rounded up.
bool BallFlipper::is_witness(const PointRef& x, const std::vector<Index>& features, const Vector& d,
                             double& size) const {
    SparseMatrix moved(x.size());
    size = 0.0;
    std::size_t next = 0;
    const auto step = [&](double value) {
        const double there = value + d[static_cast<Index>(next)];
        size += std::max(std::abs(there - value), std::abs(d[static_cast<Index>(next)]));
        moved.push_back(features[next], there);
        ++next;
    };
    const auto visit = [&](Index l, double value) {
        while (next < features.size() && features[next] < l) step(0.0);
        if (next < features.size() && features[next] == l) {
            step(value);
        } else if (value != 0.0) {
            moved.push_back(l, value);
        }
    };
    if (x.is_sparse()) {
        x.sparse().for_each(visit);
    } else {
        for (Index l = 0; l < x.size(); ++l) visit(l, x.dense()[l]);
    }
    while (next < features.size()) step(0.0);
    moved.end_row();
    size *= 1.0 + (static_cast<double>(features.size()) + 4.0) * kEps;
    return std::isfinite(size) && planes_.ensemble().predict(moved.view().row(0)) != current_label_;
}

}  // namespace redoubt
