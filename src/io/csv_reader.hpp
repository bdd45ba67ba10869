#pragma once

/// Comma-separated values and their relatives, as docs/formats.md describes them.

#include "data/table.hpp"
#include "redoubt/data_files.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace redoubt::io {

struct CsvSettings {
    std::string origin;
    char separator = 0;
    Header header = Header::Detect;
    bool missing_allowed = false;
    std::size_t max_bytes = 0;
    /// A training file: a setting may cure its problems.
    bool is_first = false;
    /// No label column was specified.
    bool is_label_open = false;
    /// Whether every row ends in a separator with nothing after it. Empty: check them all.
    std::optional<bool> rows_trail{};
};

/// The character that separates the fields of `text`.
char detect_separator(std::string_view text);

/// True if a text that goes on has enough lines for `detect_separator`.
bool shows_separator(std::string_view text);

/// How much of a text that goes on consists of whole rows.
std::size_t whole_csv_rows(std::string_view text, char separator);

/// True if every row of the text ends in a separator with nothing after it.
bool every_csv_row_trails(std::string_view text, char separator, const std::string& origin);

/// Reads the whole table in one pass over the text. A second pass is needed if a column of kind
/// Either holds text, but not in the first rows, and another one before if the first row ends in a
/// separator. Slots of Number and Either columns must be 0, 1, .. in some order, and likewise those
/// of Text and of Amount columns. On return no column is Either. Throws ParseError for a column of
/// numbers with a few texts in it, which are more likely mistakes than categories.
Table read_csv(std::string_view text, const CsvSettings& settings, const ColumnPlanner& planner);

class CsvReader;

/// The same table block by block, for plans without a column of kind Either: names, separator and
/// plan are those of the first block. Each block holds whole rows; the first also holds the header.
class CsvBlocks {
public:
    CsvBlocks(CsvSettings settings, ColumnPlanner planner);
    ~CsvBlocks();

    /// `first_line` is the line of the file on which the block starts.
    Table read(std::string_view text, long first_line);

private:
    CsvSettings settings_;
    ColumnPlanner planner_;
    std::unique_ptr<CsvReader> reader_;
};

}  // namespace redoubt::io
