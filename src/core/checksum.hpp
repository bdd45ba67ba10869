#pragma once

/// A short number that reveals accidental changes of a text.

#include <cstdint>
#include <string_view>

namespace redoubt {

/// CRC-32 as in zlib, gzip and PNG.
std::uint32_t crc32(std::string_view text);

}  // namespace redoubt
