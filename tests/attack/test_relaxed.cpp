#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "attack/random_attacks.hpp"
#include "attack/relaxed_adversary.hpp"
#include "support/balls.hpp"

namespace redoubt {
namespace {

using testing::make_random_attack;
using testing::PlaneKind;
using testing::RandomAttack;

/// What holds for every answer: d in the ball, the claimed objective is that of d, a true bracket.
void expect_consistent(const PointProblem& point, const AdversaryAnswer& answer) {
    const double tolerance = 1e-13 * testing::term_scale(point);
    ASSERT_EQ(answer.d.size(), point.x.size());
    EXPECT_LE(norm_value(point.threat.norm, answer.d), point.radius);
    EXPECT_NEAR(answer.objective, testing::hinge_sum(point, answer.d), tolerance);
    EXPECT_GE(answer.bound, answer.objective);
}

class RelaxedKinds : public ::testing::TestWithParam<PlaneKind> {};
INSTANTIATE_TEST_SUITE_P(All, RelaxedKinds, ::testing::ValuesIn(testing::kPlaneKinds),
                         [](const auto& kind) {
                             return "Kind" + std::to_string(static_cast<int>(kind.param));
                         });

void expect_best(const PointProblem& point, const AdversaryAnswer& answer, double best) {
    const double tolerance = 4e-12 * testing::term_scale(point);
    EXPECT_EQ(answer.status, Status::Optimal);
    expect_consistent(point, answer);
    EXPECT_NEAR(answer.objective, best, tolerance);
    EXPECT_GE(answer.bound, best);
    EXPECT_LE(answer.bound, best + tolerance);
}

TEST_P(RelaxedKinds, AgreesWithAllSubsets) {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const auto k = static_cast<Index>(1 + seed % 10);
        const auto n = static_cast<Index>(1 + (seed / 10) % 8);
        const RandomAttack attack = make_random_attack(GetParam(), k, n, seed);
        for (const Norm norm : testing::kNorms) {
            SCOPED_TRACE("seed " + std::to_string(seed) + " " + std::string(to_string(norm)));
            const PointProblem point = attack.point(norm);
            expect_best(point, relaxed_adversary(point, {}), testing::brute_force_relaxed(point));
        }
    }
}

/// Bounds and branching alone, nothing enumerated: a prune too many shows here.
TEST_P(RelaxedKinds, SearchAloneAgreesWithAllSubsets) {
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        const auto k = static_cast<Index>(1 + seed % 11);
        const auto n = static_cast<Index>(1 + (seed / 11) % 15);
        const RandomAttack attack = make_random_attack(GetParam(), k, n, seed + 20000);
        for (const Norm norm : {Norm::L2, Norm::LInf}) {
            SCOPED_TRACE("seed " + std::to_string(seed) + " " + std::string(to_string(norm)));
            const PointProblem point = attack.point(norm);
            const RelaxedPlanes planes(attack.ensemble, norm);
            RelaxedAdversary adversary(planes, {0, 0});
            expect_best(point, adversary.solve(point, {}), testing::brute_force_relaxed(point));
        }
    }
}

/// More features than the box is enumerated for.
TEST_P(RelaxedKinds, AgreesWithAllSubsetsInManyDimensions) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const auto k = static_cast<Index>(1 + seed % 13);
        const auto n = static_cast<Index>(11 + 7 * (seed % 5));
        const RandomAttack attack = make_random_attack(GetParam(), k, n, seed + 5000);
        for (const Norm norm : {Norm::L2, Norm::LInf}) {
            SCOPED_TRACE("seed " + std::to_string(seed) + " " + std::string(to_string(norm)));
            const PointProblem point = attack.point(norm);
            expect_best(point, relaxed_adversary(point, {}), testing::brute_force_relaxed(point));
        }
    }
}

/// Enough planes to branch many times before the rest is enumerated.
TEST_P(RelaxedKinds, AgreesWithAllSubsetsOfManyPlanes) {
    std::int64_t n_nodes = 0;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        RandomAttack attack = make_random_attack(GetParam(), 16, 11, seed + 9000);
        if (seed > 0) attack.radius = 1.0;
        for (const Norm norm : {Norm::L2, Norm::LInf}) {
            const PointProblem point = attack.point(norm);
            const AdversaryAnswer answer = relaxed_adversary(point, {});
            expect_best(point, answer, testing::brute_force_relaxed(point));
            n_nodes += answer.n_nodes;
        }
    }
    if (GetParam() == PlaneKind::Random) {
        EXPECT_GT(n_nodes, 50);
    }
}

TEST_P(RelaxedKinds, NoStepInTheBallDoesBetter) {
    std::mt19937_64 rng(7);
    std::normal_distribution<double> normal;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const RandomAttack attack =
            make_random_attack(GetParam(), 15, static_cast<Index>(1 + seed % 20), seed);
        for (const Norm norm : testing::kNorms) {
            const PointProblem point = attack.point(norm);
            const AdversaryAnswer answer = relaxed_adversary(point, {});
            for (int trial = 0; trial < 50; ++trial) {
                const Vector g = Vector::NullaryExpr(point.x.size(), [&] { return normal(rng); });
                // The steepest step, and one inside the ball's rounder parts.
                EXPECT_LE(testing::hinge_sum(point, steepest_step(norm, g, point.radius)),
                          answer.bound);
                EXPECT_LE(testing::hinge_sum(
                              point, g * (point.radius / norm_value(norm, g) * (1 - 1e-15))),
                          answer.bound);
            }
        }
    }
}

