#pragma once

/// Which rows a model has seen, in a few kilobytes: enough to tell test data from training data.
///
/// Every row of features has a 64-bit hash. The sketch keeps the smallest kMaxHashes of them, so
/// any row whose hash is at most the largest kept one can be looked up, and such rows are a fair
/// sample of any data.

#include "redoubt/points.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace redoubt {

/// What a sketch knows about some rows.
struct SeenRows {
    Index n_rows = 0;
    /// Rows that can be looked up, and those of them that are training rows.
    Index n_looked_up = 0;
    Index n_seen = 0;
    /// More training rows than chance explains: if rows occur repeatedly in the training data, some
    /// are to be expected among new data of the same kind.
    bool is_suspicious = false;
};

struct RowSketch {
    static constexpr std::size_t kMaxHashes = 2048;

    /// Ascending, without repetition.
    std::vector<std::uint64_t> hashes{};
    /// True if there were more distinct rows than kMaxHashes.
    bool is_sample = false;
    /// Share of training rows that equal another one.
    double repeated_share = 0.0;

    /// The sketch of the rows of X (raw features). Cost: one pass and a sort of the hashes.
    static RowSketch of(const PointsRef& X);

    /// Looks up the rows of X and adds the counts to those of `before`. An empty sketch knows
    /// nothing.
    SeenRows look_up(const PointsRef& X, const SeenRows& before = {}) const;

    /// Throws InvalidInput, naming the field, for a sketch that `of` cannot produce.
    void check() const;

    bool operator==(const RowSketch&) const = default;
};

}  // namespace redoubt
