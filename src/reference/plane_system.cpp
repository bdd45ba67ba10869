#include "reference/plane_system.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/exact_sign.hpp"
#include "reference/least_distance.hpp"
#include "reference/small_simplex.hpp"

namespace redoubt::mip {

namespace {

/// Below this, with numbers around 1, a linear program's optimum counts as zero.
constexpr Real kContradiction = 1e-13L;
/// A least l2 step this many times longer than any single plane asks for may be none at all.
constexpr Real kSuspicious = 1e5L;

Real dual_size(Norm norm, const RealVector& v) {
    if (norm == Norm::L1) return v.lpNorm<Eigen::Infinity>();
    if (norm == Norm::LInf) return v.lpNorm<1>();
    return v.stableNorm();
}

/// d lies in the span of the rows of `a` when ||d||_2 is least: work there.
void reduce_to_span(PlaneSystem* system) {
    const Index k = system->a.rows();
    const Index n = system->a.cols();
    if (n <= k || k == 0) return;
    const Eigen::HouseholderQR<RealMatrix> qr(system->a.transpose());
    system->basis = qr.householderQ() * RealMatrix::Identity(n, k);
    const RealMatrix R = qr.matrixQR().topRows(k).triangularView<Eigen::Upper>();
    system->a = R.transpose();
}

/// Rows of the system for a set of planes, the right-hand sides scaled to size 1.
struct Selection {
    RealMatrix a;
    RealVector m;
    Real unit = 1;  ///< what m was divided by
};

Selection select(const PlaneSystem& system, const std::vector<int>& rows, Real margin) {
    const Index count = static_cast<Index>(rows.size());
    Selection s{RealMatrix(count, system.a.cols()), RealVector(count), 1};
    for (Index r = 0; r < count; ++r) {
        s.a.row(r) = system.a.row(rows[r]);
        s.m[r] = system.m[rows[r]] + margin * system.size[rows[r]];
    }
    const Real largest = count > 0 ? s.m.cwiseAbs().maxCoeff() : 0;
    if (largest > 0) {
        s.unit = largest;
        s.m /= largest;
    }
    return s;
}

/// Columns plus_l, minus_l in [0, 1] with u = plus - minus, and rows  -a_i'u <= 0.
SmallLp cone_program(const RealMatrix& a, Index more_columns, Index more_rows) {
    const Index n = a.cols();
    const Index k = a.rows();
    SmallLp lp;
    lp.A = RealMatrix::Zero(k + more_rows, 2 * n + more_columns);
    lp.A.block(0, 0, k, n) = -a;
    lp.A.block(0, n, k, n) = a;
    lp.b = RealVector::Zero(k + more_rows);
    lp.c = RealVector::Zero(2 * n + more_columns);
    lp.upper = RealVector::Ones(2 * n + more_columns);
    return lp;
}

/// Is there a d with a_i'd > m_i for all i? With u = tau d: max s, a_i'u - tau m_i >= s, everything
/// in boxes. By Gordan's theorem s = 0 exactly when some l >= 0, l != 0 has A'l = 0 and m'l >= 0.
bool strictly_feasible(const Selection& s) {
    const Index n = s.a.cols();
    SmallLp lp = cone_program(s.a, 2, 0);
    lp.A.col(2 * n) = s.m;
    lp.A.col(2 * n + 1).setOnes();
    lp.c[2 * n + 1] = 1;
    const SmallLpAnswer answer = solve_small_lp(lp);
    return answer.solved && answer.value > kContradiction;
}

/// l1 and linf, some m_i > 0. With u = d / ||d|| and s = 1 / ||d||: max s, a_i'u >= m_i s, ||u||
/// <= 1.
std::optional<LeastStep> least_linear_step(const Selection& s, Norm norm) {
    const Index n = s.a.cols();
    const Index k = s.a.rows();
    SmallLp lp = cone_program(s.a, 1, norm == Norm::L1 ? 1 : 0);
    lp.A.col(2 * n).head(k) = s.m;
    lp.c[2 * n] = 1;
    lp.upper[2 * n] = std::numeric_limits<Real>::infinity();
    if (norm == Norm::L1) {
        lp.A.row(k).head(2 * n).setOnes();
        lp.b[k] = 1;
    }
    const SmallLpAnswer answer = solve_small_lp(lp);
    if (!answer.solved || answer.value <= kContradiction) return std::nullopt;
    const RealVector u = answer.x.head(n) - answer.x.segment(n, n);
    return LeastStep{1 / answer.value, u / answer.value};
}

std::optional<LeastStep> least_l2_step(const Selection& s) {
    const std::optional<LeastStep> step = least_distance(s.a, s.m, 1);
    if (step && step->length < kSuspicious) return step;
    // The method cannot tell "far away" from "nowhere". The linear program can, and it says how
    // far.
    const std::optional<LeastStep> box = least_linear_step(s, Norm::LInf);
    if (!box) return std::nullopt;
    return least_distance(s.a, s.m, box->length);
}

}  // namespace

std::int64_t PlaneSystem::weight_of(const std::vector<int>& rows) const {
    std::int64_t sum = 0;
    for (int row : rows) sum += weight[row];
    return sum;
}

std::int64_t PlaneSystem::total_weight() const {
    return std::accumulate(weight.begin(), weight.end(), std::int64_t{0});
}

std::int64_t PlaneSystem::weight_met_at_zero() const {
    std::int64_t sum = 0;
    for (int row = 0; row < n_rows(); ++row) sum += met_at_zero[row] ? weight[row] : 0;
    return sum;
}

PlaneSystem make_plane_system(const Ensemble& ensemble, const VectorRef& x, int label, Norm norm) {
    PlaneSystem system;
    system.norm = norm;
    system.label = label;
    system.strict = label > 0;
    const Index n = ensemble.n_features();
    for (Index i = 0; i < ensemble.n_planes(); ++i) {
        const bool differs =
            sign_of_plane(ensemble.coef().row(i).transpose(), ensemble.intercept()[i], x) != label;
        if ((ensemble.coef().row(i).array() == 0.0).all()) {
            system.given += differs ? ensemble.weight_units(i) : 0;
            continue;
        }
        system.planes.push_back(static_cast<int>(i));
        system.met_at_zero.push_back(differs);
        system.weight.push_back(ensemble.weight_units(i));
    }
    const Index k = system.n_rows();
    system.a.resize(k, n);
    system.m.resize(k);
    system.size.resize(k);
    system.cost.resize(k);
    for (Index r = 0; r < k; ++r) {
        const int i = system.planes[r];
        const VectorRef w = ensemble.coef().row(i).transpose();
        const RealVector wide = w.cast<Real>();
        Real m = label * (wide.dot(x.cast<Real>()) + Real(ensemble.intercept()[i]));
        if (exact_sign(w, ensemble.intercept()[i], x) == 0) m = 0;
        // A power of two: nothing is rounded, parallel planes stay parallel.
        const Real scale = std::ldexp(Real(1), -std::ilogb(wide.lpNorm<Eigen::Infinity>()));
        system.a.row(r) = -label * scale * wide.transpose();
        system.m[r] = scale * m;
        system.size[r] = dual_size(norm, system.a.row(r).transpose());
        system.cost[r] = std::max<Real>(0, system.m[r] / system.size[r]);
    }
    if (norm == Norm::L2) reduce_to_span(&system);
    return system;
}

std::optional<LeastStep> least_step(const PlaneSystem& system, const std::vector<int>& rows,
                                    Real margin) {
    const Selection s = select(system, rows, margin);
    std::optional<LeastStep> step = LeastStep{0, RealVector::Zero(system.a.cols())};
    if (!rows.empty() && s.m.maxCoeff() > 0) {
        step = system.norm == Norm::L2 ? least_l2_step(s) : least_linear_step(s, system.norm);
        if (!step) return step;
    }
    const bool open = system.strict && !rows.empty() && s.m.maxCoeff() >= 0;
    if (open && !strictly_feasible(s)) return std::nullopt;
    step->length *= s.unit;
    step->d *= s.unit;
    return step;
}

Vector to_features(const PlaneSystem& system, const RealVector& d) {
    if (system.basis.size() == 0) return d.cast<double>();
    return (system.basis * d).cast<double>();
}

}  // namespace redoubt::mip
