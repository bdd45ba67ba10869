#pragma once

/// Comma-separated values and their relatives, as docs/formats.md describes them.

#include "data/table.hpp"
#include "redoubt/data_files.hpp"

#include <string>
#include <string_view>

namespace redoubt::io {

struct CsvSettings {
    std::string origin;
    char separator = 0;
    Header header = Header::Detect;
    bool missing_allowed = false;
    std::size_t max_bytes = 0;
    /// A training file: what is wrong with it, a setting may cure.
    bool is_first = false;
    /// Nobody has said which column the label is.
    bool is_label_open = false;
};

/// The character that separates the fields of `text`.
char detect_separator(std::string_view text);

/// Reads the whole table in one pass over the text; in two if a column of kind Either holds text
/// but not in the first rows, and with another before it if the first row ends in a separator.
/// Slots of Number and Either columns must be 0, 1, .. in some order, and likewise those of Text
/// and of Amount columns. On return no column is Either. Throws ParseError for one whose values are
/// numbers but for a few texts: a slip is likelier than categories.
Table read_csv(std::string_view text, const CsvSettings& settings, const ColumnPlanner& planner);

}  // namespace redoubt::io
