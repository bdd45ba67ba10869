#include "output/moved_rows.hpp"

#include <string>
#include <utility>

#include "output/messages.hpp"

namespace redoubt::app {

PointSet printed_rows(const Model& model, const AttackChoice& rules, const PointsRef& raw,
                    const std::vector<RowMove>& moves, Index& n_missed) {
    MovedRows moved = move_rows(model, rules.model, raw, moves);
    n_missed += moved.n_missed;
    return std::move(moved.rows);
}

void warn_of_missed(Index n_missed) {
    if (n_missed == 0) return;
    warn(std::to_string(n_missed) +
         " moved rows keep their answer because of rounding to the units of the data");
}

}  // namespace redoubt::app
