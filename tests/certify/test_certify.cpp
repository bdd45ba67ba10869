/// The exact certificate against the enumeration of all subsets, and its own promises.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "flip/flip.hpp"
#include "flip/second_opinion.hpp"
#include "redoubt/certificate.hpp"
#include "support/balls.hpp"
#include "support/random_votes.hpp"

namespace redoubt::testing {
namespace {

using KindAndNorm = std::tuple<VoteKind, Norm>;

/// The enumeration knows margins to about 1e-12 only, which is not enough on a plane.
std::vector<VoteKind> kinds_with_an_oracle() {
    std::vector<VoteKind> kinds;
    for (VoteKind kind : all_vote_kinds()) {
        if (kind != VoteKind::OnPlanes) kinds.push_back(kind);
    }
    return kinds;
}

class CertifyEveryKind : public ::testing::TestWithParam<KindAndNorm> {
protected:
    static Certificate certify_point(const RandomVote& vote, int y) {
        CertifySettings settings;
        settings.attack_model.norm = std::get<1>(GetParam());
        return certify(vote.ensemble, vote.x.transpose(), Vector::Constant(1, y), settings)[0];
    }
};

class CertifyWithOracle : public CertifyEveryKind {};

/// Where planes are exactly dependent, whether all of a set can be fooled may hang on one point or
/// on strictness, which no bound on distances decides: the bracket is then wide, but true.
bool has_dependent_planes(VoteKind kind) {
    return kind == VoteKind::Dependent || kind == VoteKind::Grid ||
           kind == VoteKind::NearlyParallel;
}

TEST_P(CertifyWithOracle, BracketsTheEnumeratedRadius) {
    const auto [kind, norm] = GetParam();
    int n_finite = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const auto k = static_cast<Index>(1 + seed % 9);
        const auto n = static_cast<Index>(1 + seed % 5);
        SCOPED_TRACE(::testing::Message() << "seed " << seed << " k " << k << " n " << n);
        const RandomVote vote = make_random_vote(kind, k, n, seed);
        const int from = vote.ensemble.predict(vote.x);
        const Flip oracle = reference_flip(Solver::Enumerate, vote.ensemble, testing::ball(norm),
                                           vote.x, from, PointLimits{});
        const Certificate right = certify_point(vote, from);
        const double scale = std::max(1e-6, std::isfinite(oracle.lower) ? oracle.lower : 0.0);
        EXPECT_LE(right.lower, oracle.lower + 1e-10 * scale);
        EXPECT_GE(right.upper, oracle.lower - 1e-10 * scale);
        EXPECT_LE(right.lower, right.upper);
        EXPECT_GE(right.lower, 0.0);
        n_finite += std::isfinite(right.upper) ? 1 : 0;
        if (!has_dependent_planes(kind)) {
            EXPECT_EQ(right.status, Status::Optimal);
            EXPECT_EQ(std::isfinite(right.upper), std::isfinite(oracle.lower));
            if (std::isfinite(right.upper)) {
                EXPECT_LE(right.upper - right.lower, 1e-9 * scale + 1e-12) << right.upper;
            }
        }
        // The wrong label: the same flip with the other sign.
        const Certificate wrong = certify_point(vote, -from);
        EXPECT_EQ(wrong.lower, -right.upper);
        EXPECT_EQ(wrong.upper, -right.lower);
        EXPECT_EQ(wrong.radius, -right.radius);
    }
    EXPECT_GT(n_finite, 20);
}

TEST_P(CertifyEveryKind, WitnessesReallyFlipTheVote) {
    const auto [kind, norm] = GetParam();
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const auto k = static_cast<Index>(1 + seed % 14);
        const auto n = static_cast<Index>(1 + seed % 11);
        SCOPED_TRACE(::testing::Message() << "seed " << seed << " k " << k << " n " << n);
        const RandomVote vote = make_random_vote(kind, k, n, seed + 500);
        const int from = vote.ensemble.predict(vote.x);
        const Certificate certificate = certify_point(vote, from);
        if (certificate.witness.size() == 0) {
            EXPECT_EQ(certificate.upper, HUGE_VAL);
            EXPECT_TRUE(certificate.fooled.empty());
            continue;
        }
        const Vector moved = vote.x + certificate.witness;
        EXPECT_EQ(vote.ensemble.predict(moved), -from);
        EXPECT_LE(norm_value(norm, moved - vote.x), certificate.upper);
        EXPECT_EQ(certificate.fooled, fooled_planes(vote.ensemble, moved, from));
        EXPECT_GE(static_cast<Index>(certificate.fooled.size()),
                  weight_needed(vote.ensemble, from));
        EXPECT_EQ(certificate.radius, certificate.upper);
    }
}

