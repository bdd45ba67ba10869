#include "reference/small_programs.hpp"

#include <Eigen/QR>
#include <cmath>
#include <numeric>
#include <vector>

namespace redoubt::reference {

namespace {

/// Data of size 1 leave errors of about 1e-18 after some dozens of pivots; a cost below this is
/// zero.
constexpr Real kZero = 1e-16L;
/// A point that misses a row by more than this share of its size is wrong.
constexpr Real kMissed = 1e-13L;
/// A row is met when it is missed by less than this share of the step.
constexpr Real kMet = 1e-17L;
/// What is left of a row of size 1 in the span of others, and a multiplier that is 0.
constexpr Real kDependent = 1e-13L;

/// Rows  x_B + T x_N = beta  over all columns (variables, then slacks); beta is the last column,
/// and the last row holds the costs. A variable that sits at its upper bound is replaced by its
/// distance from it (`flipped`), so that every nonbasic one is zero.
class Tableau {
public:
    Tableau(const SmallLp& lp, Real least_pivot)
        : least_pivot_(least_pivot),
          n_(lp.A.cols()),
          rows_(lp.A.rows()),
          end_(n_ + rows_),
          T_(RealMatrix::Zero(rows_ + 1, end_ + 1)),
          upper_(RealVector::Constant(end_, kInfinity)),
          flipped_(end_, false),
          basic_(rows_) {
        T_.topRows(rows_) << lp.A, RealMatrix::Identity(rows_, rows_), lp.b;
        T_.row(rows_).head(n_) = lp.c.transpose();
        upper_.head(n_) = lp.upper;
        std::iota(basic_.begin(), basic_.end(), n_);
    }

    /// A column that improves, or -1. The costs of the basis are 0.
    Index entering(bool bland) const {
        Index best = -1;
        for (Index j = 0; j < end_; ++j) {
            if (T_(rows_, j) <= kZero || upper_[j] == 0) continue;
            if (best < 0 || T_(rows_, j) > T_(rows_, best)) best = j;
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
            if (alpha > least_pivot_) room = std::max<Real>(0, T_(i, end_)) / alpha;
            if (alpha < -least_pivot_)
                room = std::max<Real>(0, upper_[basic_[i]] - T_(i, end_)) / -alpha;
            if (room == kInfinity || room > step) continue;
            if (room == step && row >= 0 && !preferred(i, row, j, bland)) continue;
            step = room;
            row = i;
        }
        if (step == kInfinity) return step;
        if (row < 0) {
            T_.col(end_) -= T_.col(j) * upper_[j];
            T_.col(j) = -T_.col(j);
            flipped_[j] = !flipped_[j];
            return step;
        }
        if (T_(row, j) < 0) flip_row(row);
        pivot(row, j);
        return step;
    }

    RealVector point() const {
        RealVector x = RealVector::Zero(end_);
        for (Index i = 0; i < rows_; ++i) x[basic_[i]] = T_(i, end_);
        for (Index j = 0; j < end_; ++j) {
            if (flipped_[j]) x[j] = upper_[j] - x[j];
        }
        return x.head(n_);
    }

private:
    /// Among equal steps: the lowest index against cycling, otherwise the largest pivot.
    bool preferred(Index i, Index row, Index j, bool bland) const {
        if (bland) return basic_[i] < basic_[row];
        return std::fabs(T_(i, j)) > std::fabs(T_(row, j));
    }

    void flip_row(Index i) {
        const Index variable = basic_[i];
        T_.row(i) = -T_.row(i);
        T_(i, variable) = 1;
        T_(i, end_) += upper_[variable];
        flipped_[variable] = !flipped_[variable];
    }

    void pivot(Index row, Index j) {
        T_.row(row) *= 1 / T_(row, j);
        T_(row, j) = 1;
        for (Index i = 0; i <= rows_; ++i) {
            const Real factor = T_(i, j);
            if (i == row || factor == 0) continue;
            T_.row(i) -= factor * T_.row(row);
            T_(i, j) = 0;
        }
        basic_[row] = j;
    }

    Real least_pivot_;
    Index n_;
    Index rows_;
    Index end_;  ///< the column of beta
    RealMatrix T_;
    RealVector upper_;
    std::vector<bool> flipped_;
    std::vector<Index> basic_;
};

}  // namespace

SmallLpAnswer solve_small_lp(const SmallLp& lp) {
    // Rows that differ by rounding only leave pivots of that size, and those leave points that miss
    // rows by far: again, with smaller pivots taken as zero.
    for (const Real least_pivot : {1e-16L, 1e-13L, 1e-10L}) {
        Tableau tableau(lp, least_pivot);
        // Far more than any problem of this size was seen to need.
        Index n_left = 1000 + 200 * (lp.A.rows() + lp.A.cols());
        Index standing_still = 0;
        Index j = tableau.entering(false);
        for (; j >= 0 && n_left > 0; --n_left) {
            const Real length = tableau.advance(j, standing_still > 20);
            if (length == kInfinity) return {};
            standing_still = length > 0 ? 0 : standing_still + 1;
            j = tableau.entering(standing_still > 20);
        }
        const RealVector x = tableau.point();
        const Real missed = (lp.A * x - lp.b).maxCoeff();
        if (j < 0 && missed <= kMissed * (1 + x.lpNorm<Eigen::Infinity>()))
            return {true, lp.c.dot(x), x};
    }
    return {};
}

/// u is always the shortest for the rows in `set`, as a sum of them with multipliers l >= 0. The
/// row that is missed most joins them; rows whose multipliers fall to 0 on the way leave.
std::optional<RealVector> least_distance(const RealMatrix& a, const RealVector& m) {
    RealVector u = RealVector::Zero(a.cols());
    std::vector<Index> set;
    std::vector<Real> l;
    for (Index round = 0; round < 100 + 20 * a.rows(); ++round) {
        Index joining = 0;
        if ((m - a * u).maxCoeff(&joining) <= kMet * (1 + u.norm())) break;
        const RealVector row = a.row(joining).transpose();
        set.push_back(joining);
        l.push_back(0);
        for (;;) {
            // row = others * r + z, z across all of them.
            const Index n_others = static_cast<Index>(set.size()) - 1;
            const RealMatrix others =
                a(std::vector<Index>(set.begin(), set.end() - 1), Eigen::all).transpose();
            RealVector r(n_others);
            RealVector z = row;
            if (n_others > 0) {
                const Eigen::ColPivHouseholderQR<RealMatrix> qr(others);
                r = qr.solve(row);
                z -= others * r;
                z -= others * qr.solve(z);
            }
            const bool is_dependent = z.norm() <= kDependent * row.norm();
            Real step = is_dependent ? kInfinity : (m[joining] - row.dot(u)) / z.squaredNorm();
            Index leaving = -1;
            for (Index i = 0; i < n_others; ++i) {
                if (r[i] <= kDependent || l[i] >= step * r[i]) continue;
                step = l[i] / r[i];
                leaving = i;
            }
            if (step == kInfinity) return std::nullopt;
            if (!is_dependent) u += step * z;
            for (Index i = 0; i < n_others; ++i) l[i] -= step * r[i];
            l.back() += step;
            if (leaving < 0) break;
            set.erase(set.begin() + leaving);
            l.erase(l.begin() + leaving);
        }
    }
    if (set.empty()) return u;
    // The same without the rounding of the way there.
    const RealMatrix active = a(set, Eigen::all);
    return active.completeOrthogonalDecomposition().solve(m(set));
}

}  // namespace redoubt::reference
