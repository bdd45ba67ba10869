#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/exact_sign.hpp"
#include "redoubt/ensemble.hpp"

namespace redoubt::testing {
namespace {

Vector vec(std::initializer_list<double> values) {
    Vector v(static_cast<Index>(values.size()));
    std::copy(values.begin(), values.end(), v.begin());
    return v;
}

TEST(SignOfPlane, ZeroIsPositive) {
    EXPECT_EQ(sign_of_plane(vec({1.0, -1.0}), 0.0, vec({2.0, 2.0})), 1);
    EXPECT_EQ(exact_sign(vec({1.0, -1.0}), 0.0, vec({2.0, 2.0})), 0);
    EXPECT_EQ(sign_of_plane(vec({0.0}), 0.0, vec({5.0})), 1);
    EXPECT_EQ(sign_of_plane(vec({-0.0}), -0.0, vec({5.0})), 1);
}

// 0.1 * 3 - 0.3 is 5.55e-17 in exact arithmetic on the doubles nearest to those decimals, and the
// sum of ten 0.1 minus 1 is 5.55e-16 although floating-point summation says -1.1e-16.
TEST(SignOfPlane, SeesThroughRounding) {
    EXPECT_EQ(sign_of_plane(vec({0.1}), -0.3, vec({3.0})), 1);
    EXPECT_EQ(sign_of_plane(Vector::Constant(10, 0.1), -1.0, Vector::Ones(10)), 1);
    EXPECT_EQ(sign_of_plane(Vector::Constant(10, -0.1), 1.0, Vector::Ones(10)), -1);
}

TEST(SignOfPlane, KeepsBitsThatCancellationWouldLose) {
    EXPECT_EQ(sign_of_plane(vec({1e200, 1.0, -1e200}), 0.0, vec({1e100, 1e-300, 1e100})), 1);
    EXPECT_EQ(sign_of_plane(vec({1e200, -1.0, -1e200}), 0.0, vec({1e100, 1e-300, 1e100})), -1);
}

TEST(SignOfPlane, SurvivesOverflowAndUnderflow) {
    const double huge = std::numeric_limits<double>::max();
    const double tiny = std::numeric_limits<double>::denorm_min();
    EXPECT_EQ(sign_of_plane(vec({huge, -huge}), -1.0, vec({huge, huge})), -1);
    EXPECT_EQ(sign_of_plane(Vector::Constant(5, huge), 0.0, Vector::Constant(5, huge)), 1);
    EXPECT_EQ(sign_of_plane(vec({-tiny}), 0.0, vec({tiny})), -1);
    EXPECT_EQ(sign_of_plane(vec({tiny, -tiny}), 0.0, vec({tiny, 2.0 * tiny})), -1);
    EXPECT_EQ(sign_of_plane(vec({-tiny}), tiny, vec({1.0})), 1);
}

// Integers below 2^20: the exact sum fits into 64 bits, and about one in thirty is zero.
TEST(SignOfPlane, AgreesWithIntegerArithmetic) {
    std::mt19937_64 random(11);
    int n_zeros = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        const Index n = 1 + trial % 12;
        std::uniform_int_distribution<long> small(-4, 4);
        std::uniform_int_distribution<long> large(-(1L << 20), 1L << 20);
        auto& draw = trial % 2 == 0 ? small : large;
        Vector w(n);
        Vector x(n);
        long sum = draw(random);
        const auto b = static_cast<double>(sum);
        for (Index l = 0; l < n; ++l) {
            const long wl = draw(random);
            const long xl = draw(random);
            w[l] = std::ldexp(static_cast<double>(wl), -400);
            x[l] = std::ldexp(static_cast<double>(xl), 400);
            sum += wl * xl;
        }
        ASSERT_EQ(sign_of_plane(w, b, x), sum >= 0 ? 1 : -1);
        ASSERT_EQ(exact_sign(w, b, x), sum > 0 ? 1 : sum < 0 ? -1 : 0);
        n_zeros += sum == 0 ? 1 : 0;
    }
    EXPECT_GT(n_zeros, 100);
}

}  // namespace
}  // namespace redoubt::testing
