#pragma once

/// Sums that do not depend on the order of addition: integer multiples of a unit, in two halves.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "redoubt/bands.hpp"
#include "redoubt/threads.hpp"

namespace redoubt {

/// Adds the integer nearest to `multiple`, which must be below 2^62, `copies` times.
inline void add_multiple(double multiple, std::int64_t& high, std::int64_t& low,
                         std::int64_t copies = 1) {
    const auto value = static_cast<std::int64_t>(std::nearbyint(multiple));
    high += (value >> 32) * copies;
    low += (value & 0xFFFFFFFF) * copies;
}

inline bool is_unit(double value) {
    return value > 0.0 && std::isfinite(value);
}

/// Sums of pieces take memory: one piece per thread, and a single one for few rows.
inline Index n_row_pieces(Index n_rows, int n_threads) {
    constexpr Index kLeastRows = 2048;
    return std::clamp<Index>(n_rows / kLeastRows, 1, resolve_threads(n_threads));
}

/// The total over all pieces of the rows, with one Piece per thread. Sums are exact, so their
/// number does not matter. `append(all, part)` joins two results.
template <typename Piece, typename Query, typename Append>
auto summarise_rows(const BandRows& rows, const Query& query, int n_threads, Append append) {
    const Index m = rows.X.rows();
    const Index n_pieces = n_row_pieces(m, n_threads);
    std::vector<std::remove_cvref_t<decltype(std::declval<Piece>().result())>> parts(
        static_cast<std::size_t>(n_pieces));
    parallel_for(n_pieces, n_threads, [&](Index piece) {
        Piece sums(rows, query);
        const Index end = m * (piece + 1) / n_pieces;
        for (Index j = m * piece / n_pieces; j < end; ++j) sums.add(j);
        parts[static_cast<std::size_t>(piece)] = std::move(sums.result());
    });
    for (std::size_t i = 1; i < parts.size(); ++i) append(parts[0], parts[i]);
    return std::move(parts[0]);
}

inline void check_rows(const BandRows& rows) {
    check_length("y", rows.y.size(), rows.X.rows());
    check_length("weights", rows.weights.size(), rows.X.rows());
    check_length("radii", rows.radii.size(), rows.X.rows());
    if (!rows.copies.empty())
        check_length("copies", static_cast<Index>(rows.copies.size()), rows.X.rows());
}

}  // namespace redoubt
