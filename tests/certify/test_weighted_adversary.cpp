/// The exact adversary on weighted votes: the most weight within a ball.

#include <gtest/gtest.h>

#include "attack/adversary.hpp"
#include "flip/flip.hpp"
#include "redoubt/attack.hpp"
#include "support/balls.hpp"
#include "support/exact_attack.hpp"
#include "support/random_votes.hpp"

namespace redoubt::testing {
namespace {

class WeightedAdversary : public ::testing::TestWithParam<Norm> {};

TEST_P(WeightedAdversary, FoolsAsMuchAsTheEnumeration) {
    const Norm norm = GetParam();
    int n_partial = 0;
    for (VoteKind kind : {VoteKind::Random, VoteKind::Bagged, VoteKind::ZeroPlanes}) {
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            const auto k = static_cast<Index>(1 + seed % 8);
            const RandomVote vote =
                make_weighted_vote(kind, k, static_cast<Index>(1 + seed % 4), seed + 50);
            const double total = vote.ensemble.weights().sum();
            for (int y : {-1, 1}) {
                for (double radius : {0.0, 0.3, 1.0, 4.0}) {
                    SCOPED_TRACE(::testing::Message() << to_string(kind) << " seed " << seed
                                                      << " y " << y << " radius " << radius);
                    const PointProblem point{vote.ensemble, testing::ball(norm), vote.x, y, radius};
                    const AdversaryAnswer oracle = reference_adversary(
                        Solver::Enumerate, Adversary::Exact, point, PointLimits{});
                    const AdversaryAnswer native = testing::exact_adversary(point);
                    EXPECT_EQ(native.status, Status::Optimal);
                    EXPECT_EQ(native.objective, native.bound);
                    EXPECT_NEAR(native.objective, oracle.objective, 1e-12 * total);
                    EXPECT_LE(norm_value(norm, native.d), radius);
                    EXPECT_LE(norm_value(norm, native.d),
                              norm_value(norm, oracle.d) * (1.0 + 1e-6) + 1e-9);
                    const Vector moved = vote.x + native.d;
                    const Index fooled =
                        weight_of(vote.ensemble, fooled_planes(vote.ensemble, moved, y));
                    EXPECT_EQ(native.objective,
                              vote.ensemble.weight_unit() * static_cast<double>(fooled));
                    n_partial += native.objective > 0.0 && native.objective < 0.99 * total ? 1 : 0;
                }
            }
        }
    }
    EXPECT_GT(n_partial, 500);
}

// Weights that are all powers of two: 2^k sums, the hardest case for a search by halves.
TEST_P(WeightedAdversary, CountsEverySum) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const RandomVote plain = make_random_vote(VoteKind::Random, 9, 3, seed);
        Vector weights(9);
        for (Index i = 0; i < 9; ++i) weights[i] = std::ldexp(1.0, static_cast<int>(4 * i % 35));
        const Ensemble ensemble(plain.ensemble.coef(), plain.ensemble.intercept(), weights);
        const PointProblem point{ensemble, testing::ball(GetParam()), plain.x, 1, 0.6};
        EXPECT_EQ(testing::exact_adversary(point).objective,
                  reference_adversary(Solver::Enumerate, Adversary::Exact, point, PointLimits{})
                      .objective);
    }
}

TEST_P(WeightedAdversary, IntegerWeightsAreRepeatedPlanes) {
    for (std::uint64_t seed = 1; seed < 200; seed += 5) {
        const RandomVote vote = make_weighted_vote(VoteKind::Random, 5, 3, seed);
        std::vector<Hyperplane> planes;
        for (Index i = 0; i < 5; ++i) {
            for (double copy = 0.0; copy < vote.ensemble.weights()[i]; copy += 1.0)
                planes.push_back(
                    {vote.ensemble.coef().row(i).transpose(), vote.ensemble.intercept()[i]});
        }
        const Ensemble copies(planes);
        for (double radius : {0.2, 0.7, 1.5}) {
            for (int y : {-1, 1}) {
                const PointProblem one{vote.ensemble, testing::ball(GetParam()), vote.x, y, radius};
                const PointProblem other{copies, testing::ball(GetParam()), vote.x, y, radius};
                EXPECT_EQ(testing::exact_adversary(one).objective,
                          testing::exact_adversary(other).objective);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Norms, WeightedAdversary,
                         ::testing::Values(Norm::L1, Norm::L2, Norm::LInf),
                         [](const auto& instance) {
                             return std::string(to_string(instance.param));
                         });

}  // namespace
}  // namespace redoubt::testing
