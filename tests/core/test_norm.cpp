#include "redoubt/norm.hpp"

#include <gtest/gtest.h>

#include <random>

#include "redoubt/error.hpp"

namespace redoubt::testing {
namespace {

const std::vector<Norm> kNorms{Norm::L1, Norm::L2, Norm::LInf};

TEST(Norm, NamesReadBack) {
    for (Norm norm : kNorms) EXPECT_EQ(parse_norm(to_string(norm)), norm);
    try {
        parse_norm("L2");
        FAIL() << "accepted";
    } catch (const InvalidInput& error) {
        EXPECT_STREQ(error.what(), "norm: expected 'l1', 'l2', 'linf' or 'l0', got 'L2'");
        EXPECT_EQ(error.argument(), "norm");
    }
}

TEST(Norm, ValuesByHand) {
    const Vector v = (Vector(3) << 3.0, -4.0, 0.0).finished();
    EXPECT_EQ(norm_value(Norm::L1, v), 7.0);
    EXPECT_EQ(norm_value(Norm::L2, v), 5.0);
    EXPECT_EQ(norm_value(Norm::LInf, v), 4.0);
    EXPECT_EQ(norm_value(Norm::L2, Vector()), 0.0);
    EXPECT_DOUBLE_EQ(norm_value(Norm::L2, Vector::Constant(4, 1e200)), 2e200);
    EXPECT_DOUBLE_EQ(norm_value(Norm::L2, Vector::Constant(4, 1e-200)), 2e-200);
}

TEST(Norm, DualOfTheDualIsTheNormItself) {
    for (Norm norm : kNorms) EXPECT_EQ(dual(dual(norm)), norm);
    EXPECT_EQ(dual(Norm::L1), Norm::LInf);
    EXPECT_EQ(dual(Norm::L2), Norm::L2);
}

// max { g'd : ||d||_p <= r } = r ||g||_q, and no random d of that length does better.
TEST(SteepestStep, ReachesTheDualNorm) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    for (int trial = 0; trial < 100; ++trial) {
        Vector g(1 + trial % 7);
        for (double& value : g) value = normal(random);
        for (Norm norm : kNorms) {
            const Vector d = steepest_step(norm, g, 0.7);
            EXPECT_NEAR(norm_value(norm, d), 0.7, 1e-15);
            EXPECT_NEAR(g.dot(d), 0.7 * norm_value(dual(norm), g), 1e-14);
            Vector other(g.size());
            for (double& value : other) value = normal(random);
            other *= 0.7 / norm_value(norm, other);
            EXPECT_LE(g.dot(other), g.dot(d) + 1e-14);
        }
    }
}

TEST(SteepestStep, IsDefinedWhereItIsNotUnique) {
    const Vector g = (Vector(4) << -2.0, 0.0, 2.0, 1.0).finished();
    EXPECT_EQ(steepest_step(Norm::L1, g, 3.0), (Vector(4) << -3.0, 0.0, 0.0, 0.0).finished());
    EXPECT_EQ(steepest_step(Norm::LInf, g, 3.0), (Vector(4) << -3.0, 3.0, 3.0, 3.0).finished());
    for (Norm norm : kNorms) EXPECT_EQ(steepest_step(norm, Vector::Zero(3), 1.0), Vector::Zero(3));
    const Vector huge = Vector::Constant(4, 1e300);
    EXPECT_NEAR(steepest_step(Norm::L2, huge, 2.0)[0], 1.0, 1e-15);
}

}  // namespace
}  // namespace redoubt::testing
