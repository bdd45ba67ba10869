#include "output/moved_rows.hpp"

#include <string>
#include <utility>

#include "output/messages.hpp"

namespace redoubt::app {

Matrix printed_rows(const Model& model, const AttackChoice& rules, const Matrix& raw,
                    const std::vector<RowMove>& moves) {
    MovedRows moved = move_rows(model, rules.model, raw, moves);
    if (moved.n_missed > 0) {
        warn(std::to_string(moved.n_missed) +
             " moved rows keep their answer because of rounding to the units of the data");
    }
    return std::move(moved.rows);
}

}  // namespace redoubt::app
