#include "svm/attack_bounds.hpp"

namespace redoubt {

AttackBounds measure_bounds(const GroupedHinge& stage, const MoveRows& rows,
                            const WorstMoves& worst, double mu) {
    const Index n = rows.n();
    const auto w = stage.z().head(n);
    AttackBounds bounds;
    for (Index group = 0; group < rows.n_groups(); ++group) {
        const Index j = rows.point(group);
        double known = 0.0;
        for (Index row = rows.begin(group); row < rows.end(group); ++row)
            known = std::max(known, stage.t()[row]);
        // The first row has d = 0, but its box is in it.
        double plain = stage.t()[rows.begin(group)];
        if (!worst.boxes().empty()) {
            plain += rows.label(group) * worst.boxes().middle.row(j).dot(w) -
                     worst.boxes().half.row(j).dot(stage.z().segment(n, n));
        }
        const double hinge = std::max(0.0, plain + worst.gain()[j]);
        bounds.hinge += rows.weight(group) * hinge;
        bounds.missed += rows.weight(group) * std::max(0.0, hinge - known);
    }
    bounds.primal = bounds.hinge + 0.5 * mu * w.squaredNorm();
    measure_dual(stage, rows, mu, bounds);
    return bounds;
}

void measure_dual(const GroupedHinge& stage, const MoveRows& rows, double mu,
                  AttackBounds& bounds) {
    const Index n = rows.n();
    bounds.dual = bounds.multipliers = bounds.distance = 0.0;
    double plus = 0.0;
    double minus = 0.0;
    for (Index group = 0; group < rows.n_groups(); ++group) {
        (rows.label(group) > 0.0 ? plus : minus) +=
            rows.weight(group) * stage.group_multiplier(group);
    }
    const double lighter = std::min(plus, minus);
    if (lighter <= 0.0) return;
    Vector alpha(rows.n_rows());
    for (Index group = 0; group < rows.n_groups(); ++group) {
        const double share = lighter / (rows.label(group) > 0.0 ? plus : minus);
        for (Index row = rows.begin(group); row < rows.end(group); ++row)
            alpha[row] = share * rows.weight(group) * stage.a()[row];
    }
    Vector image;
    rows.multiply_transposed(alpha, image);
    Vector rest = image.head(n);
    if (rows.n_boxed() > 0) rest = (rest.cwiseAbs() - image.segment(n, n)).cwiseMax(0.0);
    bounds.multipliers = 2.0 * lighter;
    bounds.distance = rest.norm();
    const double loss =
        mu > 0.0 ? 0.5 * rest.squaredNorm() / mu : 2.0 * stage.z().head(n).norm() * bounds.distance;
    bounds.dual = std::max(0.0, bounds.multipliers - loss);
}

}  // namespace redoubt
