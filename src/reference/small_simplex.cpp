#include "reference/small_simplex.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace redoubt::mip {

namespace {

/// Data of size 1 leave errors of about 1e-18 after some dozens of pivots; what is smaller than
/// this is taken as zero.
constexpr Real kZero = 1e-16L;
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

/// Rows  x_B + T x_N = beta  over all columns (variables, then slacks). A variable that sits at its
/// upper bound is replaced by its distance from it (`flipped`), so that every nonbasic one is zero.
class Tableau {
public:
    explicit Tableau(const SmallLp& lp)
        : n_(lp.A.cols()),
          rows_(lp.A.rows()),
          T_(RealMatrix::Zero(rows_, n_ + rows_)),
          beta_(lp.b),
          cost_(RealVector::Zero(n_ + rows_)),
          upper_(RealVector::Constant(n_ + rows_, kInfinity)),
          flipped_(n_ + rows_, false),
          basic_(rows_),
          in_basis_(n_ + rows_, false) {
        T_.leftCols(n_) = lp.A;
        cost_.head(n_) = lp.c;
        upper_.head(n_) = lp.upper;
        for (Index i = 0; i < rows_; ++i) {
            T_(i, n_ + i) = 1;
            basic_[i] = n_ + i;
            in_basis_[n_ + i] = true;
        }
    }

    Index entering(bool bland) const {
        Index best = -1;
        for (Index j = 0; j < cost_.size(); ++j) {
            if (in_basis_[j] || cost_[j] <= kZero || upper_[j] == 0) continue;
            if (best < 0 || cost_[j] > cost_[best]) best = j;
            if (bland) return j;
        }
        return best;
    }

    /// Lets column j grow as far as it can. Returns how far; infinity when nothing stops it.
    Real advance(Index j, bool bland) {
        Real step = upper_[j];
        Index row = -1;
        for (Index i = 0; i < rows_; ++i) {
            const Real alpha = T_(i, j);
            Real room = kInfinity;
            if (alpha > kZero) room = std::max<Real>(0, beta_[i]) / alpha;
            if (alpha < -kZero) room = std::max<Real>(0, upper_[basic_[i]] - beta_[i]) / -alpha;
            if (room == kInfinity || room > step) continue;
            if (room == step && row >= 0 && !preferred(i, row, j, bland)) continue;
            step = room;
            row = i;
        }
        if (step == kInfinity) return step;
        if (row < 0) {
            flip_column(j);
            return step;
        }
        if (T_(row, j) < 0) flip_row(row);
        pivot(row, j);
        return step;
    }

    RealVector point() const {
        RealVector x = RealVector::Zero(cost_.size());
        for (Index i = 0; i < rows_; ++i) x[basic_[i]] = beta_[i];
        for (Index j = 0; j < x.size(); ++j) {
            if (flipped_[j]) x[j] = upper_[j] - x[j];
        }
        return x.head(n_);
    }

    Index size() const { return cost_.size(); }

private:
    /// Among equal steps: the lowest index against cycling, otherwise the largest pivot.
    bool preferred(Index i, Index row, Index j, bool bland) const {
        if (bland) return basic_[i] < basic_[row];
        return std::fabs(T_(i, j)) > std::fabs(T_(row, j));
    }

    void flip_column(Index j) {
        beta_ -= T_.col(j) * upper_[j];
        T_.col(j) = -T_.col(j);
        cost_[j] = -cost_[j];
        flipped_[j] = !flipped_[j];
    }

    void flip_row(Index i) {
        const Index variable = basic_[i];
        T_.row(i) = -T_.row(i);
        T_(i, variable) = 1;
        beta_[i] = upper_[variable] - beta_[i];
        flipped_[variable] = !flipped_[variable];
    }

    void pivot(Index row, Index j) {
        const Real inverse = 1 / T_(row, j);
        T_.row(row) *= inverse;
        beta_[row] *= inverse;
        T_(row, j) = 1;
        for (Index i = 0; i < rows_; ++i) {
            const Real factor = T_(i, j);
            if (i == row || factor == 0) continue;
            T_.row(i) -= factor * T_.row(row);
            beta_[i] -= factor * beta_[row];
            T_(i, j) = 0;
        }
        cost_ -= cost_[j] * T_.row(row).transpose();
        cost_[j] = 0;
        in_basis_[basic_[row]] = false;
        in_basis_[j] = true;
        basic_[row] = j;
    }

    Index n_;
    Index rows_;
    RealMatrix T_;
    RealVector beta_;
    RealVector cost_;
    RealVector upper_;
    std::vector<bool> flipped_;
    std::vector<Index> basic_;
    std::vector<bool> in_basis_;
};

}  // namespace

SmallLpAnswer solve_small_lp(const SmallLp& lp) {
    Tableau tableau(lp);
    // Far more than any problem of this size was seen to need.
    const Index most_steps = 1000 + 200 * tableau.size();
    Index standing_still = 0;
    for (Index step = 0; step < most_steps; ++step) {
        const bool bland = standing_still > 20;
        const Index j = tableau.entering(bland);
        if (j < 0) {
            SmallLpAnswer answer{true, 0, tableau.point()};
            answer.value = lp.c.dot(answer.x);
            return answer;
        }
        const Real length = tableau.advance(j, bland);
        if (length == kInfinity) return {};
        standing_still = length > 0 ? 0 : standing_still + 1;
    }
    return {};
}

}  // namespace redoubt::mip
