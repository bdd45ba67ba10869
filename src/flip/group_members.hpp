#pragma once

#include <vector>

#include "redoubt/attack_model.hpp"
#include "redoubt/ensemble.hpp"

namespace redoubt {

/// The members of a group worth switching to against `label`.
struct UsefulMembers {
    std::vector<int> members;  ///< ascending
    /// For every member: the useful one that does at least as much at the same price; itself if it
    /// is useful.
    std::vector<int> stand_in;
};

/// All members except those that another one, with equal prices from every member, beats on every
/// plane at once. The comparison is safe against rounding; of identical members the first is kept.
UsefulMembers useful_members(const Ensemble& vote, const OneHotGroup& group, int label);

}  // namespace redoubt
