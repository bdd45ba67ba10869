#pragma once

/// Points of files that are too long for memory, a block of rows at a time.
///
///     PointReader reader("day.csv.gz", model.coding());
///     while (std::optional<PointData> points = reader.next()) predict(points->X);

#include "redoubt/data_files.hpp"

#include <cstddef>
#include <memory>
#include <optional>

namespace redoubt {

/// Gives the points that `read_points` gives, and the same errors, but for what only the whole file
/// could tell: an error in a later row comes after the blocks before it. A pipe whose first rows
/// all end in a separator must go on like that. Memory: a few times the length of a block, or of
/// the longest row.
class PointReader {
public:
    static constexpr std::size_t kBlockBytes = std::size_t{4} << 20;

    /// Throws ParseError when the source cannot be opened. `dialect.max_bytes` is for a block.
    explicit PointReader(const DataSource& source, TableCoding coding, const Dialect& dialect = {},
                         const PointColumns& columns = {}, std::size_t block_bytes = kBlockBytes);
    ~PointReader();
    PointReader(PointReader&&) noexcept;
    PointReader& operator=(PointReader&&) noexcept;

    /// The next rows, at least one; nothing at the end. Labels are in all blocks or in none.
    std::optional<PointData> next();

    /// Was the block that came last surely the last one?
    bool is_at_end() const;
    /// How much of the source has been read, from 0 to 1; nothing where its length is not known.
    std::optional<double> share_read() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace redoubt
