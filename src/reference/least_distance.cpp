#include "reference/least_distance.hpp"

#include <Eigen/QR>
#include <cmath>
#include <vector>

namespace redoubt::reference {

namespace {

/// A row is met when it is missed by less than this share of the step.
constexpr Real kMet = 1e-17L;
/// What is left of a row of size 1 in the span of others.
constexpr Real kDependent = 1e-13L;

}  // namespace

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
        for (bool has_joined = false; !has_joined;) {
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
            const Real full =
                is_dependent ? kInfinity : (m[joining] - row.dot(u)) / z.squaredNorm();
            Real step = full;
            Index leaving = -1;
            for (Index i = 0; i < n_others; ++i) {
                if (r[i] <= 0 || l[i] >= step * r[i]) continue;
                step = l[i] / r[i];
                leaving = i;
            }
            if (step == kInfinity) return std::nullopt;
            if (!is_dependent) u += step * z;
            for (Index i = 0; i < n_others; ++i) l[i] -= step * r[i];
            l.back() += step;
            has_joined = leaving < 0;
            if (has_joined) break;
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
