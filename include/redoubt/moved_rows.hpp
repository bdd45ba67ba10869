#pragma once

/// Moves of points, computed in scaled features, as rows in the units of the data.

#include "redoubt/attack_model.hpp"
#include "redoubt/model.hpp"

#include <optional>
#include <vector>

namespace redoubt {

/// A move of one point: a step d in scaled features, empty if there is none, and the answer (as
/// given by Model::predict_all) that it must produce; empty if that does not matter.
struct RowMove {
    Vector step;
    std::optional<int> answer{};
    /// For a compressed point, the features that `step` holds, ascending, as in Certificate and
    /// Attack; empty if it holds all.
    std::vector<Index> features{};
};

struct MovedRows {
    /// One row per move, compressed if the points are; NaN or no entry for rows without a move.
    PointSet rows;
    /// Rows whose answer is wrong because of rounding to the units of the data.
    Index n_missed = 0;
};

/// raw + d * scale for every row of `raw`. The rows obey the attack model, which is in the units of
/// the data, exactly: integers are integers, members of groups are on or off, and what does not
/// move is the same to the last bit. Moves often end on the very edge of a plane, where rounding
/// decides: a row without the required answer is moved a little further, by at most 2^-30 of its
/// step. Throws InvalidInput if sizes do not match.
MovedRows move_rows(const Model& model, const AttackModel& attack_model, const PointsRef& raw,
                    const std::vector<RowMove>& moves);

}  // namespace redoubt
