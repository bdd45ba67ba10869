#pragma once

/// Points after a move, in the units of the data.

#include <vector>

#include "options/attack_choice.hpp"
#include "redoubt/model.hpp"

namespace redoubt::app {

/// A move of one point: a step d in scaled features, empty if there is none, and the answer (-1 or
/// +1) that it brings about; 0 if it does not matter.
struct Move {
    Vector step;
    int answer = 0;
};

/// raw + d * scale, one row per move; NaN where there is none. The rows obey the attack model to
/// the letter: whole numbers are whole, and what does not move is the same to the last bit.
/// A move often ends on the very edge of a plane, where rounding decides. A row whose answer is not
/// the one it should be is therefore moved a little further; a warning counts the rows for which
/// that is not enough.
Matrix move_rows(const Model& model, const AttackChoice& rules, const Matrix& raw,
                 const std::vector<Move>& moves);

}  // namespace redoubt::app
