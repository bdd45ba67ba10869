/// Compressed points, and brackets without witnesses, against the dense search with witnesses.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <utility>

#include "redoubt/attack.hpp"
#include "redoubt/certificate.hpp"
#include "support/random_votes.hpp"
#include "support/sparse_copies.hpp"

namespace redoubt::testing {
namespace {

Certificate certify_one(const Ensemble& ensemble, const PointsRef& x, Norm norm,
                        bool wants_witness) {
    CertifySettings settings;
    settings.attack_model.norm = norm;
    settings.wants_witness = wants_witness;
    return certify(ensemble, x, settings)[0];
}

/// Two true brackets of one radius overlap; where the dense one is closed, so is the other.
void expect_same_radius(const Certificate& found, const Certificate& dense) {
    EXPECT_LE(found.lower, dense.upper);
    EXPECT_GE(found.upper, dense.lower);
    const bool is_closed = dense.upper - dense.lower <= 1e-9 * dense.upper;
    if (is_closed) {
        EXPECT_LE(found.upper - found.lower, 2e-9 * dense.upper);
    }
    EXPECT_EQ(std::isfinite(found.upper), std::isfinite(dense.upper));
    EXPECT_EQ(found.status, dense.status);
}

/// With zeros in it, so that compressed points have gaps.
RandomVote with_gaps(RandomVote vote) {
    for (Index l = 0; l < vote.x.size(); l += 2) vote.x[l] = 0.0;
    return vote;
}

class SparseOnEveryVote : public ::testing::TestWithParam<VoteKind> {};

TEST_P(SparseOnEveryVote, GivesTheSameBracketsWithAndWithoutWitnesses) {
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            const auto k = static_cast<Index>(1 + seed % 9);
            const auto n = static_cast<Index>(1 + seed % 7);
            SCOPED_TRACE(::testing::Message() << to_string(norm) << " seed " << seed);
            const RandomVote vote =
                with_gaps(seed % 3 == 0 ? make_weighted_vote(GetParam(), k, n, seed)
                                        : make_random_vote(GetParam(), k, n, seed));
            const Matrix X = vote.x.transpose();
            const Certificate dense = certify_one(vote.ensemble, X, norm, true);
            const SparseMatrix sparse = compressed(X);
            const Certificate found = certify_one(vote.ensemble, sparse, norm, true);
            expect_same_radius(found, dense);
            EXPECT_EQ(found.witness.size() > 0, dense.witness.size() > 0);
            Vector moved = vote.x;
            ASSERT_EQ(found.witness.size(), static_cast<Index>(found.witness_features.size()));
            for (Index i = 0; i < found.witness.size(); ++i)
                moved[found.witness_features[static_cast<std::size_t>(i)]] += found.witness[i];
            if (found.witness.size() > 0) {
                EXPECT_NE(vote.ensemble.predict(moved), vote.ensemble.predict(vote.x));
                EXPECT_LE(norm_value(norm, Vector(moved - vote.x)), found.upper * (1.0 + 1e-15));
            }
            for (const PointsRef& points : {PointsRef(X), PointsRef(sparse)}) {
                const Certificate brief = certify_one(vote.ensemble, points, norm, false);
                expect_same_radius(brief, dense);
                EXPECT_EQ(brief.witness.size(), 0);
            }
        }
    }
}

TEST_P(SparseOnEveryVote, AnswersAndAttacksAsDensePointsDo) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const RandomVote vote = with_gaps(make_random_vote(GetParam(), 5, 4, seed));
        const Matrix X = vote.x.transpose();
        const SparseMatrix sparse = compressed(X);
        EXPECT_EQ(vote.ensemble.votes(sparse), vote.ensemble.votes(X));
        EXPECT_EQ(vote.ensemble.answers(sparse.view().row(0)), vote.ensemble.answers(vote.x));
        AttackSettings settings;
        settings.attack_model.norm = seed % 2 == 0 ? Norm::L2 : Norm::LInf;
        const Vector y = vote.ensemble.predict_all(X).cast<double>();
        const Vector radius = Vector::Constant(1, 0.7);
        const Attack one = attack(vote.ensemble, sparse, y, radius, settings)[0];
        const Attack other = attack(vote.ensemble, X, y, radius, settings)[0];
        Vector d = Vector::Zero(X.cols());
        ASSERT_EQ(one.d.size(), static_cast<Index>(one.features.size()));
        for (Index i = 0; i < one.d.size(); ++i)
            d[one.features[static_cast<std::size_t>(i)]] = one.d[i];
        EXPECT_EQ(d, other.d);
        EXPECT_TRUE(other.features.empty());
        EXPECT_EQ(one.objective, other.objective);
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, SparseOnEveryVote, ::testing::ValuesIn(all_vote_kinds()),
                         [](const auto& kind) { return to_string(kind.param); });

/// Planes of words: few weights are large, most are small, many are 0.
Ensemble word_vote(Index k, Index n, std::uint64_t seed, bool is_even) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    Matrix coef = Matrix::Zero(k, n);
    for (Index l = 0; l < n; ++l) {
        if (l % 7 == 3) continue;
        const double size = is_even ? 1.0 : 1.0 / (1.0 + static_cast<double>(l % 500));
        const double common = normal(random);
        for (Index i = 0; i < k; ++i) coef(i, l) = size * (common + 0.5 * normal(random));
    }
    return Ensemble(coef, Vector::NullaryExpr(k, [&](Index) { return normal(random); }));
}

