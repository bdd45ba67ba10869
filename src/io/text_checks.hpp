#pragma once

/// Checks whether bytes are text at all.

#include <string>
#include <string_view>

namespace redoubt::io {

/// Throws ParseError, with the line, for bytes that are not UTF-8 text; if it is known what they
/// are, the message says how to convert them. `first_line` is the line of the start. A part must
/// not begin or end within a character.
void check_is_text(const std::string& name, std::string_view text, long first_line = 1);

/// Throws ParseError of the cause NotModel for text that starts like anything but JSON: a table
/// that was specified as the model, most likely.
void check_starts_like_model(const std::string& name, std::string_view text);

/// The text without the UTF-8 byte order mark that a file may start with.
std::string_view without_byte_order_mark(std::string_view text);

}  // namespace redoubt::io
