#include <gtest/gtest.h>

#include <cmath>

#include "attack/random_attacks.hpp"
#include "support/balls.hpp"

namespace redoubt {
namespace {

Ensemble worked_example() {
    Matrix W(2, 2);
    W << -1.0, 1.0, 1.0, 1.0;
    return {W, Eigen::Vector2d(0.0, -2.0)};
}

/// The source paper's example: beta = (11/30, 19/30), g = (4/15, 1).
TEST(Heuristic, WorkedExample) {
    const Ensemble ensemble = worked_example();
    const Vector x = Eigen::Vector2d(0.6, 0.5);
    const Vector g = Eigen::Vector2d(4.0 / 15.0, 1.0);
    for (const HeuristicRule rule : {HeuristicRule::Corrected, HeuristicRule::Published}) {
        const AdversaryAnswer answer =
            heuristic_adversary({ensemble, testing::ball(Norm::L2), x, -1, 1.0}, rule);
        EXPECT_TRUE(answer.d.isApprox(g / g.norm(), 1e-15)) << to_string(rule);
        EXPECT_EQ(answer.status, Status::Optimal);
        EXPECT_EQ(answer.bound, HUGE_VAL);
        EXPECT_EQ(answer.n_nodes, 0);
        // x + d = (0.858, 1.466): both planes answer +1.
        EXPECT_EQ(answer.objective, 2.0);
    }
}

TEST(Heuristic, OtherNormsOfTheExample) {
    const Ensemble ensemble = worked_example();
    const Vector x = Eigen::Vector2d(0.6, 0.5);
    for (const HeuristicRule rule : {HeuristicRule::Corrected, HeuristicRule::Published}) {
        EXPECT_EQ(heuristic_adversary({ensemble, testing::ball(Norm::LInf), x, -1, 0.5}, rule).d,
                  Vector::Constant(2, 0.5));
        EXPECT_EQ(heuristic_adversary({ensemble, testing::ball(Norm::L1), x, -1, 0.5}, rule).d,
                  Vector(Eigen::Vector2d(0.0, 0.5)));
    }
}

/// Section by section: -y, and the length of the L2 step.
TEST(Heuristic, RulesDifferInSignAndLength) {
    const Ensemble ensemble(Hyperplane{Eigen::Vector2d(3.0, 4.0), 0.0});
    const Vector x = Eigen::Vector2d(1.0, 1.0);
    const Vector direction = Eigen::Vector2d(0.6, 0.8);
    const auto step = [&](int y, double r, Norm norm, HeuristicRule rule) {
        // For y = -1 the margin is -7 and beta is 0: shift the point so that it counts.
        return heuristic_adversary({ensemble, testing::ball(norm), y * x, y, r}, rule).d;
    };
    for (const int y : {-1, 1}) {
        EXPECT_TRUE(step(y, 0.25, Norm::L2, HeuristicRule::Corrected)
                        .isApprox(-y * 0.25 * direction, 1e-15));
        EXPECT_TRUE(step(y, 0.25, Norm::L2, HeuristicRule::Published).isApprox(direction, 1e-15));
        EXPECT_EQ(step(y, 0.25, Norm::LInf, HeuristicRule::Corrected),
                  Vector::Constant(2, -y * 0.25));
        EXPECT_EQ(step(y, 0.25, Norm::LInf, HeuristicRule::Published), Vector::Constant(2, 0.25));
    }
}

TEST(Heuristic, StaysPutWithoutADirection) {
    const Vector x = Eigen::Vector2d(1.0, 0.0);
    Matrix opposite(2, 2);
    opposite << 1.0, 2.0, -1.0, -2.0;
    const Ensemble cancels(opposite, Eigen::Vector2d(-1.0, 1.0));      // both margins 0: g = 0
    const Ensemble lost(Hyperplane{Eigen::Vector2d(-5.0, 0.0), 0.0});  // margin -5: beta = 0
    for (const Norm norm : testing::kNorms) {
        for (const HeuristicRule rule : {HeuristicRule::Corrected, HeuristicRule::Published}) {
            EXPECT_EQ(heuristic_adversary({cancels, testing::ball(norm), x, 1, 1.0}, rule).d,
                      Vector::Zero(2));
            EXPECT_EQ(heuristic_adversary({lost, testing::ball(norm), x, 1, 1.0}, rule).d,
                      Vector::Zero(2));
        }
        EXPECT_EQ(heuristic_adversary({worked_example(), testing::ball(norm), x, 1, 0.0},
                                      HeuristicRule::Corrected)
                      .d,
                  Vector::Zero(2));
    }
}

TEST(Heuristic, StepFitsTheBallAndCountsWhatItFools) {
    for (const testing::PlaneKind kind : testing::kPlaneKinds) {
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            const testing::RandomAttack attack = testing::make_random_attack(
                kind, static_cast<Index>(1 + seed % 9), static_cast<Index>(1 + seed % 7), seed);
            for (const Norm norm : testing::kNorms) {
                const AdversaryAnswer answer =
                    heuristic_adversary(attack.point(norm), HeuristicRule::Corrected);
                EXPECT_LE(norm_value(norm, answer.d), attack.radius);
                const int vote = attack.ensemble.vote(attack.x + answer.d);
                const auto k = static_cast<double>(attack.ensemble.n_planes());
                EXPECT_EQ(answer.objective, 0.5 * (k - attack.y * vote));
            }
        }
    }
}

}  // namespace
}  // namespace redoubt
