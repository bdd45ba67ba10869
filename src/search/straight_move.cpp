#include "search/straight_move.hpp"

#include <algorithm>
#include <limits>

namespace redoubt {

/// Can enough planes be fooled before the cutoff? Most axes fail here, without a branch.
bool StraightMoves::may_fool(const Vector& goal, Index required_weight, Axis axis,
                             double cutoff) const {
    if (!planes_.is_majority()) return true;
    const double* slopes = columns_.data() + axis.feature * columns_.cols();
    const double factor = axis.side * std::min(cutoff, std::numeric_limits<double>::max());
    Index n_fooled = 0;
    for (Index i = 0; i < columns_.cols(); ++i) n_fooled += goal[i] <= factor * slopes[i] ? 1 : 0;
    return n_fooled >= required_weight;
}

/// The plane that completes the weight `required_weight` of fooled ones on the axis; -1 when that
/// takes the cutoff or more.
int StraightMoves::last_plane(const Vector& goal, Index required_weight, Axis axis, double cutoff) {
    if (!may_fool(goal, required_weight, axis, cutoff)) return -1;
    ways_.clear();
    for (Index i = 0; i < planes_.n_planes(); ++i) {
        const double speed = axis.side * columns_(axis.feature, i);
        if (goal[i] <= 0.0 && speed >= 0.0) {
            required_weight -= planes_.weight(i);
        } else if (goal[i] > 0.0 && goal[i] < cutoff * speed) {
            ways_.push_back({goal[i] / speed, static_cast<int>(i)});
        }
    }
    if (required_weight < 1) return -1;
    if (!planes_.is_majority()) return last_by_weight(required_weight, cutoff);
    if (static_cast<Index>(ways_.size()) < required_weight) return -1;
    const auto last = ways_.begin() + (required_weight - 1);
    std::nth_element(ways_.begin(), last, ways_.end());
    return last->length < cutoff ? last->plane : -1;
}

/// Of the ways in order, the one at which the weight is complete.
int StraightMoves::last_by_weight(Index required_weight, double cutoff) {
    std::sort(ways_.begin(), ways_.end());
    for (const Way& way : ways_) {
        required_weight -= planes_.weight(way.plane);
        if (required_weight <= 0) return way.length < cutoff ? way.plane : -1;
    }
    return -1;
}

}  // namespace redoubt
