#pragma once

/// Points after a move, in the units of the data.

#include "options/attack_choice.hpp"
#include "redoubt/moved_rows.hpp"

namespace redoubt::app {

/// The rows of `move_rows`; a warning counts those whose answer rounding has changed back.
Matrix printed_rows(const Model& model, const AttackChoice& rules, const Matrix& raw,
                    const std::vector<RowMove>& moves);

}  // namespace redoubt::app
