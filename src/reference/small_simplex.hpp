#pragma once

/// A textbook simplex on a dense tableau, for linear programs of a few dozen rows: slow and plain
/// on purpose, because it is what the fast code is checked against.

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

/// Numbers should be around 1. Largest improvement first; Bland's rule once steps stand still.
SmallLpAnswer solve_small_lp(const SmallLp& lp);

}  // namespace redoubt::reference
