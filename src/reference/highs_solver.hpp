#pragma once

/// The one door to HiGHS.

#include <cstdint>

#include "reference/mip_model.hpp"
#include "redoubt/status.hpp"
#include "search/limits.hpp"

namespace redoubt::mip {

/// All tolerances of HiGHS that we set: absolute, so models should have numbers around 1.
inline constexpr double kFeasibility = 1e-9;
inline constexpr double kGap = 1e-9;

struct MipSolution {
    /// Optimal: solved, or shown infeasible. Otherwise the limit that struck, or NumericalFailure.
    Status status = Status::NumericalFailure;
    bool infeasible = false;
    bool has_point = false;
    Vector x{};  ///< one value a column when `has_point`
    double objective = 0.0;
    /// No feasible point is better than this, up to the tolerances; +-infinity when nothing is
    /// known.
    double bound = 0.0;
    std::int64_t n_nodes = 0;
};

/// Throws InvalidInput("solver", ...) saying how to get HiGHS when it cannot be loaded.
void require_highs();

/// Solves the model with one thread, silently and repeatably. `nodes_before` of the limit are
/// spent. A problem with no integer column counts no nodes. Throws as `require_highs`.
MipSolution solve(const MipModel& model, const PointLimits& limits, std::int64_t nodes_before = 0);

}  // namespace redoubt::mip
