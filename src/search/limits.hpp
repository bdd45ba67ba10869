#pragma once

/// When the search for one point must stop.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

#include "redoubt/solver.hpp"
#include "redoubt/status.hpp"

namespace redoubt {

using Clock = std::chrono::steady_clock;

/// `seconds` after `start`; no limit when that lies beyond what the clock can count.
inline Clock::time_point deadline_after(Clock::time_point start, double seconds) {
    const std::chrono::duration<double> most = Clock::time_point::max() - start;
    // Half of what is left: the conversion back to ticks must not overflow by rounding.
    if (!(seconds < 0.5 * most.count())) return Clock::time_point::max();
    return start +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// The limits of one point. One per point and thread, because calls are counted.
struct PointLimits {
    std::int64_t max_nodes = std::numeric_limits<std::int64_t>::max();
    Clock::time_point deadline = Clock::time_point::max();
    const std::atomic<bool>* stop = nullptr;

    /// True if the next node must not be opened after `n_nodes` of them; `status` then says why.
    /// Cheap: the clock and the stop flag are checked on the first call and on every 64th.
    bool reached(std::int64_t n_nodes, Status* status) const {
        const bool looks_up = (n_calls++ & 63U) == 0 || n_nodes >= max_nodes;
        return looks_up && reached_now(n_nodes, status);
    }

    /// The same for nodes that take long: the clock and the stop flag are checked on every call.
    bool reached_now(std::int64_t n_nodes, Status* status) const {
        if (n_nodes >= max_nodes) {
            *status = Status::NodeLimit;
            return true;
        }
        if (stop != nullptr && stop->load(std::memory_order_relaxed)) {
            *status = Status::Interrupted;
            return true;
        }
        if (deadline != Clock::time_point::max() && Clock::now() >= deadline) {
            *status = Status::TimeLimit;
            return true;
        }
        return false;
    }

    mutable unsigned n_calls = 0;
};

/// The limits of a point whose work starts now, in a call that must end by `call_deadline`.
inline PointLimits point_limits(const SearchLimits& limits, Clock::time_point call_deadline) {
    PointLimits point{limits.max_nodes_per_point, call_deadline, limits.stop};
    if (limits.max_seconds_per_point < std::numeric_limits<double>::infinity()) {
        point.deadline =
            std::min(point.deadline, deadline_after(Clock::now(), limits.max_seconds_per_point));
    }
    return point;
}

}  // namespace redoubt
