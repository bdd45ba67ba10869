#pragma once

/// What whole files and blocks of them have in common: which format, and what becomes of a table.

#include "data/table.hpp"
#include "redoubt/data_files.hpp"

#include <string>
#include <string_view>

namespace redoubt::io {

/// By the dialect, the extension (".gz" behind it does not count), then the start of the text.
FileFormat choose_format(const DataSource& source, const Dialect& dialect, std::string_view text);

/// Columns of features, which is what LIBSVM text has.
Index n_feature_columns(const TableCoding& coding);

/// Throws InvalidInput, on behalf of `field`, for a column that LIBSVM text cannot have.
void refuse_column(const char* field, const std::string& column);

/// The points of a table that was planned for `coding`.
PointData encode_points(Table& table, const TableCoding& coding, std::size_t max_bytes);

}  // namespace redoubt::io
