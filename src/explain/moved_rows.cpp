#include "redoubt/moved_rows.hpp"

#include <limits>

#include "core/check.hpp"
#include "explain/raw_move.hpp"

namespace redoubt {

namespace {

/// In all features.
Vector whole_step(const RowMove& move, Index n) {
    if (move.features.empty()) {
        check_length("step", move.step.size(), n);
        return move.step;
    }
    check_length("step", move.step.size(), static_cast<Index>(move.features.size()));
    Vector step = Vector::Zero(n);
    for (std::size_t i = 0; i < move.features.size(); ++i) {
        const Index feature = move.features[i];
        if (feature < 0 || feature >= n) {
            throw InvalidInput("features", "numbers from 0 to " + std::to_string(n - 1),
                               std::to_string(feature));
        }
        step[feature] = move.step[static_cast<Index>(i)];
    }
    return step;
}

/// Ends the last row of `rows` with the entries of x that are not 0.
void add_row(SparseMatrix& rows, const Vector& x) {
    for (Index l = 0; l < x.size(); ++l) {
        if (x[l] != 0.0) rows.push_back(l, x[l]);
    }
    rows.end_row();
}

}  // namespace

MovedRows move_rows(const Model& model, const AttackModel& attack_model, const PointsRef& raw,
                    const std::vector<RowMove>& moves) {
    check_length("moves", static_cast<Index>(moves.size()), raw.rows());
    const Index n = model.ensemble().n_features();
    if (raw.cols() != n) {
        throw InvalidInput("raw", std::to_string(n) + " columns", std::to_string(raw.cols()));
    }
    const RawMover mover(model, attack_model);
    MovedRows moved;
    Matrix dense;
    SparseMatrix sparse(n);
    if (!raw.is_sparse())
        dense = Matrix::Constant(raw.rows(), n, std::numeric_limits<double>::quiet_NaN());
    Vector row;
    for (Index j = 0; j < raw.rows(); ++j) {
        const RowMove& move = moves[static_cast<std::size_t>(j)];
        if (move.step.size() == 0) {
            if (raw.is_sparse()) sparse.end_row();
            continue;
        }
        const Vector step = whole_step(move, n);
        if (!mover.move(raw.row(j).to_dense(), step, move.answer, row)) ++moved.n_missed;
        if (raw.is_sparse()) {
            add_row(sparse, row);
        } else {
            dense.row(j) = row.transpose();
        }
    }
    moved.rows = raw.is_sparse() ? PointSet(std::move(sparse)) : PointSet(std::move(dense));
    return moved;
}

}  // namespace redoubt
