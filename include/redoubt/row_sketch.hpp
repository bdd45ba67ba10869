#pragma once

/// Which rows a model has seen, in a few kilobytes: enough to tell a test set from training data.
///
/// Every row of features has a 64-bit hash. The sketch keeps the smallest kMaxHashes of them, so a
/// row whose hash is not beyond the largest kept one can be looked up, and such rows are a fair
/// sample of any data.

#include "redoubt/points.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace redoubt {

/// What a sketch knows about some rows.
struct SeenRows {
    Index n_rows = 0;
    /// Rows that the sketch can tell about, and those of them that are training rows.
    Index n_looked_up = 0;
    Index n_seen = 0;
    /// More training rows than chance brings about: rows that occur more than once in the training
    /// data lead us to expect some among any new data of their kind.
    bool is_suspicious = false;
};

struct RowSketch {
    static constexpr std::size_t kMaxHashes = 2048;

    /// Ascending, without repetition.
    std::vector<std::uint64_t> hashes{};
    /// There were more distinct rows than kMaxHashes.
    bool is_sample = false;
    /// Share of training rows that are equal to another one.
    double repeated_share = 0.0;

    /// Of the rows of X (raw features). Cost: one pass and a sort of the hashes.
    static RowSketch of(const PointsRef& X);

    /// Looks up the rows of X, and counts them on top of those `before`. Of an empty sketch nothing
    /// is known.
    SeenRows look_up(const PointsRef& X, const SeenRows& before = {}) const;

    /// Throws InvalidInput, naming the field, for what `of` cannot give.
    void check() const;

    bool operator==(const RowSketch&) const = default;
};

}  // namespace redoubt
