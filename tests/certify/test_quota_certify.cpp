/// Certificates and attacks of votes with a quota: against enumeration, and against majority votes
/// with constant planes in the place of the quota.

#include <gtest/gtest.h>

#include <cmath>

#include "flip/flip.hpp"
#include "flip/second_opinion.hpp"
#include "redoubt/attack.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/proof_check.hpp"
#include "redoubt/proof_file.hpp"
#include "support/balls.hpp"
#include "support/random_votes.hpp"
#include "support/seeds.hpp"

namespace redoubt::testing {
namespace {

class QuotaCertify : public ::testing::TestWithParam<Norm> {};

/// As many planes more that always answer the same as make half of the weight out of the quota.
Ensemble with_constant_plane(const Ensemble& vote) {
    const double missing =
        2.0 * static_cast<double>(vote.quota_units()) - static_cast<double>(vote.total_units());
    const Index k = vote.n_planes();
    Matrix coef = Matrix::Zero(k + 1, vote.n_features());
    coef.topRows(k) = vote.coef();
    Vector intercept(k + 1);
    intercept << vote.intercept(), (missing > 0.0 ? -1.0 : 1.0);
    Vector weights(k + 1);
    for (Index i = 0; i < k; ++i) weights[i] = static_cast<double>(vote.weight_units(i));
    if (missing == 0.0) return {coef.topRows(k), intercept.head(k), weights.head(k)};
    weights[k] = std::abs(missing);
    return {coef, intercept, weights};
}

Certificate certify_row(const Ensemble& vote, const Vector& x, int y, Norm norm,
                        bool has_box = false) {
    CertifySettings settings;
    settings.attack_model.norm = norm;
    if (has_box) {
        settings.attack_model.lower = x.array() - 2.0;
        settings.attack_model.upper = x.array() + 0.5;
    }
    return certify(vote, x.transpose(), Vector::Constant(1, y), settings)[0];
}

TEST_P(QuotaCertify, EqualsTheEnumerationAndConstantPlanes) {
    const Norm norm = GetParam();
    int n_finite = 0;
    for (VoteKind kind : {VoteKind::Random, VoteKind::Bagged, VoteKind::ZeroPlanes}) {
        for (std::uint64_t seed = 0; seed < 120; ++seed) {
            const auto k = static_cast<Index>(1 + seed % 7);
            const auto n = static_cast<Index>(1 + seed % 4);
            SCOPED_TRACE(to_string(kind) + " seed " + std::to_string(seed));
            const bool is_weighted = seed % 3 == 0;
            const RandomVote random = is_weighted ? make_weighted_vote(kind, k, n, seed + 10)
                                                  : make_random_vote(kind, k, n, seed + 10);
            const auto units = static_cast<std::int64_t>(
                1 + (7 * seed) % static_cast<std::uint64_t>(random.ensemble.total_units()));
            const Ensemble vote = random.ensemble.with_quota(random.ensemble.weight_unit() *
                                                             static_cast<double>(units));
            ASSERT_EQ(vote.quota_units(), units);
            const Ensemble same = with_constant_plane(vote);
            const int from = vote.predict(random.x);
            EXPECT_EQ(same.predict(random.x), from);
            const Certificate found = certify_row(vote, random.x, from, norm);
            EXPECT_EQ(found.status, Status::Optimal);
            const Flip oracle = reference_flip(Solver::Enumerate, vote, testing::ball(norm),
                                               random.x, from, PointLimits{});
            EXPECT_EQ(std::isfinite(found.upper), std::isfinite(oracle.lower));
            for (const bool has_box : {false, true}) {
                const Certificate here = certify_row(vote, random.x, from, norm, has_box);
                const Certificate there = certify_row(same, random.x, from, norm, has_box);
                EXPECT_EQ(std::isfinite(here.upper), std::isfinite(there.upper));
                if (std::isfinite(there.upper)) {
                    EXPECT_NEAR(here.radius, there.radius, 1e-9 * std::max(1e-3, there.radius));
                }
            }
            if (!std::isfinite(oracle.lower)) continue;
            ++n_finite;
            EXPECT_NEAR(found.radius, oracle.lower, 1e-9 * std::max(1e-3, oracle.lower));
            EXPECT_EQ(vote.predict(random.x + found.witness), -from);
            // The attack that has this much room succeeds, and none that has less.
            for (double share : {1.0 + 1e-6, 1.0 - 1e-6}) {
                AttackSettings settings;
                settings.attack_model.norm = norm;
                const Attack attacked =
                    attack(vote, random.x.transpose(), Vector::Constant(1, from),
                           Vector::Constant(1, found.radius * share), settings)[0];
                EXPECT_EQ(vote.predict(random.x + attacked.d) != from, attacked.success);
                EXPECT_FALSE(share < 1.0 && attacked.success);
            }
        }
    }
    EXPECT_GT(n_finite, 200);
}

INSTANTIATE_TEST_SUITE_P(Norms, QuotaCertify, ::testing::Values(Norm::L1, Norm::L2, Norm::LInf),
                         [](const auto& norm) { return std::string(to_string(norm.param)); });

TEST(QuotaProofs, ProveTheEndThatTheCertificateStates) {
    CertifySettings settings;
    settings.proofs = true;
    for (std::uint64_t seed = 0; seed < n_seeds(60); ++seed) {
        const auto k = static_cast<Index>(2 + seed % 6);
        const RandomVote random = make_random_vote(VoteKind::Random, k, 3, seed);
        const Ensemble vote = random.ensemble.with_quota(
            1.0 + static_cast<double>(seed) / 7.0 - std::floor(static_cast<double>(seed) / 7.0) +
            static_cast<double>(seed % (k - 1)));
        const Certificate found = certify(vote, random.x.transpose(), settings)[0];
        const ProofChecker checker(proof_header(vote, settings.attack_model), "proofs");
        const ProofVerdict verdict =
            checker.check(proof_line(1, vote, settings.attack_model, random.x, found), 2);
        EXPECT_TRUE(verdict.is_proven) << "seed " << seed << ": " << verdict.reason;
        EXPECT_EQ(verdict.radius, found.lower);
    }
}

}  // namespace
}  // namespace redoubt::testing
