#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "core/sha256.hpp"
#include "proofs/exact_number.hpp"

namespace redoubt::testing {
namespace {

using proofs::ExactNumber;

__extension__ using Wide = __int128;

int sign_of(Wide value) {
    return value > 0 ? 1 : value < 0 ? -1 : 0;
}

TEST(ExactNumber, ComputesAsLongIntegersDo) {
    std::mt19937_64 random(1);
    const auto next = [&] {
        const int bits = static_cast<int>(random() % 60);
        return static_cast<std::int64_t>(random()) >> (63 - bits);
    };
    for (int i = 0; i < 20000; ++i) {
        const std::int64_t a = next();
        const std::int64_t b = next();
        const std::int64_t c = next() >> 8;
        const Wide value = static_cast<Wide>(a) * b + c;
        const ExactNumber exact = ExactNumber(a) * ExactNumber(b) + ExactNumber(c);
        EXPECT_EQ(exact.sign(), sign_of(value));
        EXPECT_EQ(compare(exact, ExactNumber(a) * ExactNumber(b)), sign_of(c));
        EXPECT_NEAR(exact.approximately(), static_cast<double>(value),
                    std::ldexp(std::abs(static_cast<double>(value)), -52));
    }
}

TEST(ExactNumber, KeepsEveryBitOfDoubles) {
    // A sum over the whole range of doubles, and back again.
    const double least = std::numeric_limits<double>::denorm_min();
    const double greatest = std::numeric_limits<double>::max();
    ExactNumber sum;
    for (double value : {greatest, least, -0.1, 3.0}) sum += ExactNumber(value);
    EXPECT_EQ(sum.sign(), 1);
    for (double value : {greatest, 3.0, -0.1}) sum += -ExactNumber(value);
    EXPECT_EQ(compare(sum, ExactNumber(least)), 0);
    EXPECT_EQ(sum.approximately(), least);
    // (2^-1074)^2 is not 0.
    EXPECT_EQ((ExactNumber(least) * ExactNumber(-least)).sign(), -1);
    EXPECT_EQ(ExactNumber(-2.5).size().approximately(), 2.5);
    EXPECT_EQ(ExactNumber(0.0).sign(), 0);
    EXPECT_EQ(ExactNumber(std::int64_t{INT64_MIN}).approximately(), -std::ldexp(1.0, 63));
}

// The examples of the standard.
TEST(Sha256, IsTheStandards) {
    EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256(std::string(1000000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace redoubt::testing
