#include "redoubt/moved_rows.hpp"

#include <limits>

#include "core/check.hpp"
#include "explain/raw_move.hpp"

namespace redoubt {

MovedRows move_rows(const Model& model, const AttackModel& attack_model, const MatrixRef& raw,
                    const std::vector<RowMove>& moves) {
    check_length("moves", static_cast<Index>(moves.size()), raw.rows());
    const Index n = model.ensemble().n_features();
    if (raw.cols() != n) {
        throw InvalidInput("raw", std::to_string(n) + " columns", std::to_string(raw.cols()));
    }
    const RawMover mover(model, attack_model);
    MovedRows moved{Matrix::Constant(raw.rows(), n, std::numeric_limits<double>::quiet_NaN())};
    Vector row;
    for (Index j = 0; j < raw.rows(); ++j) {
        const RowMove& move = moves[static_cast<std::size_t>(j)];
        if (move.step.size() == 0) continue;
        check_length("step", move.step.size(), n);
        if (!mover.move(raw.row(j).transpose(), move.step, move.answer, row)) ++moved.n_missed;
        moved.rows.row(j) = row.transpose();
    }
    return moved;
}

}  // namespace redoubt
