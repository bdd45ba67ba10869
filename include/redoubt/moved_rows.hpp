#pragma once

/// Moves of points, which are computed in scaled features, as rows in the units of the data.

#include "redoubt/attack_model.hpp"
#include "redoubt/model.hpp"

#include <optional>
#include <vector>

namespace redoubt {

/// A move of one point: a step d in scaled features, empty if there is none, and the answer (as
/// Model::predict_all has it) that it brings about; nothing if it does not matter.
struct RowMove {
    Vector step;
    std::optional<int> answer{};
    /// Of a compressed point: the features that `step` holds, ascending, as in Certificate and
    /// Attack; empty if it holds all.
    std::vector<Index> features{};
};

struct MovedRows {
    /// One row per move, compressed if the points are; where there is none, NaN or no entry.
    PointSet rows;
    /// Rows that are not answered as they should be because of rounding to the units of the data.
    Index n_missed = 0;
};

/// raw + d * scale for every row of `raw`. The rows obey the attack model, which is in the units of
/// the data, to the letter: integers are integers, members of groups are on or off, and what does
/// not move is the same to the last bit. A move often ends on the very edge of a plane, where
/// rounding decides: a row whose answer is not the one it should be is moved a little further, by
/// at most 2^-30 of its step. Throws InvalidInput where sizes do not fit.
MovedRows move_rows(const Model& model, const AttackModel& attack_model, const PointsRef& raw,
                    const std::vector<RowMove>& moves);

}  // namespace redoubt
