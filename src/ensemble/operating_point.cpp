#include "redoubt/operating_point.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "core/parallel.hpp"

namespace redoubt {

namespace {

/// A product that rounding left just below an integer is that integer.
constexpr double kIntegerSlack = 1e-9;
/// A bias beyond the last value of any point lies beyond it by this share of their range.
constexpr double kBeyond = 1e-3;
/// Values at which floating point and exact answers differ are skipped one at a time.
constexpr int kMostCorrections = 1000;

/// Values of the points of class -1, the greatest first, and of all, the least first.
template <typename Value>
struct Values {
    std::vector<Value> negatives;
    std::vector<Value> all;

    Values(const std::vector<Value>& values, const VectorRef& y) : all(values) {
        for (std::size_t j = 0; j < values.size(); ++j) {
            if (y[static_cast<Index>(j)] < 0.0) negatives.push_back(values[j]);
        }
        std::sort(negatives.begin(), negatives.end(), std::greater<>());
        std::sort(all.begin(), all.end());
    }
};

OperatingPoint measured(Ensemble ensemble, const PointsRef& X, const VectorRef& y, int n_threads) {
    const Eigen::VectorXi answers = ensemble.predict_all(X, n_threads);
    double n_negative = 0.0;
    double n_false = 0.0;
    double n_found = 0.0;
    for (Index j = 0; j < y.size(); ++j) {
        n_negative += y[j] < 0.0 ? 1.0 : 0.0;
        if (answers[j] > 0) ++(y[j] < 0.0 ? n_false : n_found);
    }
    const double n_positive = static_cast<double>(y.size()) - n_negative;
    return {std::move(ensemble), n_false / n_negative, n_found / n_positive};
}

OperatingPoint choose_bias(const Ensemble& plane, const PointsRef& X, const VectorRef& y,
                           std::size_t n_allowed, double max_fpr, int n_threads) {
    std::vector<double> found(static_cast<std::size_t>(X.rows()));
    for (Index j = 0; j < X.rows(); ++j)
        found[static_cast<std::size_t>(j)] = plane.margins(X.row(j))[0];
    const Values<double> values(found, y);
    const double range = values.all.back() - values.all.front();
    const double beyond = range > 0.0 ? kBeyond * range : 1.0;
    // The first value that must lose, and the one above it, of any class.
    double lost = values.negatives[n_allowed];
    for (int correction = 0;; ++correction) {
        const auto next = std::upper_bound(values.all.begin(), values.all.end(), lost);
        const bool is_last = next == values.all.end();
        const double threshold = is_last ? lost + beyond : lost + 0.5 * (*next - lost);
        const Vector bias = plane.intercept().array() - threshold;
        OperatingPoint point = measured(Ensemble(plane.coef(), bias), X, y, n_threads);
        const bool is_met =
            point.false_positive_rate <= max_fpr * (1.0 + kIntegerSlack) || is_last;
        if (is_met || correction == kMostCorrections) return point;
        lost = *next;
    }
}

OperatingPoint choose_quota(const Ensemble& ensemble, const PointsRef& X, const VectorRef& y,
                            std::size_t n_allowed, int n_threads) {
    std::vector<std::int64_t> found(static_cast<std::size_t>(X.rows()));
    parallel_blocks(X.rows(), 256, n_threads, [&](Index begin, Index end) {
        for (Index j = begin; j < end; ++j) {
            found[static_cast<std::size_t>(j)] =
                (ensemble.vote_units(X.row(j)) + ensemble.total_units()) / 2;
        }
    });
    const Values<std::int64_t> values(found, y);
    const std::int64_t units = values.negatives[n_allowed] + 1;
    if (units > ensemble.total_units()) {
        const auto n_all = std::count(values.negatives.begin(), values.negatives.end(),
                                      ensemble.total_units());
        throw InvalidInput("max_fpr", "a rate that a quota of these planes reaches",
                           "one below that of all " + std::to_string(ensemble.n_planes()) +
                               " planes together, which answer +1 for " + std::to_string(n_all) +
                               " of " + std::to_string(values.negatives.size()) +
                               " points of class -1");
    }
    return measured(
        ensemble.with_quota(ensemble.weight_unit() * static_cast<double>(units)), X, y, n_threads);
}

}  // namespace

OperatingPoint choose_operating_point(const Ensemble& ensemble, const PointsRef& X,
                                      const VectorRef& y, double max_fpr, int n_threads) {
    check_value(max_fpr >= 0.0 && max_fpr < 1.0, "max_fpr", "a number in [0, 1)", max_fpr);
    if (X.cols() != ensemble.n_features()) {
        throw InvalidInput("X", std::to_string(ensemble.n_features()) + " features",
                           std::to_string(X.cols()));
    }
    check_points("X", X);
    check_length("y", y.size(), X.rows());
    check_labels("y", y);
    const auto n_negative = static_cast<double>((y.array() < 0.0).count());
    const bool has_both = n_negative > 0.0 && n_negative < static_cast<double>(y.size());
    if (!has_both) throw InvalidInput("y", "both classes", n_negative > 0.0 ? "only -1" : "only +1");
    const auto n_allowed = static_cast<std::size_t>(max_fpr * n_negative + kIntegerSlack);
    return ensemble.n_planes() == 1
               ? choose_bias(ensemble, X, y, n_allowed, max_fpr, n_threads)
               : choose_quota(ensemble, X, y, n_allowed, n_threads);
}

}  // namespace redoubt