// Steps just inside `lower`: towards the witness, towards each plane, and at random.
TEST_P(CertifyEveryKind, NothingWithinLowerFlipsTheVote) {
    const auto [kind, norm] = GetParam();
    std::mt19937_64 random(99);
    std::normal_distribution<double> normal;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        const auto k = static_cast<Index>(1 + seed % 11);
        const auto n = static_cast<Index>(1 + (seed * 7) % 40);
        SCOPED_TRACE(::testing::Message() << "seed " << seed << " k " << k << " n " << n);
        const RandomVote vote = make_random_vote(kind, k, n, seed + 900);
        const int from = vote.ensemble.predict(vote.x);
        const Certificate certificate = certify_point(vote, from);
        if (!std::isfinite(certificate.lower) || certificate.lower <= 0.0) continue;
        std::vector<Vector> directions;
        if (certificate.witness.size() > 0) directions.push_back(certificate.witness);
        for (Index i = 0; i < k; ++i) {
            directions.push_back(
                steepest_step(norm, -from * vote.ensemble.coef().row(i).transpose(), 1.0));
        }
        for (int trial = 0; trial < 20; ++trial) {
            Vector direction(n);
            for (double& value : direction) value = normal(random);
            directions.push_back(direction);
        }
        for (const Vector& direction : directions) {
            const double size = norm_value(norm, direction);
            if (!(size > 0.0)) continue;
            const Vector moved = vote.x + direction * (certificate.lower / size);
            // Rounding may carry x + d beyond the ball; such a point proves nothing.
            if (norm_value(norm, moved - vote.x) >
                certificate.lower * (1.0 - 1e-15 * static_cast<double>(n + 8)))
                continue;
            EXPECT_EQ(vote.ensemble.predict(moved), from);
        }
    }
}

std::string instance_name(const ::testing::TestParamInfo<KindAndNorm>& instance) {
    return to_string(std::get<0>(instance.param)) + "_" +
           std::string(to_string(std::get<1>(instance.param)));
}

const auto kNorms = ::testing::Values(Norm::L1, Norm::L2, Norm::LInf);

INSTANTIATE_TEST_SUITE_P(Kinds, CertifyEveryKind,
                         ::testing::Combine(::testing::ValuesIn(all_vote_kinds()), kNorms),
                         instance_name);
INSTANTIATE_TEST_SUITE_P(Kinds, CertifyWithOracle,
                         ::testing::Combine(::testing::ValuesIn(kinds_with_an_oracle()), kNorms),
                         instance_name);

TEST(Certify, OnePlaneIsItsDistance) {
    const Hyperplane plane{(Vector(2) << 3.0, -4.0).finished(), 5.0};
    const Matrix X = Matrix::Zero(1, 2);
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        CertifySettings settings;
        settings.attack_model.norm = norm;
        const double expected = plane_radii(plane, X, Vector::Ones(1), norm)[0];
        const Certificate right = certify(Ensemble(plane), X, Vector::Ones(1), settings)[0];
        const Certificate wrong = certify(Ensemble(plane), X, -Vector::Ones(1), settings)[0];
        EXPECT_NEAR(right.radius, expected, 1e-12);
        EXPECT_NEAR(wrong.radius, -expected, 1e-12);
    }
}

TEST(Certify, WithoutLabelsTakesThePrediction) {
    const RandomVote vote = make_random_vote(VoteKind::Random, 5, 3, 1);
    const Matrix X = Matrix::Random(20, 3);
    for (const Certificate& certificate : certify(vote.ensemble, X))
        EXPECT_GE(certificate.lower, 0.0);
}

// All planes constant: the answer never changes, in any norm.
TEST(Certify, IsInfiniteWhereNoFlipIsPossible) {
    const Ensemble constant(Matrix::Zero(3, 2), (Vector(3) << 1.0, 1.0, -1.0).finished());
    const Certificate certificate = certify(constant, Matrix::Ones(1, 2))[0];
    EXPECT_EQ(certificate.status, Status::Optimal);
    EXPECT_EQ(certificate.lower, HUGE_VAL);
    EXPECT_EQ(certificate.upper, HUGE_VAL);
    EXPECT_EQ(certificate.radius, HUGE_VAL);
    EXPECT_EQ(certificate.witness.size(), 0);
}

// Planes x >= 0 and -x >= 0 never answer -1 both, although their closed half-lines meet at 0.
TEST(Certify, KnowsThatOppositePlanesNeverAnswerMinusOneBoth) {
    const Ensemble pair((Matrix(2, 1) << 1.0, -1.0).finished(), Vector::Zero(2));
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        CertifySettings settings;
        settings.attack_model.norm = norm;
        const Certificate certificate = certify(pair, Matrix::Constant(1, 1, 2.0), settings)[0];
        EXPECT_EQ(certificate.lower, HUGE_VAL);
        EXPECT_EQ(certificate.upper, HUGE_VAL);
    }
}

}  // namespace
}  // namespace redoubt::testing