TEST(SparseCertify, AgreesWithDenseSearchesInManyFeatures) {
    constexpr Index kFeatures = 1500;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const Ensemble vote = word_vote(7, kFeatures, seed, seed % 2 == 1);
        std::mt19937_64 random(seed);
        Matrix X = Matrix::Zero(3, kFeatures);
        for (Index j = 0; j < X.rows(); ++j) {
            for (int i = 0; i < 20; ++i)
                X(j, static_cast<Index>(random() % kFeatures)) = 1.0 + static_cast<double>(i % 3);
        }
        const SparseMatrix sparse = compressed(X);
        for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
            SCOPED_TRACE(::testing::Message() << to_string(norm) << " seed " << seed);
            CertifySettings settings;
            settings.attack_model.norm = norm;
            const std::vector<Certificate> dense = certify(vote, X, settings);
            settings.wants_witness = false;
            const std::vector<Certificate> brief = certify(vote, sparse, settings);
            for (std::size_t j = 0; j < dense.size(); ++j) expect_same_radius(brief[j], dense[j]);
            if (norm != Norm::L1) continue;
            settings.wants_witness = true;
            const std::vector<Certificate> few = certify(vote, sparse, settings);
            for (std::size_t j = 0; j < dense.size(); ++j) {
                expect_same_radius(few[j], dense[j]);
                EXPECT_GE(few[j].witness.size(), 1);
                EXPECT_LE(few[j].witness.size(), 7);
            }
        }
    }
}

/// Where no two planes disagree about a feature's sign, linf sees one feature. `share` of them are
/// such; planes may be opposite, empty, or have features of their own.
Ensemble vote_of_signs(Index k, Index n, std::uint64_t seed, double share) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    Matrix coef = Matrix::Zero(k, n);
    for (Index l = 0; l < n; ++l) {
        const bool is_alike = uniform(random) < share;
        const double side = normal(random) < 0.0 ? -1.0 : 1.0;
        for (Index i = 0; i < k; ++i) {
            if (uniform(random) < 0.4) continue;
            const double weight = normal(random) * std::pow(10.0, -3.0 * uniform(random));
            coef(i, l) = is_alike ? side * std::abs(weight) : weight;
        }
    }
    if (seed % 3 == 1) coef.row(1) = -2.0 * coef.row(0);
    if (seed % 3 == 2) coef.row(2).setZero();
    return Ensemble(coef, Vector::NullaryExpr(k, [&](Index) { return normal(random); }));
}

TEST(SparseCertify, LInfFeaturesOfOneSignAreOneFeature) {
    constexpr Index kFeatures = 700;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        const double share = seed % 4 == 0 ? 1.0 : seed % 4 == 1 ? 0.97 : 0.6;
        const Ensemble vote = vote_of_signs(5, kFeatures, seed, share);
        std::mt19937_64 random(seed);
        Matrix X = Matrix::Zero(2, kFeatures);
        for (Index j = 0; j < X.rows(); ++j) {
            for (int i = 0; i < 20; ++i) X(j, static_cast<Index>(random() % kFeatures)) = 1.0;
        }
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        CertifySettings settings;
        settings.attack_model.norm = Norm::LInf;
        const std::vector<Certificate> dense = certify(vote, X, settings);
        settings.wants_witness = false;
        const std::vector<Certificate> brief = certify(vote, compressed(X), settings);
        for (std::size_t j = 0; j < dense.size(); ++j) expect_same_radius(brief[j], dense[j]);
    }
}

TEST(SparseCertify, WhatAnEnsembleKeepsForSearchesStaysBehindWhenItIsCopied) {
    const Matrix X = Matrix::Ones(1, 900);
    CertifySettings settings;
    settings.wants_witness = false;
    auto first = std::make_unique<Ensemble>(word_vote(5, 900, 1, false));
    Ensemble other = word_vote(5, 900, 2, false);
    const double radius = certify(*first, X, settings)[0].radius;
    EXPECT_NE(certify(other, X, settings)[0].radius, radius);
    const Ensemble copy = *first;
    other = *first;
    const Ensemble moved = std::move(*first);
    first.reset();
    for (const Ensemble* each : {&copy, &std::as_const(other), &moved})
        EXPECT_EQ(certify(*each, X, settings)[0].radius, radius);
}

TEST(SparseCertify, DecidesTiesByTheEntriesThatArePresent) {
    const Ensemble vote(Matrix{{1.0, 1e300, -1.0}}, Vector{{0.0}});
    Matrix X(2, 3);
    X << 1.0, 0.0, 1.0, 1.0, 0.0, std::nextafter(1.0, 2.0);
    const SparseMatrix sparse = compressed(X);
    EXPECT_EQ(vote.predict_all(sparse)[0], 1);
    EXPECT_EQ(vote.predict_all(sparse)[1], -1);
    EXPECT_EQ(vote.predict_all(X), vote.predict_all(sparse));
}

TEST(SparseCertify, KeepsToAttackModelsAndFrozenEntries) {
    const RandomVote vote = with_gaps(make_random_vote(VoteKind::Random, 5, 6, 3));
    const Matrix X = vote.x.transpose();
    CertifySettings settings;
    settings.attack_model.lower = Vector::Constant(6, -3.0);
    settings.attack_model.upper = Vector::Constant(6, 3.0);
    settings.frozen = {{1}};
    const Certificate dense = certify(vote.ensemble, X, settings)[0];
    const Certificate found = certify(vote.ensemble, compressed(X), settings)[0];
    EXPECT_EQ(found.lower, dense.lower);
    EXPECT_EQ(found.upper, dense.upper);
    EXPECT_EQ(found.fooled, dense.fooled);
}

}  // namespace
}  // namespace redoubt::testing
