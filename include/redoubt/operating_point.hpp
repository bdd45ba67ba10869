#pragma once

/// Where to run a detector: not at the sign of its vote, but at the rate of false positives that
/// its users tolerate.

#include "redoubt/ensemble.hpp"
#include "redoubt/points.hpp"
#include "redoubt/types.hpp"

namespace redoubt {

struct OperatingPoint {
    /// The same plane with another bias, or the same planes with a quota.
    Ensemble ensemble;
    /// Shares of the given points, as `ensemble` answers them: of class -1 answered with +1, and of
    /// class +1 detected.
    double false_positive_rate = 0.0;
    double detection_rate = 0.0;
};

/// The point of highest detection at which at most a share `max_fpr` of the points of class -1 is
/// answered with +1. A single plane gets a new bias, half-way to the next value of any point; a
/// vote gets the smallest quota that suffices. Choose it on points that are used neither for
/// training nor for testing.
///
/// Throws InvalidInput if sizes do not match, a value is not finite, a label is not -1 or +1, a
/// class is missing, the rate is outside [0, 1), or the vote does not reach the rate even if all of
/// its planes must agree.
OperatingPoint choose_operating_point(const Ensemble& ensemble, const PointsRef& X,
                                      const VectorRef& y, double max_fpr, int n_threads = 1);

}  // namespace redoubt
