#include "redoubt/randomised_vote.hpp"

#include <algorithm>
#include <limits>

#include "core/check.hpp"
#include "flip/flip.hpp"

namespace redoubt {

namespace {

/// The mean of the entries whose label is `label`, or of all for 0.
double mean_of(const Vector& values, const VectorRef& y, int label) {
    double sum = 0.0;
    Index count = 0;
    for (Index j = 0; j < values.size(); ++j) {
        if (label != 0 && (y[j] > 0.0 ? 1 : -1) != label) continue;
        sum += values[j];
        ++count;
    }
    return count > 0 ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::vector<RandomisedScore> worst_expected_accuracy(const Ensemble& ensemble, const PointsRef& X,
                                                     const VectorRef& y, const VectorRef& radii,
                                                     const AttackSettings& settings) {
    if (settings.adversary != Adversary::Exact) {
        throw InvalidInput("adversary", "'exact'",
                           "'" + std::string(to_string(settings.adversary)) + "'");
    }
    check_non_negative("radii", radii);
    const auto total = static_cast<double>(ensemble.total_units());
    std::vector<RandomisedScore> scores;
    for (double radius : radii) {
        const std::vector<Attack> attacks =
            attack(ensemble, X, y, Vector::Constant(1, radius), settings);
        RandomisedScore score;
        score.radius = radius;
        score.accuracy.resize(X.rows());
        score.lower.resize(X.rows());
        for (Index j = 0; j < X.rows(); ++j) {
            const Attack& one = attacks[static_cast<std::size_t>(j)];
            const double fooled = static_cast<double>(weight_of(ensemble, one.fooled)) / total;
            score.accuracy[j] = 1.0 - fooled;
            // Equal numbers must give equal shares: the bound is a rounded product.
            score.lower[j] = one.bound > one.objective
                                 ? std::max(0.0, 1.0 - one.bound / ensemble.weight_unit() / total)
                                 : score.accuracy[j];
        }
        score.mean = mean_of(score.accuracy, y, 0);
        score.mean_lower = mean_of(score.lower, y, 0);
        for (int c = 0; c < 2; ++c) {
            score.class_mean[c] = mean_of(score.accuracy, y, c == 0 ? -1 : 1);
            score.class_lower[c] = mean_of(score.lower, y, c == 0 ? -1 : 1);
        }
        scores.push_back(std::move(score));
    }
    return scores;
}

}  // namespace redoubt
