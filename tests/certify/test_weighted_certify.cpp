/// Certificates of weighted votes against enumeration and against votes of repeated planes.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "flip/flip.hpp"
#include "flip/second_opinion.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/error.hpp"
#include "redoubt/highs.hpp"
#include "support/balls.hpp"
#include "support/random_votes.hpp"

namespace redoubt::testing {
namespace {

class WeightedCertify : public ::testing::TestWithParam<Norm> {};

Certificate certify_point(const RandomVote& vote, int y, Norm norm,
                          Solver solver = Solver::Native) {
    CertifySettings settings;
    settings.attack_model.norm = norm;
    settings.solver = solver;
    return certify(vote.ensemble, vote.x.transpose(), Vector::Constant(1, y), settings)[0];
}

/// A plane of weight c as c copies.
Ensemble repeated(const Ensemble& ensemble) {
    std::vector<Hyperplane> planes;
    for (Index i = 0; i < ensemble.n_planes(); ++i) {
        for (std::int64_t copy = 0; copy < ensemble.weight_units(i); ++copy)
            planes.push_back({ensemble.coef().row(i).transpose(), ensemble.intercept()[i]});
    }
    return Ensemble(planes);
}

/// What every certificate of a correct point promises.
void expect_sound(const RandomVote& vote, int from, Norm norm, const Certificate& certificate,
                  std::mt19937_64& random) {
    EXPECT_LE(certificate.lower, certificate.upper);
    EXPECT_GE(certificate.lower, 0.0);
    if (certificate.witness.size() > 0) {
        const Vector moved = vote.x + certificate.witness;
        EXPECT_EQ(vote.ensemble.predict(moved), -from);
        EXPECT_LE(norm_value(norm, moved - vote.x), certificate.upper);
        EXPECT_EQ(certificate.fooled, fooled_planes(vote.ensemble, moved, from));
        EXPECT_GE(weight_of(vote.ensemble, certificate.fooled), weight_needed(vote.ensemble, from));
    }
    std::normal_distribution<double> normal;
    const double inside = std::min(certificate.lower, 1e3) * (1.0 - 1e-9);
    for (int step = 0; step < 4; ++step) {
        Vector g = certificate.witness;
        if (step > 0 || g.size() == 0)
            g = Vector::NullaryExpr(vote.x.size(), [&] { return normal(random); });
        const double length = norm_value(norm, g);
        if (!(length > 0.0)) continue;
        const Vector moved = vote.x + g * (inside / length);
        if (norm_value(norm, moved - vote.x) < certificate.lower) {
            EXPECT_EQ(vote.ensemble.predict(moved), from);
        }
    }
}

TEST_P(WeightedCertify, EqualsTheEnumeration) {
    const Norm norm = GetParam();
    std::mt19937_64 random(3);
    int n_finite = 0;
    for (VoteKind kind :
         {VoteKind::Random, VoteKind::Bagged, VoteKind::ZeroPlanes, VoteKind::Scaled}) {
        for (std::uint64_t seed = 0; seed < 250; ++seed) {
            const auto k = static_cast<Index>(1 + seed % 9);
            const auto n = static_cast<Index>(1 + seed % 4);
            SCOPED_TRACE(to_string(kind) + " seed " + std::to_string(seed));
            const RandomVote vote = make_weighted_vote(kind, k, n, seed + 10);
            const int from = vote.ensemble.predict(vote.x);
            const Flip oracle = reference_flip(Solver::Enumerate, vote.ensemble,
                                               testing::ball(norm), vote.x, from, PointLimits{});
            const Certificate certificate = certify_point(vote, from, norm);
            EXPECT_EQ(certificate.status, Status::Optimal);
            EXPECT_EQ(std::isfinite(certificate.upper), std::isfinite(oracle.lower));
            expect_sound(vote, from, norm, certificate, random);
            const Certificate wrong = certify_point(vote, -from, norm);
            EXPECT_EQ(wrong.radius, -certificate.radius);
            if (!std::isfinite(oracle.lower)) continue;
            ++n_finite;
            const double room = 1e-9 * std::max(1e-3, oracle.lower);
            EXPECT_NEAR(certificate.radius, oracle.lower, room);
            EXPECT_NEAR(certificate.lower, oracle.lower, room);
        }
    }
    EXPECT_GT(n_finite, 500);
}

// Exactly dependent planes, margins of exactly 0 and exact ties: the bracket may be wide, but
// holds.
TEST_P(WeightedCertify, BracketsTheEnumerationOnGrids) {
    const Norm norm = GetParam();
    std::mt19937_64 random(4);
    int n_closed = 0;
    for (VoteKind kind : {VoteKind::Grid, VoteKind::Dependent, VoteKind::NearlyParallel}) {
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            const auto k = static_cast<Index>(1 + seed % 7);
            SCOPED_TRACE(to_string(kind) + " seed " + std::to_string(seed));
            const RandomVote vote =
                make_weighted_vote(kind, k, static_cast<Index>(1 + seed % 4), seed + 10);
            const int from = vote.ensemble.predict(vote.x);
            const Flip oracle = reference_flip(Solver::Enumerate, vote.ensemble,
                                               testing::ball(norm), vote.x, from, PointLimits{});
            const Certificate certificate = certify_point(vote, from, norm);
            const double scale = std::max(1e-6, std::isfinite(oracle.lower) ? oracle.lower : 0.0);
            EXPECT_LE(certificate.lower, oracle.lower + 1e-10 * scale);
            EXPECT_GE(certificate.upper, oracle.lower - 1e-10 * scale);
            expect_sound(vote, from, norm, certificate, random);
            n_closed += certificate.upper - certificate.lower <= 1e-9 * scale ? 1 : 0;
        }
    }
    EXPECT_GT(n_closed, 150);
}

TEST_P(WeightedCertify, IntegerWeightsAreRepeatedPlanes) {
    const Norm norm = GetParam();
    for (VoteKind kind : {VoteKind::Random, VoteKind::Bagged, VoteKind::ZeroPlanes}) {
        for (std::uint64_t seed = 1; seed < 500; seed += 5) {
            SCOPED_TRACE(to_string(kind) + " seed " + std::to_string(seed));
            const RandomVote vote = make_weighted_vote(kind, static_cast<Index>(2 + seed % 7),
                                                       static_cast<Index>(1 + seed % 4), seed);
            const RandomVote copies{repeated(vote.ensemble), vote.x};
            const int from = vote.ensemble.predict(vote.x);
            ASSERT_EQ(copies.ensemble.predict(vote.x), from);
            const Certificate weighted = certify_point(vote, from, norm);
            const Certificate plain = certify_point(copies, from, norm);
            EXPECT_EQ(weighted.status, plain.status);
            if (std::isfinite(plain.radius)) {
                EXPECT_NEAR(weighted.radius, plain.radius, 1e-9 * (1e-3 + plain.radius));
                EXPECT_NEAR(weighted.lower, plain.lower, 1e-9 * (1e-3 + plain.radius));
            } else {
                EXPECT_EQ(weighted.radius, plain.radius);
            }
        }
    }
}

TEST_P(WeightedCertify, EqualWeightsChangeNothing) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const RandomVote vote = make_random_vote(VoteKind::Random, 9, 5, seed);
        const RandomVote equal{
            Ensemble(vote.ensemble.coef(), vote.ensemble.intercept(), Vector::Constant(9, 0.7)),
            vote.x};
        const int from = vote.ensemble.predict(vote.x);
        const Certificate a = certify_point(vote, from, GetParam());
        const Certificate b = certify_point(equal, from, GetParam());
        EXPECT_EQ(a.lower, b.lower);
        EXPECT_EQ(a.upper, b.upper);
        EXPECT_EQ(a.witness, b.witness);
        EXPECT_EQ(a.n_nodes, b.n_nodes);
    }
}

