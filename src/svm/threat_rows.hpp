#pragma once

/// Points with the moves that have been found for them: the rows of a hinge problem against a
/// threat, in groups of one per point.
///
///     row (j, c):   t_jc = 1 - y_j (w'(x_j + d_jc) + b) + half_j's
///
/// The first row of a group has d = 0 (in the part that is moved by rows). `half` and s are there
/// for sets that are boxes: a box with the ends [-p, q] adds  (q - p)/2 (-y_j w) + (q + p)/2 |w|,
/// which is linear in w and s = |w|. z is (w, s, b); s has length n or 0.
/// Features are centred on their weighted mean, which only moves the bias.

#include <vector>

#include "svm/large_cholesky.hpp"
#include "svm/threat_oracle.hpp"

namespace redoubt {

/// A move to be added to a group, with the multiplier to begin with.
struct NewRow {
    Index group = 0;
    Vector d;
    double a = 0.0;
};

/// Rows of a group whose multipliers are free to move; with `is_capped` their sum is 1 and stays 1.
struct FreeGroup {
    Index group = 0;
    std::size_t begin = 0;  ///< in the list of free rows
    std::size_t end = 0;
    bool is_capped = false;
};

class ThreatRows {
public:
    /// Groups are the points of positive weight, in their order. `boxes` must outlive this.
    ThreatRows(const HingeProblem& problem, const ThreatBoxes& boxes);

    Index n_groups() const { return static_cast<Index>(points_.size()); }
    Index n_rows() const { return start_.back(); }
    Index begin(Index group) const { return start_[static_cast<std::size_t>(group)]; }
    Index end(Index group) const { return start_[static_cast<std::size_t>(group) + 1]; }
    Index point(Index group) const { return points_[static_cast<std::size_t>(group)]; }
    double weight(Index group) const { return problem_.c[point(group)]; }
    double label(Index group) const { return problem_.y[point(group)]; }
    /// The weight of every row's point.
    const Vector& weights() const { return weights_; }

    Index n_boxed() const { return boxes_.empty() ? 0 : problem_.n(); }
    Index n_variables() const { return bias() + 1; }
    Index bias() const { return problem_.n() + n_boxed(); }

    /// How far the row's move is from d, squared.
    double squared_distance(Index row, Index group, const Vector& d) const;

    /// out = G z: t is 1 + this.
    void multiply(const Vector& z, Vector& out) const;
    /// out = G'alpha, one alpha per row.
    void multiply_transposed(const Vector& alpha, Vector& out);
    /// H = 1/eps sum over the free groups of c (the sum of g g' over their free rows, g centred on
    /// their mean where the group is capped): upper triangle of the leading n_variables, H square
    /// with kernels::padded(n_variables) rows.
    void gram(const std::vector<FreeGroup>& groups, const std::vector<int>& free_rows, double eps,
              Matrix& H);

    /// The same for many variables. False when stopped.
    bool gram(const std::vector<FreeGroup>& groups, const std::vector<int>& free_rows, double eps,
              LargeCholesky& H) const;

    /// Adds rows, at most one per group and in the order of groups, as the last of their groups;
    /// takes out those marked in `is_dropped` (one mark per row, never the first of a group). The
    /// vectors `followers`, one number per row, follow; new rows get 0.
    void update(const std::vector<NewRow>& added, const std::vector<char>& is_dropped,
                const std::vector<Vector*>& followers);

    /// The mean of the free rows of a group that is capped; else 0.
    Vector centre_of(const FreeGroup& free, const std::vector<int>& free_rows) const;
    /// out = sqrt(c / eps) (row - centre), n_variables numbers.
    void pack_row(const FreeGroup& free, int row, const Vector& centre, double eps,
                  double* out) const;

private:
    void write_row(Index group, const Vector& d, double* out) const;
    void set_signs_and_weights();

    const HingeProblem& problem_;
    const ThreatBoxes& boxes_;
    std::vector<Index> points_;
    std::vector<Index> start_{0};
    /// -y (x + middle + d - mean), then half.
    Matrix rows_;
    Vector signs_;  ///< -y of the row's point
    Vector weights_;
    std::vector<double> panel_;
    std::vector<int> used_;
    std::vector<double> coef_;
};

}  // namespace redoubt
