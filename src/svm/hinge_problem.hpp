#pragma once

/// The one problem behind both SVMs, with weights scaled to sum to 1:
///
///     min over w, b   mu/2 ||w||_2^2 + sum_j c_j [1 - y_j (w'x_j + b) + h_j(-y_j w)]_+ ,
///     h_j(g) = max { g'd : d is a move of x_j that the threat allows, of size at most r_j } .
///
/// The plain SVM has no adversary, so h = 0. Against a ball with the diagonal scales S, which are
/// what each feature may move at radius 1, h_j(g) = r_j ||S g||_q.

#include "linalg/kernels.hpp"
#include "redoubt/svm.hpp"
#include "svm/sample_rows.hpp"

namespace redoubt {

/// Rows packed at once before they are multiplied out: the panel stays in the second-level cache.
inline constexpr Index kPanelRows = 256;

/// Up to so many features a factorisation in all of them is over before anything else would pay.
inline constexpr Index kMostNarrowColumns = 200;

struct HingeProblem {
    /// Without an adversary and with mu = 0. Throws InvalidInput unless the data are what SvmData
    /// asks for. X must outlive this.
    explicit HingeProblem(const SvmData& data);

    /// `model` has been checked with the data, and `radii` (one for all points or one each) with
    /// check_radii.
    void set_threat(AttackModel model, const VectorRef& radii);

    SampleRows rows;  ///< the points, compressed where they come so or where that pays
    Index m = 0;
    Vector y;                   ///< -1 or +1, length m
    Vector c;                   ///< >= 0, sum 1, length m
    double total_weight = 0.0;  ///< the caller's weights are this times c
    Vector mean;                ///< of the features, weighted
    /// Weighted mean square of x - mean: the square of a typical length in X. Never 0.
    double mean_square = 0.0;

    Vector r;  ///< >= 0, length m, 0 for points that do not move; empty when none moves
    /// What the adversary may do. Its class is in r already, and a scale of 1 for all is empty.
    AttackModel threat{};
    GivenMoves given{};  ///< of points whose moves do not follow from the threat
    double mu = 0.0;  ///< 0 only for the robust SVM: the least ||w||_2 among the optima is wanted
    int n_threads = 1;
    /// See `is_wide`; less, so that few features will do, is for tests.
    Index most_narrow_columns = kMostNarrowColumns;

    Index n() const { return rows.n_cols(); }
    Vector x(Index j) const;
    bool is_given(Index j) const { return !given.start.empty() && j >= given.first; }
    bool is_robust() const { return r.size() > 0; }
    /// So many features that a Newton step in all of them is a matter of n^3.
    bool is_wide() const { return n() > most_narrow_columns; }
    /// The threat is a ball, scaled or not, or no threat at all.
    bool is_ball() const;
};

}  // namespace redoubt