TEST_P(WeightedCertify, OnePlaneWithMostOfTheWeightDecidesAlone) {
    const Norm norm = GetParam();
    for (std::uint64_t seed = 2; seed < 300; seed += 5) {
        const RandomVote vote = make_weighted_vote(VoteKind::Random, 8, 4, seed);
        Index heaviest = 0;
        vote.ensemble.weights().maxCoeff(&heaviest);
        const RandomVote alone{Ensemble(Hyperplane{vote.ensemble.coef().row(heaviest).transpose(),
                                                   vote.ensemble.intercept()[heaviest]}),
                               vote.x};
        const int from = alone.ensemble.predict(vote.x);
        ASSERT_EQ(vote.ensemble.predict(vote.x), from);
        const double radius = certify_point(alone, from, norm).radius;
        EXPECT_NEAR(certify_point(vote, from, norm).radius, radius, 1e-9 * (1e-3 + radius));
    }
}

TEST_P(WeightedCertify, HighsAgrees) {
    if (!highs_version()) GTEST_SKIP();
    const Norm norm = GetParam();
    for (std::uint64_t seed = 1; seed < 100; seed += 5) {
        SCOPED_TRACE(seed);
        const RandomVote vote = make_weighted_vote(VoteKind::Random, 6, 3, seed);
        const int from = vote.ensemble.predict(vote.x);
        const double radius = certify_point(vote, from, norm).radius;
        const double highs = certify_point(vote, from, norm, Solver::Mip).radius;
        if (std::isfinite(radius)) {
            EXPECT_NEAR(highs, radius, 1e-5 * (1.0 + radius));
        } else {
            EXPECT_EQ(highs, radius);
        }
    }
    const RandomVote fine = make_weighted_vote(VoteKind::Random, 6, 3, 0);
    EXPECT_THROW(certify_point(fine, 1, norm, Solver::Mip), InvalidInput);
}

