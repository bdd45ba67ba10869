#pragma once

/// Which algorithm answers an exact question, when it may stop, and how it reports its progress.

#include "redoubt/types.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>

namespace redoubt {

enum class Solver {
    Native,     ///< Redoubt's own search: the fast one, with safely rounded bounds
    Mip,        ///< integer programs on HiGHS (loaded at run time)
    Enumerate,  ///< every set of planes; at most kMaxEnumeratedPlanes
};

inline constexpr Index kMaxEnumeratedPlanes = 16;

/// "native", "mip" or "enumerate".
std::string_view to_string(Solver solver) noexcept;
/// The inverse of `to_string`. Throws InvalidInput for anything else.
Solver parse_solver(std::string_view name);

/// When a limit is reached, the result says so and its bracket is wide but correct.
struct SearchLimits {
    /// Nodes of the search for one point, >= 0.
    std::int64_t max_nodes_per_point = std::numeric_limits<std::int64_t>::max();
    /// Seconds for one point, and for the whole call, >= 0.
    double max_seconds_per_point = std::numeric_limits<double>::infinity();
    double max_seconds = std::numeric_limits<double>::infinity();
    /// Raise it from any thread to stop; checked every few nodes. May be null.
    const std::atomic<bool>* stop = nullptr;

    /// Throws InvalidInput naming the field.
    void check() const;
};

/// Called with (points done, points in all) after each block of points, one call at a time, from
/// any of the threads. May be empty.
using Progress = std::function<void(Index, Index)>;

}  // namespace redoubt
