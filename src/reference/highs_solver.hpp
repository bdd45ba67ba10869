#pragma once

/// The only access to HiGHS.

#include <cstdint>

#include "redoubt/status.hpp"
#include "reference/program.hpp"
#include "search/limits.hpp"

namespace redoubt::reference {

/// All tolerances of HiGHS that are set: absolute, so programs should have numbers around 1.
inline constexpr double kTolerance = 1e-9;

struct ProgramSolution {
    /// Optimal: solved, or shown infeasible. Otherwise the limit that was reached, or
    /// NumericalFailure.
    Status status = Status::NumericalFailure;
    bool infeasible = false;
    Vector x{};  ///< one value per column; empty if there is no point
    double objective = 0.0;
    /// No feasible point is better than this, up to the tolerances; +-infinity if nothing is known.
    double bound = 0.0;
    std::int64_t n_nodes = 0;

    bool has_point() const { return x.size() > 0; }
};

/// Throws InvalidInput("solver", ...), saying how to install HiGHS, if it cannot be loaded.
void require_highs();

/// Solves the program with one thread, silently and repeatably. `nodes_before` of the limit are
/// already spent. A problem without integer columns counts no nodes. Throws as `require_highs`.
ProgramSolution solve(const Program& program, const PointLimits& limits,
                      std::int64_t nodes_before = 0);

}  // namespace redoubt::reference
