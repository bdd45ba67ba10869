#pragma once

/// The second opinions on the native search, as `certify` and `attack` call them. They are part of
/// the optional `reference`; a build without it has functions here that report its absence.

#include "flip/flip.hpp"
#include "redoubt/attack_model.hpp"
#include "redoubt/error.hpp"
#include "redoubt/solver.hpp"
#include "search/limits.hpp"

namespace redoubt {

/// The least move with predict(x + d) != current_label. `lower` is the infimum, to about 1e-12 by
/// enumeration and 1e-6 by HiGHS. The witness is slightly larger; if the nearest flip lies on a
/// plane that no point of doubles hits, it is the least of those that do not, and there may be
/// none. The attacking class is ignored. Throws as check_reference, and std::logic_error for
/// Solver::Native.
Flip reference_flip(Solver solver, const Ensemble& ensemble, const AttackModel& threat,
                    const VectorRef& x, int current_label, const PointLimits& limits);

/// Throws InvalidInput if the solver cannot handle this vote: more than kMaxEnumeratedPlanes planes
/// to enumerate, HiGHS absent, or weights for HiGHS to count that are not multiples of a common
/// unit, 10,000 of it in all (the relaxed adversary does not count them). Solver::Native handles
/// every vote.
void check_reference(Solver solver, const Ensemble& ensemble, bool counts_weights = true);

/// Throws InvalidInput if the solver does not support the threat: only Solver::Native counts
/// changes.
inline void check_reference(Solver solver, const AttackModel& threat) {
    if (solver == Solver::Native || !threat.counts()) return;
    throw InvalidInput("solver", "'native' for l0", "'" + std::string(to_string(solver)) + "'");
}

}  // namespace redoubt
