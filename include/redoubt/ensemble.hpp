#pragma once

/// Planes and their vote: the one definition of an answer that training, prediction, attack and
/// certificate share.
///
///     plane i votes  sgn(w_i'x + b_i),      the ensemble answers  sgn( sum_i sgn(w_i'x + b_i) )
///
/// with sgn(0) = +1 in both places, so a tie among an even number of planes gives +1.

#include "redoubt/types.hpp"

#include <vector>

namespace redoubt {

/// Sign of w'x + b as if computed without any rounding; +1 for an exact zero.
/// A floating-point filter decides almost always; the rest is settled in exact arithmetic.
/// All numbers must be finite.
int sign_of_plane(const VectorRef& w, double b, const VectorRef& x);

struct Hyperplane {
    Vector w;
    double b = 0.0;
};

/// k >= 1 planes in R^n that vote. Immutable once built, so it can be shared between threads.
class Ensemble {
public:
    /// `coef` is k x n with one plane per row, `intercept` has length k; all finite, k >= 1, n
    /// >= 1. Throws InvalidInput otherwise.
    Ensemble(Matrix coef, Vector intercept);
    explicit Ensemble(const Hyperplane& plane);
    /// Throws InvalidInput when `planes` is empty or the planes differ in length.
    explicit Ensemble(const std::vector<Hyperplane>& planes);

    Index n_planes() const noexcept { return coef_.rows(); }
    Index n_features() const noexcept { return coef_.cols(); }
    const Matrix& coef() const noexcept { return coef_; }
    const Vector& intercept() const noexcept { return intercept_; }

    /// w_i'x + b_i for every plane, in floating point: for distances, not for answers.
    Vector margins(const VectorRef& x) const;

    /// sgn(w_i'x + b_i) for every plane, exact.
    Eigen::VectorXi answers(const VectorRef& x) const;

    /// The sum of the answers, between -k and k.
    int vote(const VectorRef& x) const;

    /// The answer at x, -1 or +1.
    int predict(const VectorRef& x) const { return vote(x) >= 0 ? 1 : -1; }

    /// The same for every row of X. Throws InvalidInput when X has another number of columns or a
    /// value that is not finite. `n_threads` = 0 uses every core; the result does not depend on it.
    Eigen::VectorXi votes(const MatrixRef& X, int n_threads = 1) const;
    Eigen::VectorXi predict_all(const MatrixRef& X, int n_threads = 1) const;

private:
    template <typename Take>
    void for_each_answer(const VectorRef& x, Take take) const;

    Matrix coef_;
    Vector intercept_;
    Vector size_;  ///< ||w_i||_2, rounded up a little
};

}  // namespace redoubt
