#pragma once

/// Is it text at all?

#include <string>
#include <string_view>

namespace redoubt::io {

/// Throws ParseError, with the line, for bytes that are not UTF-8 text; where it is known what they
/// are instead, the message says how to make it so. `first_line` is that of the text's start. A
/// part must not begin or end within a character.
void check_is_text(const std::string& name, std::string_view text, long first_line = 1);

/// Without the byte order mark of UTF-8 that a file may start with.
std::string_view without_byte_order_mark(std::string_view text);

}  // namespace redoubt::io
