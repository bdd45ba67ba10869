/// Worst-case expected accuracy of randomised votes.

#include "redoubt/randomised_vote.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "redoubt/error.hpp"
#include "support/random_votes.hpp"

namespace redoubt::testing {
namespace {

/// On a line the answers change at the planes only: try both sides of each, and the ends.
double on_a_line(const Ensemble& ensemble, double x, int y, double radius) {
    std::vector<double> at{x, x - radius, x + radius};
    for (Index i = 0; i < ensemble.n_planes(); ++i) {
        const double root = -ensemble.intercept()[i] / ensemble.coef()(i, 0);
        for (double side : {-1e-9, 1e-9}) at.push_back(root + side);
    }
    double worst = 1.0;
    for (double moved : at) {
        if (std::abs(moved - x) > radius) continue;
        double right = 0.0;
        double total = 0.0;
        for (Index i = 0; i < ensemble.n_planes(); ++i) {
            const double value = ensemble.coef()(i, 0) * moved + ensemble.intercept()[i];
            total += ensemble.weight(i);
            right += (value >= 0.0 ? 1 : -1) == y ? ensemble.weight(i) : 0.0;
        }
        worst = std::min(worst, right / total);
    }
    return worst;
}

TEST(RandomisedVote, EqualsAScanOfTheLine) {
    const Vector radii{{0.0, 0.2, 0.7, 1.5, 4.0}};
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        const RandomVote weighted =
            make_weighted_vote(VoteKind::Random, static_cast<Index>(1 + seed % 11), 1, seed);
        const Ensemble plain(weighted.ensemble.coef(), weighted.ensemble.intercept());
        for (const Ensemble& ensemble : {weighted.ensemble, plain}) {
            for (int y : {-1, 1}) {
                const auto scores = worst_expected_accuracy(ensemble, weighted.x.transpose(),
                                                            Vector::Constant(1, y), radii);
                ASSERT_EQ(scores.size(), 5U);
                for (const RandomisedScore& score : scores) {
                    EXPECT_NEAR(score.accuracy[0],
                                on_a_line(ensemble, weighted.x[0], y, score.radius), 1e-12);
                    EXPECT_EQ(score.lower[0], score.accuracy[0]);
                }
            }
        }
    }
}

TEST(RandomisedVote, EqualsTheEnumeration) {
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            SCOPED_TRACE(seed);
            const RandomVote vote =
                make_weighted_vote(VoteKind::Random, static_cast<Index>(2 + seed % 6), 3, seed);
            Matrix X(4, 3);
            std::mt19937_64 random(seed);
            std::normal_distribution<double> normal;
            for (Index i = 0; i < X.size(); ++i) X(i / 3, i % 3) = normal(random);
            const Vector y{{1.0, -1.0, 1.0, 1.0}};
            AttackSettings settings;
            settings.attack_model.norm = norm;
            const Vector radii{{0.4, 1.1}};
            const auto native = worst_expected_accuracy(vote.ensemble, X, y, radii, settings);
            settings.solver = Solver::Enumerate;
            const auto oracle = worst_expected_accuracy(vote.ensemble, X, y, radii, settings);
            for (std::size_t r = 0; r < 2; ++r) {
                for (Index j = 0; j < 4; ++j)
                    EXPECT_NEAR(native[r].accuracy[j], oracle[r].accuracy[j], 1e-12);
                EXPECT_NEAR(native[r].mean, native[r].accuracy.mean(), 1e-12);
                EXPECT_EQ(native[r].class_mean[0], native[r].accuracy[1]);
                EXPECT_NEAR(
                    native[r].class_mean[1],
                    (native[r].accuracy[0] + native[r].accuracy[2] + native[r].accuracy[3]) / 3.0,
                    1e-12);
                EXPECT_LE(native[r].mean_lower, native[r].mean);
            }
            EXPECT_GE(native[0].mean, native[1].mean);
        }
    }
}

TEST(RandomisedVote, LimitsLeaveABand) {
    const RandomVote vote = make_weighted_vote(VoteKind::Random, 15, 4, 5);
    AttackSettings settings;
    settings.limits.max_seconds = 0.0;
    const RandomisedScore limited = worst_expected_accuracy(
        vote.ensemble, vote.x.transpose(), Vector::Ones(1), Vector::Ones(1), settings)[0];
    const RandomisedScore exact = worst_expected_accuracy(vote.ensemble, vote.x.transpose(),
                                                          Vector::Ones(1), Vector::Ones(1))[0];
    EXPECT_EQ(limited.lower[0], 0.0);
    EXPECT_GE(limited.accuracy[0], exact.accuracy[0]);
    EXPECT_TRUE(std::isnan(exact.class_mean[0]));
    EXPECT_EQ(exact.class_mean[1], exact.mean);
}

TEST(RandomisedVote, AsksForTheExactAdversary) {
    const RandomVote vote = make_weighted_vote(VoteKind::Random, 3, 2, 1);
    AttackSettings settings;
    settings.adversary = Adversary::Relaxed;
    EXPECT_THROW(worst_expected_accuracy(vote.ensemble, vote.x.transpose(), Vector::Ones(1),
                                         Vector::Ones(1), settings),
                 InvalidInput);
    EXPECT_THROW(worst_expected_accuracy(vote.ensemble, vote.x.transpose(), Vector::Ones(1),
                                         Vector::Constant(1, -1.0)),
                 InvalidInput);
}

}  // namespace
}  // namespace redoubt::testing
