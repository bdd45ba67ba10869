#include "reference/least_distance.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <vector>

namespace redoubt::mip {

namespace {

/// The columns of E have length about 1; a gradient below this is zero.
constexpr Real kZero = 1e-17L;
constexpr Real kNoResidual = 1e-15L;

RealMatrix columns_of(const RealMatrix& E, const std::vector<Index>& set) {
    RealMatrix part(E.rows(), static_cast<Index>(set.size()));
    for (Index c = 0; c < part.cols(); ++c) part.col(c) = E.col(set[c]);
    return part;
}

/// min ||E l - f|| over l >= 0, the active-set method. `set` receives the columns with l > 0.
RealVector non_negative_least_squares(const RealMatrix& E, const RealVector& f,
                                      std::vector<Index>* set) {
    RealVector l = RealVector::Zero(E.cols());
    std::vector<bool> refused(E.cols(), false);
    set->clear();
    for (Index round = 0; round < 100 + 20 * E.cols(); ++round) {
        const RealVector gradient = E.transpose() * (f - E * l);
        Index best = -1;
        for (Index j = 0; j < E.cols(); ++j) {
            const bool inside = std::find(set->begin(), set->end(), j) != set->end();
            if (inside || refused[j] || gradient[j] <= kZero) continue;
            if (best < 0 || gradient[j] > gradient[best]) best = j;
        }
        if (best < 0) return l;
        set->push_back(best);
        bool moved = false;
        while (!set->empty()) {
            const RealVector z = columns_of(E, *set).colPivHouseholderQr().solve(f);
            if (!moved && z[z.size() - 1] <= 0) {
                // Rounding only: the gradient said it would be positive.
                set->pop_back();
                refused[best] = true;
                break;
            }
            Real step = 1;
            Index blocking = -1;
            for (Index c = 0; c < z.size(); ++c) {
                const Real old = l[(*set)[c]];
                if (z[c] > 0 || old / (old - z[c]) > step) continue;
                step = old / (old - z[c]);
                blocking = c;
            }
            std::vector<Index> kept;
            for (Index c = 0; c < z.size(); ++c) {
                const Index j = (*set)[c];
                l[j] += step * (z[c] - l[j]);
                if (c != blocking && (z[c] > 0 || l[j] > kZero)) {
                    kept.push_back(j);
                } else {
                    l[j] = 0;
                }
            }
            moved = true;
            const bool whole = kept.size() == set->size();
            *set = kept;
            if (whole) break;
        }
        if (moved) std::fill(refused.begin(), refused.end(), false);
    }
    return l;
}

/// The shortest d with a_i'd = m_i on the set: what the least squares find, without their rounding.
/// Nothing unless it is feasible and its multipliers are non-negative.
std::optional<LeastStep> polish(const RealMatrix& a, const RealVector& m,
                                const std::vector<Index>& set) {
    if (set.empty()) return std::nullopt;
    const RealMatrix active = columns_of(a.transpose(), set);
    RealVector right(active.cols());
    for (Index c = 0; c < right.size(); ++c) right[c] = m[set[c]];
    const Eigen::CompleteOrthogonalDecomposition<RealMatrix> solver(active.transpose());
    const RealVector d = solver.solve(right);
    const RealVector multipliers = active.colPivHouseholderQr().solve(d);
    const Real length = d.stableNorm();
    const Real slack = 1e-15L * (1 + length);
    const bool feasible = ((a * d - m).array() >= -slack).all();
    const bool optimal = (multipliers.array() >= -1e-12L * (1 + length)).all();
    if (!feasible || !optimal) return std::nullopt;
    return LeastStep{length, d};
}

}  // namespace

std::optional<LeastStep> least_distance(const RealMatrix& a, const RealVector& m, Real guess) {
    const Index n = a.cols();
    RealMatrix E(n + 1, a.rows());
    RealVector f = RealVector::Zero(n + 1);
    f[n] = 1;
    E.topRows(n) = a.transpose();
    std::optional<LeastStep> best;
    Real unit = guess;
    // The residual is 1 / (1 + ||d||^2): accurate when ||d|| is about 1, so rescale until it is.
    for (int pass = 0; pass < 5; ++pass) {
        E.row(n) = m.transpose() / unit;
        std::vector<Index> set;
        const RealVector l = non_negative_least_squares(E, f, &set);
        const RealVector r = E * l - f;
        // A residual that is all rounding: no step, or one beyond reach of this unit.
        if (!(r[n] < -kNoResidual)) return best;
        const RealVector d = r.head(n) / -r[n];
        const Real length = d.stableNorm();
        if (!(length > 0)) return best;
        best = LeastStep{unit * length, unit * d};
        if (std::optional<LeastStep> exact = polish(a, m, set)) best = exact;
        if (length < 10 && length > 0.1L) return best;
        unit *= length;
    }
    return best;
}

}  // namespace redoubt::mip
