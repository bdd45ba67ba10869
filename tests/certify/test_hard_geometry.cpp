/// Planes that nearly cancel or nearly coincide, and features on which nothing depends: the radius
/// is still found, and its bracket stays narrow.

#include <gtest/gtest.h>

#include <cmath>

#include "redoubt/attack.hpp"
#include "redoubt/certificate.hpp"
#include "support/random_votes.hpp"

namespace redoubt::testing {
namespace {

/// Two planes that must both be fooled, x_1 < -1 and -x_1 + angle x_2 < -1: far away, x_2 < -2 /
/// angle.
Ensemble nearly_opposite_planes(double angle) {
    Matrix W(2, 2);
    W << 1.0, 0.0, -1.0, angle;
    return {W, Vector::Ones(2)};
}

TEST(HardGeometry, NearlyOppositePlanesMeetFarAway) {
    for (double angle : {1e-3, 1e-5, 1e-7}) {
        const Ensemble vote = nearly_opposite_planes(angle);
        const double far = 2.0 / angle;
        for (auto [norm, radius] : {std::pair{Norm::L1, 1.0 + far},
                                    {Norm::L2, std::hypot(1.0, far)},
                                    {Norm::LInf, far}}) {
            CertifySettings settings;
            settings.attack_model.norm = norm;
            const Certificate result =
                certify(vote, Matrix::Zero(1, 2), Vector::Ones(1), settings).front();
            EXPECT_EQ(result.status, Status::Optimal) << to_string(norm) << ' ' << angle;
            EXPECT_NEAR(result.radius / radius, 1.0, 1e-6) << to_string(norm) << ' ' << angle;
            EXPECT_LE(result.lower, radius * (1.0 + 1e-15)) << to_string(norm) << ' ' << angle;
            EXPECT_GE(result.lower, radius * (1.0 - 1e-6)) << to_string(norm) << ' ' << angle;
        }
    }
}

TEST(HardGeometry, BracketsOfNearlyParallelPlanesAreNarrow) {
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        for (std::uint64_t seed = 0; seed < 60; ++seed) {
            const RandomVote vote =
                make_random_vote(VoteKind::NearlyParallel, static_cast<Index>(2 + seed % 9),
                                 static_cast<Index>(1 + seed % 6), seed);
            CertifySettings settings;
            settings.attack_model.norm = norm;
            const Certificate result = certify(vote.ensemble, vote.x.transpose(), settings).front();
            if (result.witness.size() == 0) continue;
            EXPECT_LE(result.upper - result.lower, 1e-6 * std::abs(result.radius))
                << to_string(norm) << " seed " << seed;
        }
    }
}

TEST(HardGeometry, FeaturesOnWhichNoPlaneDependsNeverMove) {
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const RandomVote vote = make_random_vote(VoteKind::Random, 7, 4, seed);
            Matrix W = Matrix::Zero(7, 6);
            W.leftCols(2) = vote.ensemble.coef().leftCols(2);
            W.rightCols(2) = vote.ensemble.coef().rightCols(2);
            Vector x = Vector::Ones(6);
            x.head(4) = vote.x;
            const Ensemble padded(W, vote.ensemble.intercept());
            CertifySettings settings;
            settings.attack_model.norm = norm;
            const Certificate result = certify(padded, x.transpose(), settings).front();
            ASSERT_EQ(result.witness.size(), 6);
            EXPECT_EQ(result.witness.segment(2, 2), Vector::Zero(2)) << to_string(norm);
            AttackSettings attack_settings;
            attack_settings.attack_model.norm = norm;
            const Vector y = Vector::Constant(1, padded.predict(x));
            const Attack found = attack(padded, x.transpose(), y,
                                        Vector::Constant(1, 1.01 * result.radius), attack_settings)
                                     .front();
            EXPECT_TRUE(found.success);
            EXPECT_EQ(found.d.segment(2, 2), Vector::Zero(2)) << to_string(norm);
        }
    }
}

TEST(HardGeometry, APlaneThroughThePointDoesNotHideTheFarOnes) {
    // Plane 4 passes through the point up to rounding; steps measured by its distance would lose
    // all digits of the others.
    Matrix W(6, 6);
    W << -2, -1, 1, 1, -1, -4, 1, 0, -1, 0, -2, 2, 0, 2, 0, -1, -1, 0, 0, 3, -1, 1, 1, 0, -2, 0, 1,
        -1, 2, -1, -2, 0, 1, 5, 1, -1;
    const Vector b = (Vector(6) << -1, 2, -3, 0, -0.5, 0).finished();
    const Matrix X = (Matrix(1, 6) << -2, 0, -1, 1, -2, 1).finished();
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        CertifySettings settings;
        settings.attack_model.norm = norm;
        const Certificate native = certify(Ensemble(W, b), X, settings).front();
        settings.solver = Solver::Enumerate;
        const Certificate oracle = certify(Ensemble(W, b), X, settings).front();
        EXPECT_NEAR(native.radius, oracle.radius, 1e-6 * (1.0 + oracle.radius)) << to_string(norm);
        EXPECT_EQ(native.status, Status::Optimal) << to_string(norm);
    }
}

TEST(HardGeometry, OppositeMultiplesOfAPlaneNeverAnswerMinusBoth) {
    // x >= 1, -3x >= -3 and 2x >= -8 towards -1: the first two touch at 1, where both answer +1.
    Matrix W(3, 1);
    W << 1.0, -3.0, 2.0;
    const Ensemble vote(W, (Vector(3) << -1.0, 3.0, 8.0).finished());
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        CertifySettings settings;
        settings.attack_model.norm = norm;
        // At 0 the answers are -1, +1, +1; planes 1 and 3 answer -1 beyond -4.
        const Certificate result =
            certify(vote, Matrix::Zero(1, 1), Vector::Ones(1), settings).front();
        EXPECT_EQ(result.status, Status::Optimal);
        EXPECT_NEAR(result.radius, 4.0, 1e-9);
        EXPECT_NEAR(result.lower, 4.0, 1e-9);
    }
}

TEST(HardGeometry, TouchingIsEnoughTowardsPlus) {
    // Both planes answer +1 at 1 only, where they touch.
    Matrix W(2, 1);
    W << 1.0, -1.0;
    const Ensemble vote(W, (Vector(2) << -1.0, 1.0).finished());
    // At 0 one of two answers -1: a tie, which is +1. So a third and fourth plane vote -1 for sure.
    Matrix four(4, 1);
    four << W, Matrix::Zero(2, 1);
    const Ensemble wrong(four, (Vector(4) << -1.0, 1.0, -1.0, -1.0).finished());
    EXPECT_EQ(vote.predict(Vector::Zero(1)), 1);
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        CertifySettings settings;
        settings.attack_model.norm = norm;
        const Certificate result =
            certify(wrong, Matrix::Zero(1, 1), Vector::Constant(1, -1.0), settings).front();
        EXPECT_EQ(result.status, Status::Optimal) << to_string(norm);
        EXPECT_NEAR(result.upper, 1.0, 1e-12) << to_string(norm);
        EXPECT_NEAR(result.lower, 1.0, 1e-9) << to_string(norm);
    }
}

}  // namespace
}  // namespace redoubt::testing
