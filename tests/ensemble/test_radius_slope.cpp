/// The derivative of the certified radius against finite differences, for right and wrong points.

#include "flip/radius_slope.hpp"

#include <gtest/gtest.h>

#include "redoubt/certificate.hpp"
#include "support/balls.hpp"
#include "support/random_votes.hpp"

namespace redoubt::testing {
namespace {

double signed_radius(const Matrix& coef, const Vector& intercept, const Vector& x, int y,
                     Norm norm) {
    CertifySettings settings;
    settings.attack_model.norm = norm;
    return certify(Ensemble(coef, intercept), x.transpose(), Vector::Constant(1, y), settings)
        .front()
        .radius;
}

struct Checked {
    int n_right = 0;
    int n_wrong = 0;
    int n_kinks = 0;
};

/// Central differences in every parameter. Where the two one-sided ones disagree, R has a kink.
void check_slope(const RandomVote& vote, int y, Norm norm, Checked& checked) {
    const Matrix& W = vote.ensemble.coef();
    const Vector& b = vote.ensemble.intercept();
    const testing::PreparedVote prepared(vote.ensemble, testing::ball(norm));
    const RadiusSlope slope = RadiusSloper(prepared.planes).solve(vote.x, y, {});
    if (slope.is_beyond) return;
    EXPECT_NEAR(slope.radius, signed_radius(W, b, vote.x, y, norm), 1e-9 * std::abs(slope.radius));
    Matrix rate = Matrix::Zero(W.rows(), W.cols() + 1);
    for (const RadiusSlope::Share& share : slope.shares) {
        rate.row(share.plane).head(W.cols()) += share.rate * slope.moved.transpose();
        rate(share.plane, W.cols()) += share.rate;
    }
    constexpr double h = 1e-6;
    for (Index i = 0; i < W.rows(); ++i) {
        for (Index l = 0; l <= W.cols(); ++l) {
            double value[2];
            for (int side = 0; side < 2; ++side) {
                Matrix coef = W;
                Vector intercept = b;
                (l < W.cols() ? coef(i, l) : intercept[i]) += side == 0 ? -h : h;
                value[side] = signed_radius(coef, intercept, vote.x, y, norm);
            }
            const double left = (slope.radius - value[0]) / h;
            const double right = (value[1] - slope.radius) / h;
            const double scale = 1.0 + std::abs(rate(i, l));
            if (std::abs(left - right) > 1e-3 * scale) {
                ++checked.n_kinks;
                continue;
            }
            EXPECT_NEAR(0.5 * (left + right), rate(i, l), 1e-4 * scale) << to_string(norm);
            ++(slope.radius > 0.0 ? checked.n_right : checked.n_wrong);
        }
    }
}

TEST(RadiusSlope, EqualsFiniteDifferences) {
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        Checked checked;
        for (VoteKind kind : {VoteKind::Random, VoteKind::Bagged}) {
            for (std::uint64_t seed = 0; seed < 25; ++seed) {
                const RandomVote vote = make_random_vote(kind, static_cast<Index>(1 + seed % 7),
                                                         static_cast<Index>(1 + seed % 5), seed);
                check_slope(vote, 1, norm, checked);
                check_slope(vote, -1, norm, checked);
            }
        }
        EXPECT_GT(checked.n_right, 300) << to_string(norm);
        EXPECT_GT(checked.n_wrong, 300) << to_string(norm);
        EXPECT_LT(checked.n_kinks, 20) << to_string(norm);
    }
}

TEST(RadiusSlope, StopsAtItsLimits) {
    const Ensemble plane(Hyperplane{Vector::Ones(1), 0.0});
    const testing::PreparedVote prepared(plane, testing::ball(Norm::L2));
    RadiusSloper sloper(prepared.planes);
    const Vector x = Vector::Constant(1, 3.0);
    const RadiusLimits limits{2.0, 1.0};
    EXPECT_TRUE(sloper.solve(x, 1, limits).is_beyond);
    EXPECT_EQ(sloper.solve(x, 1, limits).radius, 2.0);
    EXPECT_EQ(sloper.solve(x, -1, limits).radius, -1.0);
    EXPECT_TRUE(sloper.solve(x, -1, limits).shares.empty());
    EXPECT_FALSE(sloper.solve(x / 2.0, 1, limits).is_beyond);
    EXPECT_NEAR(sloper.solve(x / 2.0, 1, limits).radius, 1.5, 1e-12);
}

}  // namespace
}  // namespace redoubt::testing
