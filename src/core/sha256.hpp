#pragma once

/// A fingerprint that cannot be forged (FIPS 180-4).

#include <string>
#include <string_view>

namespace redoubt {

/// 64 hexadecimal digits.
std::string sha256(std::string_view text);

}  // namespace redoubt
