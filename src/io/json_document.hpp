#pragma once

/// What the JSON files of this library share: a name and version of the format, names of
/// enumerators, and a checksum over all other fields.

#include "core/enum_names.hpp"
#include "io/file_text.hpp"
#include "io/json_field.hpp"
#include "io/json_text.hpp"
#include "redoubt/ensemble.hpp"
#include "redoubt/types.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace redoubt::io {

/// Integers up to this size are exact in every JSON reader.
inline constexpr std::uint64_t kMaxJsonCount = std::uint64_t{1} << 53;

/// Throws ParseError, through the field, listing all valid names.
template <class Enum, std::size_t n>
Enum read_name(const JsonField& field, const EnumName<Enum> (&names)[n]) {
    return value_or_fail(names, field.is_text() ? field.text() : "",
                         [&](const std::string& wanted) { field.fail(wanted); });
}

Json list_of(const VectorRef& values);

/// A list of objects "w" (of length n) and "b".
std::vector<Hyperplane> read_plane_list(const JsonField& field, Index n);

/// The fields of a plane. With many features, most of them without a weight, `w` holds only the
/// weights of `features`, counted from 1.
Json plane_fields(const VectorRef& w, double b);
bool is_written_sparse(const VectorRef& w);

/// Reads the fields of a file or text of at most `max_bytes` and converts them with `read`.
template <class Read>
auto read_fields(const DataSource& source, std::size_t max_bytes, const Read& read,
                 FileContent content = FileContent::Text) {
    const FileText file(source, max_bytes, content);
    return read(parse_json(file.text(), file.name()), file.name());
}

/// The text of the fields. Throws InvalidInput about `what` if it is longer.
std::string limited_text(const Json& fields, const char* what, std::size_t max_bytes);

/// "crc32:0a1b2c3d".
std::string checksum_text(std::uint32_t sum);
/// The same for the text of the fields without the checksum itself.
std::string checksum_of(const Json& fields);
/// Removes the field "checksum", and throws ParseError unless it matches the others.
void check_checksum(Json& fields, const std::string& origin);

/// Throws ParseError unless it is a file of this format, of a version from 1 to `most`. Messages
/// call it `noun`.
void check_format(const JsonField& root, std::string_view format, int most, std::string_view noun);

}  // namespace redoubt::io
