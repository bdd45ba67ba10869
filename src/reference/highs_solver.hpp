#pragma once

/// The one door to HiGHS.

#include <cstdint>

#include "redoubt/status.hpp"
#include "reference/program.hpp"
#include "search/limits.hpp"

namespace redoubt::reference {

/// All tolerances of HiGHS that we set: absolute, so programs should have numbers around 1.
inline constexpr double kTolerance = 1e-9;

struct ProgramSolution {
    /// Optimal: solved, or shown infeasible. Otherwise the limit that was hit, or NumericalFailure.
    Status status = Status::NumericalFailure;
    bool infeasible = false;
    Vector x{};  ///< one value a column; empty when there is no point
    double objective = 0.0;
    /// No feasible point is better than this, up to the tolerances; +-infinity when nothing is
    /// known.
    double bound = 0.0;
    std::int64_t n_nodes = 0;

    bool has_point() const { return x.size() > 0; }
};

/// Throws InvalidInput("solver", ...) saying how to get HiGHS when it cannot be loaded.
void require_highs();

/// Solves the program with one thread, silently and repeatably. `nodes_before` of the limit are
/// spent. A problem with no integer column counts no nodes. Throws as `require_highs`.
ProgramSolution solve(const Program& program, const PointLimits& limits,
                      std::int64_t nodes_before = 0);

}  // namespace redoubt::reference