INSTANTIATE_TEST_SUITE_P(Norms, WeightedCertify, ::testing::Values(Norm::L1, Norm::L2, Norm::LInf),
                         [](const auto& instance) {
                             return std::string(to_string(instance.param));
                         });

/// On a line: plane i answers +1 from at[i] on.
RandomVote on_a_line(const Vector& at, const Vector& weights, double x) {
    return {Ensemble(Matrix::Ones(at.size(), 1), -at, weights), Vector{{x}}};
}

// Towards +1 half the weight is enough and touching counts; towards -1 it takes more than half, and
// no point attains the infimum.
TEST(WeightedTies, HalfOfTheWeightGivesPlusOne) {
    const Vector at{{1.0, 2.0, 3.0}};
    const Vector half{{2.0, 1.0, 1.0}};
    const Vector light{{1.9, 1.0, 1.0}};
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        const Certificate up = certify_point(on_a_line(at, half, 0.0), -1, norm);
        EXPECT_NEAR(up.radius, 1.0, 1e-9);
        const Certificate less = certify_point(on_a_line(at, light, 0.0), -1, norm);
        EXPECT_NEAR(less.radius, 2.0, 1e-9);
        // At 5 all planes answer +1; 3 and 2 are crossed, which is a tie, and then 1.
        const Certificate down = certify_point(on_a_line(at, half, 5.0), 1, norm);
        EXPECT_NEAR(down.radius, 4.0, 1e-9);
        EXPECT_GT(norm_value(norm, down.witness), 4.0);
        const Certificate more = certify_point(on_a_line(at, light, 5.0), 1, norm);
        EXPECT_NEAR(more.radius, 3.0, 1e-9);
    }
}

TEST(WeightedTies, PlanesWithoutDirectionCountByWeight) {
    const Matrix coef = (Matrix(3, 1) << 1.0, 0.0, 1.0).finished();
    const Vector intercept{{-1.0, 1.0, -3.0}};
    const auto radius = [&](double constant) {
        const Ensemble ensemble(coef, intercept, Vector{{1.0, constant, 1.0}});
        return certify(ensemble, Matrix::Zero(1, 1),
                       Vector::Constant(1, ensemble.predict(Vector::Zero(1))))[0]
            .radius;
    };
    EXPECT_NEAR(radius(0.5), 1.0, 1e-9);  // 0.5 against 2, then 1.5 against 1
    EXPECT_NEAR(radius(1.5), 1.0, 1e-9);
    EXPECT_EQ(radius(2.0), HUGE_VAL);  // half of the weight: always +1
}

}  // namespace
}  // namespace redoubt::testing
