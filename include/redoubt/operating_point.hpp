#pragma once

/// Where a detector is run: not at the sign of its vote, but at the rate of false positives that
/// its users bear.

#include "redoubt/ensemble.hpp"
#include "redoubt/points.hpp"
#include "redoubt/types.hpp"

namespace redoubt {

struct OperatingPoint {
    /// The same plane with another bias, or the same planes with a quota.
    Ensemble ensemble;
    /// Shares of the points given, as `ensemble` answers them: of class -1 that it answers with +1,
    /// and of class +1 that it finds.
    double false_positive_rate = 0.0;
    double detection_rate = 0.0;
};

/// The point of most detection at which at most a share `max_fpr` of the points of class -1 is
/// answered with +1. One plane gets another bias, half-way to the next value that any of the points
/// has; a vote gets the least quota that will do. Choose it on points that were neither trained nor
/// are to be tested on.
///
/// Throws InvalidInput for sizes that do not fit, values that are not finite, labels other than -1
/// and +1, a class that is missing, a rate outside [0, 1), and a rate that the vote does not reach
/// even where it takes all of its planes.
OperatingPoint choose_operating_point(const Ensemble& ensemble, const PointsRef& X,
                                      const VectorRef& y, double max_fpr, int n_threads = 1);

}  // namespace redoubt
