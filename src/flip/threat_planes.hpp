#pragma once

#include <array>
#include <vector>

#include "flip/group_members.hpp"
#include "redoubt/ensemble.hpp"
#include "search/plane_set.hpp"
#include "threat/move_space.hpp"

namespace redoubt {

/// A vote and the moves that threaten it, prepared once and shared by all points and threads.
struct ThreatPlanes {
    /// Both must outlive this.
    ThreatPlanes(const Ensemble& vote, const MoveSpace& moves)
        : ensemble(vote), space(moves), planes(vote, moves) {
        Index next = 0;
        for (Index i = 0; i < vote.n_planes(); ++i) {
            const bool is_moved = next < planes.n_planes() && planes.index(next) == i;
            if (is_moved) ++next;
            if (!is_moved) still.push_back(static_cast<int>(i));
        }
        for (int group : moves.groups) {
            const OneHotGroup& one = moves.model->one_hot[static_cast<std::size_t>(group)];
            for (int label : {-1, 1}) {
                useful[label > 0 ? 1 : 0].push_back(useful_members(vote, one, label));
            }
        }
    }
    ThreatPlanes(const ThreatPlanes&) = delete;
    ThreatPlanes& operator=(const ThreatPlanes&) = delete;

    Norm norm() const { return space.model->norm; }
    /// Roundings in a plane's margin and in how moves change it.
    double n_roundings() const {
        return static_cast<double>(ensemble.n_features()) + (space.is_ball ? 4.0 : 8.0);
    }

    const Ensemble& ensemble;
    const MoveSpace& space;
    PlaneSet planes;
    /// Planes of the ensemble that no coordinate moves. Switches of groups may.
    std::vector<int> still;
    /// Against -1 and against +1, by the place of the group in space.groups: `useful_members`.
    std::array<std::vector<std::vector<int>>, 2> useful;
};

}  // namespace redoubt
