#pragma once

/// Randomised votes: a single plane, drawn with probability alpha_i / sum alpha, gives the answer.
///
/// An adversary who knows the planes and their probabilities, but not the draw, moves x to where
/// the wrong planes weigh most. The expected accuracy that remains,
///
///     1 - max over ||d||_p <= r of  sum over the fooled planes of alpha_i / sum alpha ,
///
/// is exact, by the exact adversary (attack.hpp). Planes without weights are equally likely.

#include "redoubt/attack.hpp"
#include "redoubt/ensemble.hpp"
#include "redoubt/types.hpp"

#include <vector>

namespace redoubt {

/// The score at one radius. Every `accuracy` is what a known attack leaves, and every `lower` what
/// no attack can undercut; they are equal if the search was finished.
struct RandomisedScore {
    double radius = 0.0;
    /// One per point.
    Vector accuracy{};
    Vector lower{};
    /// Means over all points; NaN without any.
    double mean = 0.0;
    double mean_lower = 0.0;
    /// Means over the points of class -1 and of class +1; NaN for a class without points.
    double class_mean[2] = {0.0, 0.0};
    double class_lower[2] = {0.0, 0.0};
};

/// One score per radius >= 0, in the order given. `settings.adversary` must be Exact.
/// Throws InvalidInput as `attack` does.
std::vector<RandomisedScore> worst_expected_accuracy(const Ensemble& ensemble, const PointsRef& X,
                                                     const VectorRef& y, const VectorRef& radii,
                                                     const AttackSettings& settings = {});

}  // namespace redoubt
