#include <gtest/gtest.h>

#include <algorithm>

#include "counting/small_counting_cases.hpp"
#include "redoubt/attack.hpp"
#include "redoubt/error.hpp"

namespace redoubt {
namespace {

using testing::CountingCase;
using testing::CountingCases;

TEST(AttackInL0, FoolsTheMostWeightOfAllMoves) {
    CountingCases cases(4);
    for (int c = 0; c < 1000; ++c) {
        const CountingCase each = cases.draw(c % 2 == 0);
        const double radius = cases.pick(0, 4);
        const int y = cases.flip(0.5) ? 1 : -1;
        double most = 0.0;
        double least = HUGE_VAL;
        testing::for_each_move(each, [&](const Vector& moved, double size) {
            if (size > radius) return;
            const Eigen::VectorXi answers = each.ensemble.answers(moved);
            double weight = 0.0;
            for (Index i = 0; i < answers.size(); ++i)
                weight += answers[i] != y ? each.ensemble.weight(i) : 0.0;
            if (weight > most) least = HUGE_VAL;
            most = std::max(most, weight);
            if (weight == most) least = std::min(least, size);
        });
        AttackSettings settings;
        settings.attack_model = each.threat;
        const Matrix X = each.x.transpose();
        const Attack found = attack(each.ensemble, X, Vector::Constant(1, y),
                                    Vector::Constant(1, radius), settings)[0];
        EXPECT_EQ(found.status, Status::Optimal) << c;
        EXPECT_NEAR(found.objective, most, 1e-12) << c;
        EXPECT_NEAR(found.bound, most, 1e-12) << c;
        EXPECT_LE(each.threat.move_size(each.x, found.d), radius) << c;
        if (most > 0.0) {
            EXPECT_NEAR(each.threat.move_size(each.x, found.d), least, 1e-9) << c;
        }
        EXPECT_TRUE(each.threat.allows(each.x, each.x + found.d)) << c;
    }
}

/// The relaxed adversary and the knapsack behind it.
TEST(AttackInL0, ReachesTheLargestSumOfHinges) {
    CountingCases cases(5);
    for (int c = 0; c < 1000; ++c) {
        const CountingCase each = cases.draw(c % 2 == 0);
        const double radius = 0.5 * cases.pick(0, 8);
        const int y = cases.flip(0.5) ? 1 : -1;
        double most = 0.0;
        testing::for_each_move(each, [&](const Vector& moved, double size) {
            if (size > radius) return;
            const Vector margins = y * each.ensemble.margins(moved);
            double sum = 0.0;
            for (Index i = 0; i < margins.size(); ++i)
                sum += each.ensemble.weight(i) * std::max(0.0, 1.0 - margins[i]);
            most = std::max(most, sum);
        });
        AttackSettings settings;
        settings.attack_model = each.threat;
        settings.adversary = Adversary::Relaxed;
        const Matrix X = each.x.transpose();
        const Attack found = attack(each.ensemble, X, Vector::Constant(1, y),
                                    Vector::Constant(1, radius), settings)[0];
        EXPECT_NEAR(found.objective, most, 1e-9 * (1.0 + most)) << c;
        EXPECT_GE(found.bound, most) << c;
        EXPECT_LE(each.threat.move_size(each.x, found.d), radius) << c;
        EXPECT_TRUE(each.threat.allows(each.x, each.x + found.d)) << c;
    }
}

TEST(AttackInL0, OnlyTheNativeSolverCounts) {
    CountingCases cases(6);
    const CountingCase each = cases.draw(false);
    AttackSettings settings;
    settings.attack_model = each.threat;
    settings.solver = Solver::Enumerate;
    const Matrix X = each.x.transpose();
    try {
        attack(each.ensemble, X, Vector::Ones(1), Vector::Ones(1), settings);
        ADD_FAILURE();
    } catch (const InvalidInput& error) {
        EXPECT_STREQ(error.what(), "solver: expected 'native' for l0, got 'enumerate'");
    }
}

}  // namespace
}  // namespace redoubt
