/// Weighted votes: exact sums, ties, and what is not a weight.

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "redoubt/ensemble.hpp"
#include "redoubt/error.hpp"

namespace redoubt::testing {
namespace {

/// Plane i answers +1 exactly where x_i >= 0.
Ensemble coordinates(const Vector& weights) {
    const Index k = weights.size();
    return {Matrix::Identity(k, k), Vector::Zero(k), weights};
}

TEST(Weights, DecideTheVote) {
    const Ensemble ensemble = coordinates(Vector{{5.0, 1.0, 2.0}});
    EXPECT_EQ(ensemble.predict(Vector{{1.0, -1.0, -1.0}}), 1);
    EXPECT_EQ(ensemble.predict(Vector{{-1.0, 1.0, 1.0}}), -1);
    EXPECT_EQ(ensemble.weighted_vote(Vector{{1.0, -1.0, -1.0}}), 2.0);
    EXPECT_EQ(ensemble.vote(Vector{{1.0, -1.0, -1.0}}), -1);
    const Matrix X = (Matrix(2, 3) << 1.0, -1.0, -1.0, -1.0, 1.0, 1.0).finished();
    EXPECT_EQ(ensemble.predict_all(X), (Eigen::VectorXi(2) << 1, -1).finished());
    EXPECT_EQ(ensemble.votes(X), (Eigen::VectorXi(2) << -1, 1).finished());
    EXPECT_EQ(ensemble.weighted_votes(X), (Vector{{2.0, -2.0}}));
}

TEST(Weights, AreIntegerMultiplesOfTheirUnit) {
    const Ensemble ensemble = coordinates(Vector{{1.5, 4.5, 3.0}});
    EXPECT_TRUE(ensemble.is_weighted());
    EXPECT_EQ(ensemble.weight_unit(), 1.5);
    EXPECT_EQ(ensemble.weight_units(0), 1);
    EXPECT_EQ(ensemble.weight_units(1), 3);
    EXPECT_EQ(ensemble.weight_units(2), 2);
    EXPECT_EQ(ensemble.total_units(), 6);
    EXPECT_EQ(ensemble.weights(), (Vector{{1.5, 4.5, 3.0}}));
}

TEST(Weights, TiesGoToPlusOne) {
    const Vector x{{-1.0, 1.0, 1.0, 1.0}};
    EXPECT_EQ(coordinates(Vector{{3.0, 1.0, 1.0, 1.0}}).predict(x), 1);
    EXPECT_EQ(coordinates(Vector{{3.0, 1.0, 1.0, 1.0}}).predict(-x), 1);
    const double more = std::nextafter(3.0, 4.0);
    EXPECT_EQ(coordinates(Vector{{more, 1.0, 1.0, 1.0}}).predict(x), -1);
    EXPECT_EQ(coordinates(Vector{{3.0, 1.0, 1.0, std::nextafter(1.0, 0.0)}}).predict(-x), 1);
}

// In floating point 1e-12 is lost beside 1 when it is added last.
TEST(Weights, SmallOnesCount) {
    const Ensemble ensemble = coordinates(Vector{{1.0, 1.0, 1e-12}});
    EXPECT_EQ(ensemble.predict(Vector{{1.0, -1.0, 1.0}}), 1);
    EXPECT_EQ(ensemble.predict(Vector{{1.0, -1.0, -1.0}}), -1);
}

TEST(Weights, EqualOnesAreTheMajority) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    for (double weight : {1.0, 0.1, 7.0, 1e-50, 1e50}) {
        const Matrix coef = Matrix::NullaryExpr(6, 3, [&] { return normal(random); });
        const Vector intercept = Vector::NullaryExpr(6, [&] { return normal(random); });
        const Ensemble majority(coef, intercept);
        const Ensemble equal(coef, intercept, Vector::Constant(6, weight));
        const Ensemble none(coef, intercept, Vector(0));
        EXPECT_FALSE(majority.is_weighted());
        EXPECT_FALSE(none.is_weighted());
        EXPECT_EQ(equal.total_units(), 6);
        EXPECT_EQ(equal.weight_unit(), weight);
        const Matrix X = Matrix::NullaryExpr(200, 3, [&] { return normal(random); });
        EXPECT_EQ(equal.predict_all(X), majority.predict_all(X));
        EXPECT_EQ(none.predict_all(X), majority.predict_all(X));
        EXPECT_EQ(majority.weighted_votes(X), majority.votes(X).cast<double>());
    }
}

// Multiples of 2^-30 add up without rounding in long double: an independent sum.
TEST(Weights, ThousandsAddUpExactly) {
    std::mt19937_64 random(6);
    const Index k = 3000;
    Vector weights(k);
    for (double& weight : weights)
        weight = std::ldexp(static_cast<double>(1 + random() % (1U << 30)), -30);
    const Ensemble ensemble = coordinates(weights);
    EXPECT_LT(ensemble.total_units(), std::int64_t{1} << 62);
    for (int round = 0; round < 20; ++round) {
        Vector x(k);
        long double sum = 0;
        for (Index i = 0; i < k; ++i) {
            x[i] = random() % 2 == 0 ? 1.0 : -1.0;
            sum += x[i] * weights[i];
        }
        EXPECT_EQ(ensemble.weighted_vote(x), static_cast<double>(sum));
        EXPECT_EQ(ensemble.predict(x), sum >= 0 ? 1 : -1);
    }
}

TEST(Weights, BadOnesAreNamed) {
    const auto message = [](const Vector& weights) -> std::string {
        try {
            const Ensemble ensemble(Matrix::Identity(2, 2), Vector::Zero(2), weights);
        } catch (const InvalidInput& error) {
            return error.what();
        }
        return "accepted";
    };
    EXPECT_EQ(message(Vector{{1.0}}), "weights: expected length 2, got length 1");
    EXPECT_EQ(message(Vector{{1.0, 0.0}}), "weights: expected numbers > 0, got 0");
    EXPECT_EQ(message(Vector{{1.0, -2.0}}), "weights: expected numbers > 0, got -2");
    EXPECT_EQ(message(Vector{{1.0, 1e-13}}),
              "weights: expected numbers of at least 2^-40 of the largest, got 1e-13");
    EXPECT_NE(message(Vector{{1.0, std::numeric_limits<double>::quiet_NaN()}}), "accepted");
    EXPECT_NE(message(Vector{{1.0, std::numeric_limits<double>::infinity()}}), "accepted");
    EXPECT_NE(message(Vector{{1e101, 1e101}}), "accepted");
    EXPECT_NE(message(Vector{{1e-101, 1e-101}}), "accepted");
    EXPECT_EQ(message(Vector{{1.0, 1e-12}}), "accepted");
    EXPECT_EQ(message(Vector{{-1.0, -2.0}}), "weights: expected numbers > 0, got -1");
}

TEST(Weights, TinyOnesAreKeptWhereNothingIsRounded) {
    const double most = 0x1p53 - 1.0;
    const Ensemble ensemble = coordinates(Vector{{most, most, 1.0}});
    EXPECT_EQ(ensemble.weight_units(0), (std::int64_t{1} << 53) - 1);
    EXPECT_EQ(ensemble.weight_units(2), 1);
    EXPECT_EQ(ensemble.predict(Vector{{1.0, -1.0, 1.0}}), 1);
    EXPECT_EQ(ensemble.predict(Vector{{1.0, -1.0, -1.0}}), -1);
}

}  // namespace
}  // namespace redoubt::testing
