#pragma once

/// Points after a move, in the units of the data.

#include "options/attack_choice.hpp"
#include "redoubt/moved_rows.hpp"

namespace redoubt::app {

/// The rows of `move_rows`; those whose answer rounding has changed back are added to `n_missed`.
PointSet printed_rows(const Model& model, const AttackChoice& rules, const PointsRef& raw,
                    const std::vector<RowMove>& moves, Index& n_missed);

/// A warning, if there are any.
void warn_of_missed(Index n_missed);

}  // namespace redoubt::app
