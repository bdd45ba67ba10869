#pragma once

/// Sums that do not depend on the order: of integer multiples of a unit, in two halves.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/check.hpp"
#include "redoubt/bands.hpp"
#include "redoubt/threads.hpp"

namespace redoubt {

/// Adds the integer nearest to `multiple`, which must be below 2^62.
inline void add_multiple(double multiple, std::int64_t& high, std::int64_t& low) {
    const auto value = static_cast<std::int64_t>(std::nearbyint(multiple));
    high += value >> 32;
    low += value & 0xFFFFFFFF;
}

inline bool is_unit(double value) {
    return value > 0.0 && std::isfinite(value);
}

/// Sums of pieces take memory: one per thread, and none for a few rows.
inline Index n_row_pieces(Index n_rows, int n_threads) {
    constexpr Index kLeastRows = 2048;
    return std::clamp<Index>(n_rows / kLeastRows, 1, resolve_threads(n_threads));
}

inline void check_rows(const BandRows& rows) {
    check_length("y", rows.y.size(), rows.X.rows());
    check_length("weights", rows.weights.size(), rows.X.rows());
    check_length("radii", rows.radii.size(), rows.X.rows());
}

}  // namespace redoubt
