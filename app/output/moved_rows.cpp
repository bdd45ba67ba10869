#include "output/moved_rows.hpp"

#include <limits>
#include <string>

#include "explain/raw_move.hpp"
#include "output/messages.hpp"

namespace redoubt::app {

Matrix move_rows(const Model& model, const AttackChoice& rules, const Matrix& raw,
                 const std::vector<Move>& moves) {
    const RawMover mover(model, rules.model);
    Matrix moved =
        Matrix::Constant(raw.rows(), raw.cols(), std::numeric_limits<double>::quiet_NaN());
    Vector row;
    int n_undone = 0;
    for (Index j = 0; j < raw.rows(); ++j) {
        const Move& move = moves[static_cast<std::size_t>(j)];
        if (move.step.size() == 0) continue;
        if (!mover.move(raw.row(j).transpose(), move.step, move.answer, row)) ++n_undone;
        moved.row(j) = row.transpose();
    }
    if (n_undone > 0) {
        warn(std::to_string(n_undone) +
             " moved rows keep their answer because of rounding to the units of the data");
    }
    return moved;
}

}  // namespace redoubt::app
