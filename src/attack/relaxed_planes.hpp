#pragma once

/// What the relaxed adversary needs to know about an ensemble, computed once for all points.

#include "redoubt/ensemble.hpp"
#include "redoubt/norm.hpp"

namespace redoubt {

struct RelaxedPlanes {
    RelaxedPlanes(const Ensemble& ensemble, Norm norm);

    const Ensemble* ensemble;
    /// The planes' normals, multiplied by alpha_i in a weighted vote: alpha [c + a'd]_+ = [alpha c
    /// + alpha a'd]_+. Below, w_i is its row.
    const Matrix& W() const { return weighted.size() > 0 ? weighted : ensemble->coef(); }
    Matrix weighted{};
    Norm norm;
    /// A power of two near the largest coefficient. The search sees w_i / unit and r * unit, so
    /// that no square overflows or vanishes.
    double unit = 1.0;
    /// ||w_i||_q / unit, not rounded in any particular way.
    Vector size;
    /// w_i'w_j / unit^2; L2 only.
    Matrix gram;
};

}  // namespace redoubt
