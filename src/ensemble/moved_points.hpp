#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "attack/adversary.hpp"
#include "attack/exact_adversary.hpp"
#include "redoubt/robust_ensemble.hpp"
#include "search/limits.hpp"

namespace redoubt {

/// The points of a training set after the adversary has moved them against the planes so far.
/// Remembers which planes each point can be fooled by: planes never change, so each is examined
/// once. With an attack model, every moved point is one that the model allows.
class MovedPoints {
public:
    /// Everything must outlive this. The attack model must have been checked with the data.
    MovedPoints(const SvmData& data, const VectorRef& radii,
                const RobustEnsembleSettings& settings);

    /// Takes the newest plane into account.
    void add_plane(const Hyperplane& plane);

    /// Called with the number of points moved so far, one call at a time; returning false stops the
    /// rest.
    using GoOn = std::function<bool(Index n_moved)>;

    /// Moves every point against all planes so far, of which there must be at least one. False if
    /// stopped before all were moved, by the stop flag or by `go_on`.
    bool move(const GoOn& go_on = {});

    const Matrix& points() const { return moved_; }
    /// The number of planes that are right at each moved point.
    const Vector& n_right() const { return n_right_; }
    Index n_foolable() const;

private:
    bool is_foolable(Index j, const Hyperplane& plane, double margin, Support& support) const;
    Vector step(Index j, const PointProblem& point, const PointLimits& limits, Support& support,
                std::optional<ExactAdversary>& exact) const;
    Vector step_against(const std::vector<int>& planes, const PointProblem& point,
                        const PointLimits& limits) const;
    double radius(Index j) const { return radii_.size() == 1 ? radii_[0] : radii_[j]; }
    int label(Index j) const { return data_.y[j] > 0.0 ? 1 : -1; }

    const SvmData& data_;
    const VectorRef& radii_;
    const RobustEnsembleSettings& settings_;
    MoveSpace space_;
    std::vector<Hyperplane> planes_;
    std::vector<std::vector<int>> foolable_;  ///< per point, ascending
    Matrix moved_;
    Vector n_right_;
};

}  // namespace redoubt
