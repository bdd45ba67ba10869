#pragma once

/// The inequalities a step d must meet to fool planes, in long double, and the least step for a set
/// of them. Shares no code with the native search: it is what that search is checked against.

#include <cstdint>
#include <optional>
#include <vector>

#include "reference/real.hpp"
#include "redoubt/ensemble.hpp"
#include "redoubt/norm.hpp"

namespace redoubt::mip {

/// Plane i answers something else than `label` at x + d exactly when  a_i'd >= m_i  (label -1) or
/// a_i'd > m_i  (label +1: sgn(0) = +1).
struct PlaneSystem {
    Norm norm = Norm::L2;
    int label = -1;
    /// The inequalities are strict. Set by label +1; may be set for label -1 too, to leave out sets
    /// that are met on a plane only, where no point in doubles may lie.
    bool strict = false;
    RealMatrix a;             ///< one row a plane; rows scaled by powers of two to size 1
    RealVector m;             ///< scaled alike
    RealVector size;          ///< ||a_i||_q
    RealVector cost;          ///< max(0, m_i / ||a_i||_q): the least step for plane i alone
    std::vector<int> planes;  ///< the plane of each row; planes with w = 0 have none
    /// Of each row, in units of the ensemble: 1 in a majority vote.
    std::vector<std::int64_t> weight;
    std::int64_t given = 0;  ///< weight of the planes with w = 0 that answer differently whatever d
    /// L2 with more features than planes: d = basis * e, and `a` acts on e. Otherwise empty.
    RealMatrix basis;

    int n_rows() const { return static_cast<int>(planes.size()); }
    std::int64_t weight_of(const std::vector<int>& rows) const;
    std::int64_t total_weight() const;
    /// Of the rows that d = 0 meets.
    std::int64_t weight_met_at_zero() const;
    /// Rows that d = 0 meets, by the exact sign of the plane at x.
    std::vector<bool> met_at_zero;
};

PlaneSystem make_plane_system(const Ensemble& ensemble, const VectorRef& x, int label, Norm norm);

struct LeastStep {
    Real length = 0;
    RealVector d{};  ///< in the coordinates of `a`; use `to_features`
};

/// inf { ||d||_p : a_i'd >= m_i + margin ||a_i||_q for i in rows }, or nothing when the
/// inequalities (strict ones, if the system is strict) contradict each other. Below 1e-13 a
/// contradiction and a feasible set that is thin or far away are not told apart.
std::optional<LeastStep> least_step(const PlaneSystem& system, const std::vector<int>& rows,
                                    Real margin);

/// The step in R^n, rounded to doubles.
Vector to_features(const PlaneSystem& system, const RealVector& d);

}  // namespace redoubt::mip
