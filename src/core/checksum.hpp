#pragma once

/// A short number that tells whether a text was changed by accident.

#include <cstdint>
#include <string_view>

namespace redoubt {

/// CRC-32 as in zlib, gzip and PNG.
std::uint32_t crc32(std::string_view text);

}  // namespace redoubt
