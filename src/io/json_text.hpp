#pragma once

/// JSON as text: parsed strictly, written with numbers that read back as the same double.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace redoubt::io {

/// Fields keep the order in which they were written.
using Json = nlohmann::ordered_json;

/// Throws ParseError for text that is not JSON (with the line), for a name that occurs twice in one
/// object, a number beyond the range of a double, more than `max_depth` levels or more than
/// kMaxJsonFields names in one object.
inline constexpr std::size_t kMaxJsonDepth = 8;
Json parse_json(std::string_view text, const std::string& origin,
                std::size_t max_depth = kMaxJsonDepth);

/// A JSON tree and what is built from it take at most this many times the length of the text; the
/// worst case is a list of empty texts. (The fuzz harnesses hold the readers to this.)
inline constexpr std::size_t kMaxJsonMemoryFactor = 40;
/// Looking up a name takes time in proportion to their number.
inline constexpr std::size_t kMaxJsonFields = 1000;

/// One field of the outer objects per line, one entry of a list of objects or lists per line, and
/// no extra blanks within. Numbers have the fewest digits that read back as the same double. Throws
/// InvalidInput if a text is not UTF-8.
std::string json_text(const Json& value);

}  // namespace redoubt::io
