#pragma once

#include <vector>

#include "flip/radius_slope.hpp"
#include "redoubt/collaborative.hpp"

namespace redoubt {

/// Points that belong together, by their numbers in the data.
using Points = std::vector<Index>;

/// What Ens-C does with a batch, wherever its points come from: slopes, gradient, a step of Adam.
class CollaborativeDescent {
public:
    /// All must outlive this. `spread` is that of the data, see
    /// CollaborativeSettings::start_radius.
    CollaborativeDescent(const SvmData& data, const VectorRef& radii,
                         const CollaborativeSettings& settings, double spread,
                         CollaborativeState& state);

    /// One step of Adam; the sum of the batch's objective before it.
    double run_batch(const Points& points, double step);
    /// sum_j c_j rho_j / s (max(0, rho_j - R_j) / rho_j)^s and, if asked for, its gradient: added
    /// up in the order of the points, whichever thread certified them.
    double objective_of(const Points& points, Matrix* gradient);

private:
    void find_slopes(const Points& points);
    void find_class_slopes(const Points& points);
    double radius(Index j) const { return radii_.size() == 1 ? radii_[0] : radii_[j]; }
    double weight(Index j) const { return data_.weights.size() == 0 ? 1.0 : data_.weights[j]; }

    const SvmData& data_;
    const VectorRef& radii_;
    const CollaborativeSettings& settings_;
    double spread_;
    CollaborativeState& state_;
    MoveSpace space_;
    PlaneLength length_;
    std::vector<RadiusSlope> slopes_{};
    double seconds_per_point_ = 0.0;  ///< of the last batch
};

/// The vote of the planes, with the quota of the settings.
Ensemble collaborative_vote(Matrix coef, Vector intercept, const CollaborativeSettings& settings);

/// A plane may be scaled by any factor. One length for all keeps Adam's steps comparable. Planes
/// whose values are compared (`has_values`) can only be scaled together: their mean length is 1.
void normalize_planes(const PlaneLength& length_of, CollaborativeState& state,
                      bool has_values = false);

/// The length of the steps of a batch: it falls to 0 along a cosine.
double step_length(const CollaborativePlan& plan, Index epoch, Index batch);

}  // namespace redoubt
