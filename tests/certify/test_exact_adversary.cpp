#include <gtest/gtest.h>

#include "attack/adversary.hpp"
#include "redoubt/attack.hpp"
#include "support/balls.hpp"
#include "support/exact_attack.hpp"
#include "support/random_votes.hpp"

namespace redoubt::testing {
namespace {

using KindAndNorm = std::tuple<VoteKind, Norm>;

class ExactAdversaryOnEveryKind : public ::testing::TestWithParam<KindAndNorm> {};

TEST_P(ExactAdversaryOnEveryKind, FoolsAsManyPlanesAsTheEnumeration) {
    const auto [kind, norm] = GetParam();
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const auto k = static_cast<Index>(1 + seed % 8);
        const auto n = static_cast<Index>(1 + seed % 4);
        const RandomVote vote = make_random_vote(kind, k, n, seed + 50);
        for (int y : {-1, 1}) {
            for (double radius : {0.0, 0.3, 1.0, 4.0}) {
                SCOPED_TRACE(::testing::Message() << "seed " << seed << " k " << k << " n " << n
                                                  << " y " << y << " radius " << radius);
                const PointProblem point{vote.ensemble, testing::ball(norm), vote.x, y, radius};
                const AdversaryAnswer oracle =
                    reference_adversary(Solver::Enumerate, Adversary::Exact, point, PointLimits{});
                const AdversaryAnswer native = testing::exact_adversary(point);
                EXPECT_LE(native.objective, oracle.bound + 0.5);
                EXPECT_GE(native.bound, oracle.objective - 0.5);
                EXPECT_LE(norm_value(norm, native.d), radius);
                if (native.bound == native.objective) {
                    EXPECT_EQ(native.objective, oracle.objective);
                    EXPECT_LE(norm_value(norm, native.d),
                              norm_value(norm, oracle.d) * (1.0 + 1e-6) + 1e-9);
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ExactAdversaryOnEveryKind,
                         ::testing::Combine(::testing::Values(VoteKind::Random, VoteKind::Bagged,
                                                              VoteKind::Dependent,
                                                              VoteKind::ZeroPlanes),
                                            ::testing::Values(Norm::L1, Norm::L2, Norm::LInf)),
                         [](const auto& instance) {
                             return to_string(std::get<0>(instance.param)) + "_" +
                                    std::string(to_string(std::get<1>(instance.param)));
                         });

}  // namespace
}  // namespace redoubt::testing
