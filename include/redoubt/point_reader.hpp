#pragma once

/// Points from files that are too long for memory, a block of rows at a time.
///
///     PointReader reader("day.csv.gz", model.coding());
///     while (std::optional<PointData> points = reader.next()) predict(points->X);

#include "redoubt/data_files.hpp"

#include <cstddef>
#include <memory>
#include <optional>

namespace redoubt {

/// Returns the points that `read_points` returns, with the same errors, except where only the whole
/// file could tell: an error in a later row appears after the blocks before it, and in a pipe whose
/// first rows all end in a separator every row must. Memory: a few times the length of a block or
/// of the longest row.
class PointReader {
public:
    static constexpr std::size_t kBlockBytes = std::size_t{4} << 20;

    /// Throws ParseError if the source cannot be opened. `dialect.max_bytes` applies to a block.
    explicit PointReader(const DataSource& source, TableCoding coding, const Dialect& dialect = {},
                         const PointColumns& columns = {}, std::size_t block_bytes = kBlockBytes);
    ~PointReader();
    PointReader(PointReader&&) noexcept;
    PointReader& operator=(PointReader&&) noexcept;

    /// The next rows, at least one; empty at the end. Either all blocks have labels or none has.
    std::optional<PointData> next();

    /// True if the last block returned is known to be the end.
    bool is_at_end() const;
    /// How much of the source has been read, from 0 to 1; empty if its length is not known.
    std::optional<double> share_read() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace redoubt
