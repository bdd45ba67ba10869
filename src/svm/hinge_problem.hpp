#pragma once

/// The one problem behind both SVMs, with weights scaled to sum to 1.
///
///     min over w, b   mu/2 ||w||_2^2 + sum_j c_j [t_j]_+
///     t_j = 1 - y_j (w'x_j + b) + r_j s,     s = ||S w||_q   (no s and no r in the plain SVM)
///
/// S is diagonal: what each feature may move at radius 1. It is the identity unless `scale` is set.
/// The solver works on z = (w, b) or (w, b, s), in which every t_j is affine: t = 1 + G z.

#include "linalg/kernels.hpp"
#include "redoubt/norm.hpp"
#include "redoubt/types.hpp"

namespace redoubt {

struct HingeProblem {
    kernels::Rows X{};
    Index m = 0;
    Vector y;         ///< -1 or +1, length m
    Vector c;         ///< >= 0, sum 1, length m
    Vector r;         ///< >= 0, length m; empty for the plain SVM
    Vector scale;     ///< the diagonal of S, >= 0; empty = all 1. Robust only.
    Norm norm{};      ///< the adversary's norm p; q is its dual
    double mu = 0.0;  ///< 0 only for the robust SVM: the least ||w||_2 among the optima is wanted
    int n_threads = 1;

    bool is_robust() const { return r.size() > 0; }
    Index n() const { return X.cols; }
    /// Length of z, and where b and s stand in it.
    Index n_variables() const { return n() + (is_robust() ? 2 : 1); }
    Index bias() const { return n(); }
    Index size() const { return n() + 1; }
    /// ||S w||_q.
    double size_of(const VectorRef& w) const {
        if (scale.size() == 0) return norm_value(dual(norm), w);
        return norm_value(dual(norm), scale.cwiseProduct(w));
    }
};

}  // namespace redoubt
