#include "attack/relaxed_planes.hpp"

#include <cmath>

namespace redoubt {

RelaxedPlanes::RelaxedPlanes(const Ensemble& planes, Norm p) : ensemble(&planes), norm(p) {
    if (planes.is_weighted()) weighted = planes.weights().asDiagonal() * planes.coef();
    const Matrix& W = this->W();
    const double largest = W.cwiseAbs().maxCoeff();
    if (largest > 0.0) unit = std::ldexp(1.0, std::ilogb(largest));
    size.resize(W.rows());
    const Norm q = dual(norm);
    for (Index i = 0; i < W.rows(); ++i) size[i] = norm_value(q, W.row(i).transpose()) / unit;
    if (norm == Norm::L2) {
        const Matrix scaled = W / unit;
        gram.noalias() = scaled * scaled.transpose();
    }
}

}  // namespace redoubt
