#pragma once

/// The second opinions on the native search, as far as `certify` and `attack` know them. They live
/// in the optional part `reference`; a build without it has functions here that say so.

#include "flip/flip.hpp"
#include "redoubt/attack_model.hpp"
#include "redoubt/error.hpp"
#include "redoubt/solver.hpp"
#include "search/limits.hpp"

namespace redoubt {

/// The least move with predict(x + d) != current_label. `lower` is the infimum, to about 1e-12 by
/// enumeration and 1e-6 by HiGHS. The witness is slightly larger; where the nearest flip lies on a
/// plane that no point in doubles need hit, it is the least of those that do not, and there may be
/// none. The attacking class is not looked at. Throws as check_reference.
/// Solver::Native is not asked: std::logic_error.
Flip reference_flip(Solver solver, const Ensemble& ensemble, const AttackModel& threat,
                    const VectorRef& x, int current_label, const PointLimits& limits);

/// Throws InvalidInput when the solver cannot be asked about this vote: more than
/// kMaxEnumeratedPlanes planes to enumerate, HiGHS absent, or asked to count weights that are not
/// multiples of a common unit, 10,000 of it in all (the relaxed adversary does not count them).
/// Every vote can be asked of Solver::Native.
void check_reference(Solver solver, const Ensemble& ensemble, bool counts_weights = true);

/// Throws InvalidInput when the solver does not know such threats: only Solver::Native counts
/// changes.
inline void check_reference(Solver solver, const AttackModel& threat) {
    if (solver == Solver::Native || !threat.counts()) return;
    throw InvalidInput("solver", "'native' for l0", "'" + std::string(to_string(solver)) + "'");
}

}  // namespace redoubt
