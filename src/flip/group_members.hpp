#pragma once

#include <vector>

#include "redoubt/attack_model.hpp"
#include "redoubt/ensemble.hpp"

namespace redoubt {

/// The members of a group worth switching to against `label`.
struct UsefulMembers {
    std::vector<int> members;  ///< ascending
    /// Of every member: the useful one that does at least as much at the same price; itself if it is
    /// one.
    std::vector<int> stand_in;
};

/// All but those that another one, at the same price whatever the member that is on, outdoes for
/// every plane at once. That is decided safely, whatever rounding does; of members that are alike
/// the first is kept.
UsefulMembers useful_members(const Ensemble& vote, const OneHotGroup& group, int label);

}  // namespace redoubt
