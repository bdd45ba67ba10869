#pragma once

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>
#include <vector>

#include "flip/group_members.hpp"
#include "redoubt/ensemble.hpp"
#include "search/plane_set.hpp"
#include "threat/move_space.hpp"

namespace redoubt {

/// A vote and the moves that threaten it, prepared once and shared by all points and threads.
struct ThreatPlanes {
    /// Both must outlive this.
    ThreatPlanes(const Ensemble& vote, const MoveSpace& moves, CountingRules how = {})
        : ensemble(vote),
          space(moves),
          rules(std::move(how)),
          planes(vote, moves, rules),
          useful_{std::vector<Useful>(moves.groups.size()),
                  std::vector<Useful>(moves.groups.size())} {
        Index next = 0;
        for (Index i = 0; i < vote.n_planes(); ++i) {
            const bool is_moved = next < planes.n_planes() && planes.index(next) == i;
            if (is_moved) ++next;
            if (!is_moved) still.push_back(static_cast<int>(i));
        }
    }
    ThreatPlanes(const ThreatPlanes&) = delete;
    ThreatPlanes& operator=(const ThreatPlanes&) = delete;

    Norm norm() const { return space.model->norm; }
    /// The exact answer of a plane of the ensemble, under the rules.
    int answer(int plane, const VectorRef& x) const {
        const auto w = ensemble.coef().row(plane).transpose();
        const double b = ensemble.intercept()[plane];
        return rules.answer_at_zero(plane) > 0 ? sign_of_plane(w, b, x) : -sign_of_plane(-w, -b, x);
    }
    /// The weight of a plane of the ensemble, in a count.
    Index weight(int plane, std::size_t count) const {
        return rules.weights.empty() ? ensemble.weight_units(plane)
                                     : rules.weights[count][static_cast<std::size_t>(plane)];
    }
    /// The planes that do not answer `label` at x, ascending.
    std::vector<int> fooled(const VectorRef& x, int label) const;
    /// The weight of planes, in each count.
    Amounts weight_of(const std::vector<int>& fooled) const;
    /// True if some plane is fooled by being touched.
    bool may_touch(int label) const {
        return label < 0 || std::any_of(rules.is_minus_at_zero.begin(), rules.is_minus_at_zero.end(),
                                        [](char is_minus) { return is_minus != 0; });
    }
    /// `useful_members` of a group, by its position in space.groups; computed when first needed.
    const UsefulMembers& useful(int label, std::size_t group) const {
        Useful& known = useful_[label > 0 ? 1 : 0][group];
        std::call_once(known.once, [&] {
            const auto at = static_cast<std::size_t>(space.groups[group]);
            known.found = useful_members(ensemble, space.model->one_hot[at], label);
        });
        return known.found;
    }
    /// Rounding errors in a plane's margin and in how moves change it.
    double n_roundings() const {
        return static_cast<double>(ensemble.n_features()) + (space.is_ball ? 4.0 : 8.0);
    }

    const Ensemble& ensemble;
    const MoveSpace& space;
    CountingRules rules;
    PlaneSet planes;
    /// Planes of the ensemble that no coordinate moves. Switches of groups may move them.
    std::vector<int> still;

private:
    struct Useful {
        std::once_flag once;
        UsefulMembers found;
    };
    /// Against -1 and against +1.
    mutable std::array<std::vector<Useful>, 2> useful_;
};

}  // namespace redoubt
