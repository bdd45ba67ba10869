#include "moved_rows.hpp"

#include <limits>
#include <string>

#include "messages.hpp"

namespace redoubt::app {
namespace {

/// The first stretch that is tried: a few units in the last place.
constexpr double kFirstStretch = 0x1p-50;

/// One row into `moved`; false if its answer is not the one wanted.
bool move_row(const Model& model, const Matrix& raw, const Move& move, Matrix& moved, Index row) {
    const auto place = [&](double stretch) {
        moved.row(row) = raw.row(row) + model.to_raw_units((1.0 + stretch) * move.step.transpose());
        if (move.answer == 0 || !moved.row(row).allFinite()) return move.answer == 0;
        return model.predict_all(moved.row(row))[0] == move.answer;
    };
    if (place(0.0)) return true;
    for (double stretch = kFirstStretch; stretch <= kMaxStretch; stretch *= 4.0) {
        if (place(stretch)) return true;
    }
    place(0.0);
    return false;
}

}  // namespace

Matrix move_rows(const Model& model, const Matrix& raw, const std::vector<Move>& moves) {
    Matrix moved =
        Matrix::Constant(raw.rows(), raw.cols(), std::numeric_limits<double>::quiet_NaN());
    int n_undone = 0;
    for (Index j = 0; j < raw.rows(); ++j) {
        const Move& move = moves[static_cast<std::size_t>(j)];
        if (move.step.size() == 0) continue;
        if (!move_row(model, raw, move, moved, j)) ++n_undone;
    }
    if (n_undone > 0) {
        warn(std::to_string(n_undone) +
             " moved rows keep their answer because of rounding to the units of the data");
    }
    return moved;
}

}  // namespace redoubt::app
