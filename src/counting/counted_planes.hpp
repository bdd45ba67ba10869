#pragma once

/// A vote and the changes that threaten it, prepared once and shared by all points and threads.

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "redoubt/ensemble.hpp"
#include "threat/move_space.hpp"

namespace redoubt {

/// One change that a feature may undergo, whatever the rest of the point.
struct FeatureChange {
    double value = 0.0;     ///< what the feature becomes, at most
    bool is_whole = false;  ///< no value in between is allowed
};

/// The ends that a feature with the value `x` may go to: at most two.
struct FeatureEnds {
    std::array<FeatureChange, 2> ends{};
    int n = 0;
};

/// In most points most features have one usual value: 0, or what is next to it in their range. The
/// changes from there are put in order once, those that do most to any plane per cost first, so
/// that a point need only look at the first few.
class CountedPlanes {
public:
    /// Both must outlive this.
    CountedPlanes(const Ensemble& ensemble, const MoveSpace& space);

    const Ensemble& ensemble() const { return ensemble_; }
    const MoveSpace& space() const { return space_; }
    const AttackModel& model() const { return *space_.model; }

    /// Where the feature stands in most points.
    double usual_value(Index feature) const;
    /// The features that may change and whose usual value is not 0.
    const std::vector<Index>& usually_not_zero() const { return not_zero_; }
    /// Is the feature one that may change by itself?
    bool is_free(Index feature) const { return is_free_[static_cast<std::size_t>(feature)] != 0; }
    FeatureEnds ends(Index feature, double x) const;
    /// Its place in the model's integers, or -1.
    int integer_of(Index feature) const {
        return integer_of_.empty() ? -1 : integer_of_[static_cast<std::size_t>(feature)];
    }

    /// Against an answer: a feature, and what its best change from the usual value does at most to
    /// any plane, per cost. Descending; without features that hurt no plane.
    struct Ranked {
        int feature;
        double worth;
    };
    const std::vector<Ranked>& ranked(int label) const;
    /// The weights of the first of them, k side by side for each: in the planes they are far apart.
    /// nullptr for those that come later.
    const double* ranked_weights(int label, std::size_t at) const {
        const std::vector<double>& all = orders_[label > 0 ? 1 : 0].weights;
        const std::size_t first = at * static_cast<std::size_t>(ensemble_.n_planes());
        return first < all.size() ? all.data() + first : nullptr;
    }

    /// Weights and intercepts of the plane are multiples of this power of 2, and so are all margins
    /// at integer points, as long as they are below 2^52 times it; 0: there is none.
    double grid(int plane) const { return grids_[static_cast<std::size_t>(plane)]; }

    /// All costs of what may change are multiples of this; 0: of nothing that is large enough.
    double cost_unit() const { return cost_unit_; }
    /// The least price of any change; infinite if nothing can change.
    double least_cost() const { return least_cost_; }

private:
    void find_cost_unit();
    void rank(int label) const;

    const Ensemble& ensemble_;
    const MoveSpace& space_;
    std::vector<char> is_free_;
    std::vector<int> integer_of_;
    std::vector<double> grids_;
    std::vector<Index> not_zero_;
    double cost_unit_ = 0.0;
    double least_cost_ = 0.0;
    struct Order {
        std::once_flag once;
        std::vector<Ranked> features;
        std::vector<double> weights;
    };
    mutable std::array<Order, 2> orders_;  ///< against -1 and against +1
};

}  // namespace redoubt
