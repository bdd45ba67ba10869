#include "io/short_number.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cfloat>
#include <charconv>
#include <random>
#include <string>
#include <string_view>
#include <vector>

/// Against std::from_chars, which is exact for every number.

namespace redoubt::io {
namespace {

/// Whether it was taken. Fails the test unless what was taken is what std::from_chars takes, up to
/// the same place, to the last bit. The text is copied so that sanitizers see its end.
bool takes(std::string_view text) {
    const std::vector<char> bytes(text.begin(), text.end());
    const char* const end = bytes.data() + bytes.size();
    double value = 0.0;
    const char* const stop = read_short_number(bytes.data(), end, value);
    if (stop == nullptr) return false;
    double expected = 0.0;
    const auto result = std::from_chars(bytes.data(), end, expected);
    EXPECT_EQ(result.ec, std::errc{}) << text;
    EXPECT_EQ(stop, result.ptr) << text;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(expected)) << text;
    return true;
}

TEST(ShortNumber, TakesWhatTablesAreFullOf) {
    for (const char* text : {"0", "1", "-1", "42", "0.5", "-0.5", ".5", "5.", "-.5", "-0", "0.0",
                             "123456.789", "0.000001", "-1.23456", "1234567.12345678",
                             "123456789012345", "0.123456789012345", "9007199254740992"}) {
        EXPECT_TRUE(takes(text)) << text;
        EXPECT_TRUE(takes(std::string(text) + ",7.25,-8,abcdefghijklmnopqrstuv")) << text;
        EXPECT_TRUE(takes(std::string(text) + "\n1.5,99999999999999999999999")) << text;
    }
}

TEST(ShortNumber, LeavesTheRest) {
    for (const char* text :
         {"", "-", ".", "-.", "+1", "--1", "abc", "nan", "inf", "-inf", "1e5", "1.5E-3", "1.e2",
          "9007199254740993", "0.1234567890123456789", "12345678901234567890",
          "18446744073709551617", "18446744073709551616.5"}) {
        EXPECT_FALSE(takes(text)) << text;
        EXPECT_FALSE(takes(std::string(text) + ",7.25,-8,abcdefghijklmnopqrstuv")) << text;
    }
}

class ShortNumbers : public ::testing::TestWithParam<unsigned> {};

TEST_P(ShortNumbers, AreTheNearestDoubles) {
    std::mt19937_64 generator(GetParam());
    const auto digits = [&](std::uint64_t most) {
        std::string text;
        for (std::uint64_t n = generator() % (most + 1); n > 0; --n) {
            text += static_cast<char>('0' + generator() % 10);
        }
        return text;
    };
    int n_taken = 0;
    for (int repeat = 0; repeat < 100000; ++repeat) {
        std::string text = generator() % 2 == 0 ? "-" : "";
        text += digits(9);
        if (generator() % 8 != 0) text += "." + digits(10);
        // What follows must not matter, whatever it is.
        const std::string_view behind = ",;\n\t \xff:/-+.x";
        if (generator() % 4 != 0) {
            text += behind[generator() % behind.size()];
            text += digits(20);
        }
        n_taken += takes(text) ? 1 : 0;
    }
    EXPECT_GT(n_taken, 70000);
}

TEST_P(ShortNumbers, OfAllDigitsAreTheNearestDoubles) {
    std::mt19937_64 generator(GetParam());
    int n_taken = 0;
    for (int repeat = 0; repeat < 100000; ++repeat) {
        // 16 to 18 digits, the point anywhere.
        std::string text = std::to_string(1 + generator() % 9);
        for (std::uint64_t n = 15 + generator() % 3; n > 0; --n) {
            text += static_cast<char>('0' + generator() % 10);
        }
        text.insert(generator() % text.size(), ".");
        n_taken += takes(text) ? 1 : 0;
        takes("-0" + text);
    }
    // Where there is no 64-bit arithmetic they are left to others.
    EXPECT_GT(n_taken, LDBL_MANT_DIG == 64 ? 90000 : -1);
}

TEST_P(ShortNumbers, HalfWayBetweenTwoDoublesAreNotGuessed) {
    std::mt19937_64 generator(GetParam());
    for (int repeat = 0; repeat < 100000; ++repeat) {
        // A double of more than 53 bits as an integer, and half the distance to the next one.
        const int shift = 1 + static_cast<int>(generator() % 6);
        const std::uint64_t mantissa = (std::uint64_t{1} << 52) | (generator() >> 12);
        const std::uint64_t middle = (mantissa << shift) + (std::uint64_t{1} << (shift - 1));
        for (std::uint64_t near : {middle - 1, middle, middle + 1}) {
            std::string text = std::to_string(near);
            takes(text);
            text.insert(generator() % text.size(), ".");
            takes(text);
        }
        // 4503599627370497.5 and its like.
        takes(std::to_string((std::uint64_t{1} << 52) + generator() % 1000000) + ".5");
    }
}

TEST_P(ShortNumbers, OfAnyBytesAreNumbers) {
    std::mt19937_64 generator(GetParam());
    const std::string_view alphabet = "0123456789012345678901234567890123456789.-e,:/\xb0\xff";
    int n_taken = 0;
    for (int repeat = 0; repeat < 100000; ++repeat) {
        std::string text;
        for (std::uint64_t n = generator() % 30; n > 0; --n) {
            text += alphabet[generator() % alphabet.size()];
        }
        n_taken += takes(text) ? 1 : 0;
    }
    EXPECT_GT(n_taken, 30000);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ShortNumbers, ::testing::Range(1U, 4U));

}  // namespace
}  // namespace redoubt::io
