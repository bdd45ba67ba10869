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
            settings.norm = norm;
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
            settings.norm = norm;
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
            settings.norm = norm;
            const Certificate result = certify(padded, x.transpose(), settings).front();
            ASSERT_EQ(result.witness.size(), 6);
            EXPECT_EQ(result.witness.segment(2, 2), Vector::Zero(2)) << to_string(norm);
            AttackSettings attack_settings;
            attack_settings.norm = norm;
            const Vector y = Vector::Constant(1, padded.predict(x));
            const Attack found = attack(padded, x.transpose(), y,
                                        Vector::Constant(1, 1.01 * result.radius), attack_settings)
                                     .front();
            EXPECT_TRUE(found.success);
            EXPECT_EQ(found.d.segment(2, 2), Vector::Zero(2)) << to_string(norm);
        }
    }
}

}  // namespace
}  // namespace redoubt::testing
