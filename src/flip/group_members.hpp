#pragma once

#include <vector>

#include "redoubt/attack_model.hpp"
#include "redoubt/ensemble.hpp"

namespace redoubt {

/// The members of a group worth switching to against `label`, ascending: all but those that another
/// one, at the same price whatever the member that is on, outdoes for every plane at once. That is
/// decided safely, whatever rounding does; of members that are alike the first is kept.
std::vector<int> useful_members(const Ensemble& vote, const OneHotGroup& group, int label);

}  // namespace redoubt
