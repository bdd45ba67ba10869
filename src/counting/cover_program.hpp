#pragma once

/// What changes must cost at least: the linear program behind every bound of the search in l0.
///
///     min c'x   over   sum_j g_ij x_j >= m_i  for the rows i,   lo <= x <= hi
///
/// Rows are planes to fool, columns are changes of the point. Any multipliers lambda >= 0 prove
///
///     c'x >= lambda'm + sum_j min over lo <= x_j <= hi of (c_j - lambda'g_j) x_j
///
/// so that a bound needs no trust in the simplex method that found them.

#include <vector>

namespace redoubt {

/// Where a solution stands: enough to go on from there with another row or another bound.
struct CoverBasis {
    std::vector<int> basic;         ///< by row: a column, or -1 - (the row of a surplus)
    std::vector<char> is_at_upper;  ///< by column, as far as columns were known
};

/// Bounds and costs of the columns; what a node of the search changes.
struct CoverColumns {
    std::vector<double> lo;
    std::vector<double> hi;
    std::vector<double> cost;
};

/// Keeps its memory from call to call. One per thread.
class CoverProgram {
public:
    /// Forgets all columns; `n_planes` gains each from now on.
    void clear(int n_planes);
    /// g of one more column, one number per plane.
    void add_column(const double* gains);
    int n_columns() const { return n_columns_; }
    /// Of a column, by plane.
    const double* gains(int column) const {
        return gains_.data() + static_cast<std::size_t>(column) * static_cast<std::size_t>(k_);
    }
    /// Of a plane: the sum of the sizes of its gains.
    double magnitude(int plane) const { return magnitudes_[static_cast<std::size_t>(plane)]; }
    /// Of a plane, by column.
    const std::vector<double>& gains_of_plane(int plane) const {
        return by_plane_[static_cast<std::size_t>(plane)];
    }

    enum class Outcome { Solved, Infeasible, Unfinished };

    /// Dual simplex method with bound flipping, from `basis` (which may have fewer rows than there
    /// are now) and back into it. `margins` has one number per plane. Stops early when the bound
    /// exceeds `cutoff`.
    Outcome solve(const std::vector<int>& rows, const std::vector<double>& margins,
                  const CoverColumns& columns, double cutoff, CoverBasis& basis);

    /// Of the last solve. A lower bound on c'x, whatever the outcome, with its roundings taken off;
    /// for Infeasible it is infinite, if the multipliers prove that.
    double bound() const { return bound_; }
    /// The multipliers, by row, >= 0.
    const std::vector<double>& multipliers() const { return lambda_; }
    /// Their sum, by which columns that are not here are judged.
    double multiplier_sum() const;
    /// The solution, one number per column.
    const std::vector<double>& x() const { return x_; }

private:
    double safe_bound(bool has_costs);
    double likely_bound() const;
    void add_rows(const std::vector<double>& factors, std::vector<double>& sum) const;
    bool factor(CoverBasis& basis);
    void start_with_surplus(CoverBasis& basis);
    void compute_duals(const CoverBasis& basis);
    void compute_basics(const CoverBasis& basis);
    double resting_value(const CoverBasis& basis, int column) const;
    int leaving_row(const CoverBasis& basis, bool& is_below) const;
    enum class Step { Done, Ray, Stuck };
    Step pivot(CoverBasis& basis, int row, bool is_below);
    double inverse(int i, int j) const { return inverse_[at(i, j)]; }
    std::size_t at(int i, int j) const {
        return static_cast<std::size_t>(i) * rows_.size() + static_cast<std::size_t>(j);
    }
    double gain(int column, int row) const {
        return gains(column)[rows_[static_cast<std::size_t>(row)]];
    }
    int n_rows() const { return static_cast<int>(rows_.size()); }

    int k_ = 0;
    int n_columns_ = 0;
    std::vector<double> gains_;                  ///< column by column
    std::vector<std::vector<double>> by_plane_;  ///< the same, plane by plane
    std::vector<double> magnitudes_;             ///< by plane: the sum of |g|

    std::vector<int> rows_;
    std::vector<double> wanted_;  ///< m by row
    const CoverColumns* columns_ = nullptr;
    std::vector<double> inverse_;
    std::vector<double> dual_;     ///< by row, of any sign
    std::vector<double> reduced_;  ///< c_j - dual'g_j
    std::vector<double> basics_;   ///< values of the basic variables
    std::vector<double> lambda_;
    std::vector<double> x_;
    std::vector<char> is_basic_;
    std::vector<double> work_;
    std::vector<double> factors_;
    std::vector<double> products_;  ///< by column
    struct Ratio {
        double ratio;
        double slope;
        int variable;
    };
    std::vector<Ratio> ratios_;
    double bound_ = 0.0;
};

}  // namespace redoubt
