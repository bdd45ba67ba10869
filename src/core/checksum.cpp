#include "core/checksum.hpp"

#include <array>

namespace redoubt {

namespace {

/// What the division by the polynomial leaves of each byte.
constexpr std::array<std::uint32_t, 256> make_table() {
    constexpr std::uint32_t kPolynomial = 0xedb88320;
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
        std::uint32_t rest = byte;
        for (int bit = 0; bit < 8; ++bit) {
            rest = (rest & 1U) != 0 ? (rest >> 1) ^ kPolynomial : rest >> 1;
        }
        table[byte] = rest;
    }
    return table;
}

}  // namespace

std::uint32_t crc32(std::string_view text) {
    static constexpr std::array<std::uint32_t, 256> kTable = make_table();
    std::uint32_t rest = ~std::uint32_t{0};
    for (char c : text) rest = (rest >> 8) ^ kTable[(rest ^ static_cast<unsigned char>(c)) & 0xff];
    return ~rest;
}

}  // namespace redoubt
