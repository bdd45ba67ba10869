#pragma once

/// The second opinions on the native search, as far as `certify` and `attack` know them. They live
/// in the optional part `reference`; a build without it has functions here that say so.

#include "flip/flip.hpp"
#include "redoubt/attack_model.hpp"
#include "redoubt/solver.hpp"
#include "search/limits.hpp"

namespace redoubt {

/// The least move with predict(x + d) != current_label. The bracket has the solver's accuracy.
/// Solver::Native is not asked: std::logic_error.
Flip reference_flip(Solver solver, const Ensemble& ensemble, const AttackModel& threat,
                    const VectorRef& x, int current_label, const PointLimits& limits);

/// Throws InvalidInput when the solver cannot be asked about this vote: more than
/// kMaxEnumeratedPlanes planes to enumerate, HiGHS absent, or weights too fine for it. Every vote
/// can be asked of Solver::Native.
void check_reference(Solver solver, const Ensemble& ensemble);

}  // namespace redoubt
