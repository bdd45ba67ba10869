#pragma once

/// Linear and quadratic programs of a few dozen rows in long double: a textbook simplex method on a
/// dense tableau and an active-set method. They are deliberately slow and plain, because the fast
/// code is checked against them.

#include <optional>

#include "reference/long_double.hpp"

namespace redoubt::reference {

/// max c'x  s.t.  A x <= b,  0 <= x <= upper,  where b >= 0, so that x = 0 is a feasible start.
struct SmallLp {
    RealMatrix A;
    RealVector b;
    RealVector c;
    RealVector upper;  ///< >= 0, infinity allowed
};

struct SmallLpAnswer {
    bool solved = false;  ///< false: unbounded, or more steps than a problem of this size can need
    Real value = 0;
    RealVector x{};
};

/// Numbers should be around 1. Largest improvement first; Bland's rule once there is no progress.
SmallLpAnswer solve_small_lp(const SmallLp& lp);

/// min ||u||_2 s.t. A u >= m, by the dual method of Goldfarb and Idnani. Numbers should be around
/// 1. Empty if there is no such u, or only one beyond about 1e13.
std::optional<RealVector> least_distance(const RealMatrix& a, const RealVector& m);

}  // namespace redoubt::reference
