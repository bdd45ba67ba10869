#pragma once

/// What whole files and blocks of files share: detecting the format, and what becomes of a table.

#include "data/table.hpp"
#include "redoubt/data_files.hpp"

#include <string>
#include <string_view>

namespace redoubt::io {

/// Detected from the dialect, the extension (ignoring a trailing ".gz"), then the start of the
/// text.
FileFormat choose_format(const DataSource& source, const Dialect& dialect, std::string_view text);

/// Number of feature columns, the only columns of LIBSVM text.
Index n_feature_columns(const TableCoding& coding);

/// Throws InvalidInput about `field` for a column that LIBSVM text cannot have.
void refuse_column(const char* field, const std::string& column);

/// The points of a table that was planned for `coding`.
PointData encode_points(Table& table, const TableCoding& coding, std::size_t max_bytes);

}  // namespace redoubt::io
