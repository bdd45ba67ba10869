#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "search/plane_set.hpp"

namespace redoubt {

/// A move of one feature alone.
struct StraightMove {
    Index feature = 0;
    double side = 0.0;  ///< -1 or +1
    double length = 0.0;
    int plane = 0;       ///< the plane that is fooled last
    double speed = 0.0;  ///< of that plane: its gain per unit
};

/// The best move along an axis. An l1 adversary spends its budget on few features, so in l1 this is
/// often close to the best of all.
class StraightMoves {
public:
    explicit StraightMoves(const PlaneSet& planes)
        : planes_(planes), columns_(planes.W().transpose()) {}

    /// The shortest move, below the cutoff, that fools planes of weight `required_weight`. `room(l,
    /// side)` is how far feature l can move.
    template <typename Room>
    std::optional<StraightMove> best(const Vector& goal, Index required_weight, double cutoff,
                                     Room room) {
        std::optional<StraightMove> best;
        for (Index l = 0; l < planes_.n_features(); ++l) {
            for (double side : {-1.0, 1.0}) {
                const double way = std::min(cutoff, room(l, side));
                const int plane = last_plane(goal, required_weight, {l, side}, way);
                if (plane < 0) continue;
                const double speed = side * columns_(l, plane);
                cutoff = goal[plane] / speed;
                best = StraightMove{l, side, cutoff, plane, speed};
            }
        }
        return best;
    }

private:
    struct Axis {
        Index feature;
        double side;
    };
    struct Way {
        double length;
        int plane;
        bool operator<(const Way& other) const { return length < other.length; }
    };

    bool may_fool(const Vector& goal, Index required_weight, Axis axis, double cutoff) const;
    int last_plane(const Vector& goal, Index required_weight, Axis axis, double cutoff);
    int last_by_weight(Index required_weight, double cutoff);

    const PlaneSet& planes_;
    Matrix columns_;         ///< W, feature by feature
    std::vector<Way> ways_;  ///< how far the feature must move to fool each plane
};

}  // namespace redoubt
