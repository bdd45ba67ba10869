#include <gtest/gtest.h>

#include <atomic>

#include "attack/random_attacks.hpp"

namespace redoubt {
namespace {

using testing::make_random_attack;
using testing::PlaneKind;
using testing::RandomAttack;

/// Hard enough to branch: many random planes and a wide ball.
RandomAttack hard_attack(Index k, Index n, std::uint64_t seed) {
    RandomAttack attack = make_random_attack(PlaneKind::Random, k, n, seed);
    attack.radius = 1.0;
    return attack;
}

TEST(RelaxedLimits, NodeLimitLeavesATrueBracket) {
    int n_limited = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const RandomAttack attack = hard_attack(13, 16, seed);
        for (const Norm norm : {Norm::L2, Norm::LInf}) {
            const double best = testing::brute_force_relaxed(attack.point(norm));
            const double tolerance = 4e-12 * testing::term_scale(attack.point(norm));
            for (const std::int64_t max_nodes : {0, 1, 2, 3, 5, 9}) {
                PointLimits limits;
                limits.max_nodes = max_nodes;
                const AdversaryAnswer answer = relaxed_adversary(attack.point(norm), limits);
                EXPECT_LE(answer.n_nodes, max_nodes);
                EXPECT_LE(answer.objective, best + tolerance);
                EXPECT_GE(answer.bound, best);
                EXPECT_LE(norm_value(norm, answer.d), attack.radius);
                if (answer.status == Status::Optimal) {
                    EXPECT_NEAR(answer.objective, best, tolerance);
                    continue;
                }
                EXPECT_EQ(answer.status, Status::NodeLimit);
                ++n_limited;
            }
        }
    }
    EXPECT_GT(n_limited, 60);
}

TEST(RelaxedLimits, StopFlagAndDeadline) {
    const RandomAttack attack = hard_attack(40, 30, 1);
    for (const Norm norm : {Norm::L2, Norm::LInf}) {
        const std::atomic<bool> stop{true};
        PointLimits limits;
        limits.stop = &stop;
        AdversaryAnswer answer = relaxed_adversary(attack.point(norm), limits);
        EXPECT_EQ(answer.status, Status::Interrupted);
        EXPECT_GT(answer.bound, answer.objective);
        limits = PointLimits{};
        limits.deadline = Clock::now();
        answer = relaxed_adversary(attack.point(norm), limits);
        EXPECT_EQ(answer.status, Status::TimeLimit);
        EXPECT_GT(answer.bound, answer.objective);
    }
}

/// Trained planes resemble each other: the bounds must settle them almost without branching.
TEST(RelaxedLimits, BaggedPlanesNeedFewNodes) {
    for (const Norm norm : {Norm::L2, Norm::LInf}) {
        for (const Index k : {15, 31, 75}) {
            std::int64_t n_nodes = 0;
            for (std::uint64_t seed = 0; seed < 30; ++seed) {
                const RandomAttack attack = make_random_attack(PlaneKind::Bagged, k, 64, seed);
                const AdversaryAnswer answer = relaxed_adversary(attack.point(norm), {});
                EXPECT_EQ(answer.status, Status::Optimal);
                n_nodes += answer.n_nodes;
            }
            EXPECT_LE(n_nodes, 30 * 20) << to_string(norm) << " k = " << k;
        }
    }
}

TEST(RelaxedLimits, ThirtyOneRandomPlanesAreSolved) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        PointLimits limits;
        limits.max_nodes = 20000;
        RandomAttack attack = make_random_attack(PlaneKind::Random, 31, 64, seed);
        attack.radius = 0.3;
        EXPECT_EQ(relaxed_adversary(attack.point(Norm::L2), limits).status, Status::Optimal);
        attack.radius = 0.02;
        EXPECT_EQ(relaxed_adversary(attack.point(Norm::LInf), limits).status, Status::Optimal);
    }
}

TEST(PointLimits, DeadlinesDoNotOverflow) {
    const Clock::time_point now = Clock::now();
    EXPECT_EQ(deadline_after(now, HUGE_VAL), Clock::time_point::max());
    EXPECT_EQ(deadline_after(now, 1e300), Clock::time_point::max());
    EXPECT_EQ(deadline_after(now, 0.0), now);
    EXPECT_EQ(deadline_after(now, 1.0), now + std::chrono::seconds(1));
}

TEST(PointLimits, ThePointsOwnSecondsAndTheCallsBothBind) {
    SearchLimits limits;
    const Clock::time_point soon = Clock::now() + std::chrono::hours(1);
    EXPECT_EQ(point_limits(limits, soon).deadline, soon);
    limits.max_seconds_per_point = 1.0;
    EXPECT_LT(point_limits(limits, soon).deadline, soon);
    limits.max_seconds_per_point = 1e6;
    EXPECT_EQ(point_limits(limits, soon).deadline, soon);
}

/// The clock is read now and then only: a deadline that passes is noticed within 64 calls.
TEST(PointLimits, NoticesTheFlagWithinSixtyFourCalls) {
    std::atomic<bool> stop{false};
    PointLimits limits;
    limits.stop = &stop;
    Status status = Status::Optimal;
    EXPECT_FALSE(limits.reached(0, &status));
    stop = true;
    int n_calls = 1;
    while (!limits.reached(n_calls, &status) && n_calls < 1000) ++n_calls;
    EXPECT_LE(n_calls, 64);
    EXPECT_EQ(status, Status::Interrupted);
}

}  // namespace
}  // namespace redoubt
