#pragma once

/// Reads the short numbers that tables are full of, faster than std::from_chars reads any number.

#include <array>
#include <bit>
#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace redoubt::io {

inline constexpr std::array<double, 19> kPowersOfTen{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,
                                                     1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13,
                                                     1e14, 1e15, 1e16, 1e17, 1e18};
inline constexpr std::array<long double, 19> kLongPowersOfTen{
    1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L, 1e9L,
    1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L};
/// 10^18 - 1 < 2^63.
inline constexpr std::ptrdiff_t kMaxDigits = 18;
inline constexpr std::array<std::uint64_t, 9> kIntegerPowersOfTen{
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/// Eight characters, the first in the lowest byte.
inline std::uint64_t load_eight(const char* p) {
    std::uint64_t bytes = 0;
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(&bytes, p, sizeof bytes);
    } else {
        for (int i = 7; i >= 0; --i) bytes = bytes << 8 | static_cast<unsigned char>(p[i]);
    }
    return bytes;
}

/// How many of eight characters, counted from the first, are digits.
inline int count_digits(std::uint64_t bytes) {
    // The sum sets the high bit of a byte above '9', the difference that of a byte below '0'.
    // Carries into the next byte come from such bytes only, and the first one is what counts.
    const std::uint64_t above = bytes + 0x4646464646464646;
    const std::uint64_t below = bytes - 0x3030303030303030;
    return std::countr_zero((bytes | above | below) & 0x8080808080808080) / 8;
}

/// The number formed by the first `count` of eight characters: neighbours are joined into pairs,
/// pairs into fours, fours into the whole. No digit needs a branch, so a varying number of them
/// costs nothing.
inline std::uint64_t join_digits(std::uint64_t bytes, int count) {
    if (count == 0) return 0;
    const std::uint64_t ones = (bytes - 0x3030303030303030) << (64 - 8 * count);
    const std::uint64_t pairs = (ones & 0x00ff00ff00ff00ff) * 10 + (ones >> 8 & 0x00ff00ff00ff00ff);
    const std::uint64_t fours =
        (pairs & 0x0000ffff0000ffff) * 100 + (pairs >> 16 & 0x0000ffff0000ffff);
    return (fours & 0xffffffff) * 10000 + (fours >> 32);
}

/// digits / 10^n_behind rounded to the nearest double, if that is easy to determine. `digits` <
/// 2^63.
inline bool divide_exactly(std::uint64_t digits, std::size_t n_behind, double& value) {
    // An integer up to 2^53 and a power of ten up to 10^22 are exact, so their quotient is rounded
    // once. That needs arithmetic in double, and not in something wider.
    static_assert(FLT_EVAL_METHOD == 0);
    constexpr std::uint64_t kMaxExact = std::uint64_t{1} << 53;
    if (digits <= kMaxExact) {
        value = static_cast<double>(digits) / kPowersOfTen[n_behind];
        return true;
    }
    if constexpr (LDBL_MANT_DIG == 64) {
        // In the 64-bit arithmetic of x86 both are exact again. The quotient is then rounded a
        // second time, which is wrong only if it lies half-way between two doubles: its last 11
        // bits are 10000000000. (In any other case no half-way point is closer to the true
        // quotient, which is within half a bit.)
        const long double quotient = static_cast<long double>(static_cast<std::int64_t>(digits)) /
                                     kLongPowersOfTen[n_behind];
        std::uint64_t mantissa = 0;
        std::memcpy(&mantissa, &quotient, sizeof mantissa);
        value = static_cast<double>(quotient);
        return (mantissa & 0x7ff) != 0x400;
    }
    return false;
}

/// Reads [-]DIGITS[.DIGITS] with at most 18 significant digits and no exponent, rounded to the
/// nearest double as std::from_chars does. Returns the position after the number, or nullptr for
/// anything else or if rounding is hard (it may still be a number).
inline const char* read_short_number(const char* p, const char* end, double& value) {
    const bool is_negative = p < end && *p == '-';
    p += is_negative ? 1 : 0;
    // Wraps around for many digits, which are refused below.
    std::uint64_t digits = 0;
    const auto read_digits = [&] {
        const char* const first = p;
        for (; p < end && *p >= '0' && *p <= '9'; ++p) {
            digits = 10 * digits + static_cast<std::uint64_t>(*p - '0');
        }
        return p - first;
    };
    std::ptrdiff_t n_digits = read_digits();
    std::ptrdiff_t n_behind = 0;
    bool has_digits = n_digits > 0;
    if (digits == 0 && n_digits < kMaxDigits) n_digits = 0;
    if (p < end && *p == '.') {
        const char* const first = ++p;
        int count = 8;
        while (count == 8 && end - p >= 8) {
            const std::uint64_t bytes = load_eight(p);
            count = count_digits(bytes);
            digits = digits * kIntegerPowersOfTen[static_cast<std::size_t>(count)] +
                     join_digits(bytes, count);
            p += count;
        }
        if (count == 8) read_digits();
        n_behind = p - first;
        n_digits += n_behind;
        has_digits = has_digits || n_behind > 0;
    }
    if (!has_digits || n_digits > kMaxDigits) return nullptr;
    if (p < end && (*p == 'e' || *p == 'E')) return nullptr;
    double size = 0.0;
    if (!divide_exactly(digits, static_cast<std::size_t>(n_behind), size)) return nullptr;
    value = is_negative ? -size : size;
    return p;
}

}  // namespace redoubt::io