TEST(Relaxed, IsEqualOnEveryRun) {
    for (const Norm norm : testing::kNorms) {
        const RandomAttack attack = make_random_attack(PlaneKind::Whole, 14, 12, 3);
        const AdversaryAnswer one = relaxed_adversary(attack.point(norm), {});
        const AdversaryAnswer two = relaxed_adversary(attack.point(norm), {});
        EXPECT_EQ(one.d, two.d);
        EXPECT_EQ(one.n_nodes, two.n_nodes);
        EXPECT_EQ(one.bound, two.bound);
    }
}

TEST(Relaxed, RadiusZeroDoesNotMove) {
    for (const Norm norm : testing::kNorms) {
        RandomAttack attack = make_random_attack(PlaneKind::Random, 9, 12, 1);
        attack.radius = 0.0;
        const AdversaryAnswer answer = relaxed_adversary(attack.point(norm), {});
        EXPECT_EQ(answer.d, Vector::Zero(12));
        EXPECT_EQ(answer.status, Status::Optimal);
        EXPECT_EQ(answer.n_nodes, 0);
    }
}

TEST(Relaxed, OnlyZeroPlanes) {
    const Ensemble ensemble(Matrix::Zero(3, 2), Vector::LinSpaced(3, -2.0, 2.0));
    const Vector x = Vector::Ones(2);
    for (const Norm norm : testing::kNorms) {
        const AdversaryAnswer answer =
            relaxed_adversary({ensemble, testing::ball(norm), x, 1, 1.0}, {});
        EXPECT_EQ(answer.d, Vector::Zero(2));
        EXPECT_DOUBLE_EQ(answer.objective, 4.0);  // 1 + 2, 1 - 0, and nothing for b = 2
    }
}

/// By hand: one plane w = (1, -2), b = 0, y = +1 at 0; the step is against w.
TEST(Relaxed, OnePlaneByHand) {
    const Ensemble ensemble(Hyperplane{Eigen::Vector2d(1.0, -2.0), 0.0});
    const Vector x = Vector::Zero(2);
    const double expected[] = {1.0 + 2.0, 1.0 + std::sqrt(5.0), 1.0 + 3.0};
    const Eigen::Vector2d steps[] = {
        {0.0, 1.0}, {-1.0 / std::sqrt(5.0), 2.0 / std::sqrt(5.0)}, {-1.0, 1.0}};
    for (std::size_t p = 0; p < 3; ++p) {
        const AdversaryAnswer answer =
            relaxed_adversary({ensemble, testing::ball(testing::kNorms[p]), x, 1, 1.0}, {});
        EXPECT_NEAR(answer.objective, expected[p], 1e-15);
        EXPECT_TRUE(answer.d.isApprox(steps[p], 1e-15));
    }
}

/// A zero component of A'v: the sign is +.
TEST(Relaxed, ZeroComponentsTakeThePositiveSign) {
    for (const Index n : {3, 12}) {
        Vector w = Vector::Zero(n);
        w[0] = 1.0;
        const Ensemble ensemble(Hyperplane{w, 0.0});
        Vector expected = Vector::Ones(n);
        expected[0] = -1.0;
        EXPECT_EQ(
            relaxed_adversary({ensemble, testing::ball(Norm::LInf), Vector::Zero(n), 1, 1.0}, {}).d,
            expected);
    }
}

TEST(Relaxed, HugeNumbersFailWithAnInfiniteBound) {
    const Ensemble ensemble(Hyperplane{Eigen::Vector2d(1e300, 1e300), 0.0});
    for (const Norm norm : testing::kNorms) {
        const AdversaryAnswer answer =
            relaxed_adversary({ensemble, testing::ball(norm), Vector::Ones(2), 1, 1e300}, {});
        EXPECT_EQ(answer.status, Status::NumericalFailure);
        EXPECT_EQ(answer.d, Vector::Zero(2));
        EXPECT_EQ(answer.bound, HUGE_VAL);
    }
}

/// Planes scaled by a power of two with the radius scaled back: the same step, bit for bit.
TEST(Relaxed, TinyAndHugePlanesLoseNothing) {
    for (const int exponent : {-600, 600}) {
        for (const Norm norm : {Norm::L2, Norm::LInf}) {
            const RandomAttack base = make_random_attack(PlaneKind::Random, 10, 12, 9);
            const double factor = std::ldexp(1.0, exponent);
            const Ensemble scaled(base.ensemble.coef() * factor, base.ensemble.intercept());
            const Vector x = base.x / factor;
            const AdversaryAnswer one =
                relaxed_adversary({base.ensemble, testing::ball(norm), base.x, 1, 0.5}, {});
            const AdversaryAnswer two =
                relaxed_adversary({scaled, testing::ball(norm), x, 1, 0.5 / factor}, {});
            EXPECT_TRUE((two.d * factor).isApprox(one.d, 1e-14));
            EXPECT_NEAR(two.objective, one.objective, 1e-12);
            EXPECT_EQ(two.n_nodes, one.n_nodes);
        }
    }
}

}  // namespace
}  // namespace redoubt
