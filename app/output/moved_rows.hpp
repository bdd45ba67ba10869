#pragma once

/// Points after a move, in the units of the data.

#include "options/attack_choice.hpp"
#include "redoubt/moved_rows.hpp"

namespace redoubt::app {

/// The rows of `move_rows`; counts those whose answer was undone by rounding in `n_missed`.
PointSet printed_rows(const Model& model, const AttackChoice& rules, const PointsRef& raw,
                      const std::vector<RowMove>& moves, Index& n_missed);

/// Warns about them, if there are any.
void warn_of_missed(Index n_missed);

}  // namespace redoubt::app
