/// Votes with a quota: what they answer, and what is no quota.

#include <gtest/gtest.h>

#include <cmath>

#include "redoubt/ensemble.hpp"
#include "redoubt/error.hpp"

namespace redoubt::testing {
namespace {

/// Plane i answers +1 exactly where x_i >= 0.
Ensemble one_by_one(Index k) {
    return {Matrix::Identity(k, k), Vector::Zero(k)};
}

Ensemble one_by_one(const Vector& weights) {
    const Index k = weights.size();
    return {Matrix::Identity(k, k), Vector::Zero(k), weights};
}

std::string refusal_of(const Ensemble& ensemble, double quota) {
    try {
        ensemble.with_quota(quota);
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "";
}

TEST(Quota, CountsPlanesThatAnswerPlusOne) {
    for (Index k = 1; k <= 5; ++k) {
        for (Index quota = 1; quota <= k; ++quota) {
            const Ensemble vote = one_by_one(k).with_quota(static_cast<double>(quota));
            EXPECT_EQ(vote.quota_units(), quota);
            for (Index n_yes = 0; n_yes <= k; ++n_yes) {
                Vector x = Vector::Constant(k, -1.0);
                x.head(n_yes).setOnes();
                EXPECT_EQ(vote.predict(x), n_yes >= quota ? 1 : -1);
                EXPECT_EQ(vote.predict_all(x.transpose())[0], vote.predict(x));
                EXPECT_EQ(vote.vote(x), one_by_one(k).vote(x));
            }
        }
    }
}

TEST(Quota, OfHalfIsTheMajority) {
    for (Index k = 1; k <= 6; ++k) {
        const Ensemble majority = one_by_one(k);
        EXPECT_FALSE(majority.has_quota());
        EXPECT_EQ(majority.quota(), 0.0);
        const Ensemble half = majority.with_quota(0.5 * static_cast<double>(k));
        EXPECT_TRUE(half.has_quota());
        EXPECT_EQ(half.quota_units(), majority.quota_units());
        EXPECT_EQ(half.quota_units(), (k + 1) / 2);
    }
}

// 0.1 + 0.2 < 0.3 < 0.1 + 0.2 as doubles are rounded: the quota is met without rounding or not at
// all.
TEST(Quota, OfWeightsIsExact) {
    const Ensemble vote = one_by_one(Vector{{1.5, 4.5, 3.0}});
    EXPECT_EQ(vote.with_quota(4.5).quota_units(), 3);
    EXPECT_EQ(vote.with_quota(std::nextafter(4.5, 0.0)).quota_units(), 3);
    EXPECT_EQ(vote.with_quota(std::nextafter(4.5, 9.0)).quota_units(), 4);
    EXPECT_EQ(vote.with_quota(9.0).quota_units(), 6);
    EXPECT_EQ(vote.with_quota(1e-300).quota_units(), 1);
    const Vector only_second{{-1.0, 1.0, -1.0}};
    EXPECT_EQ(vote.with_quota(4.5).predict(only_second), 1);
    EXPECT_EQ(vote.with_quota(std::nextafter(4.5, 9.0)).predict(only_second), -1);
}

TEST(Quota, OfAllRoundedWeightsIsAllOfThem) {
    const Vector weights{{0.1, 0.2, 0.3, 0.7}};
    const Ensemble vote = one_by_one(weights).with_quota(weights.sum());
    EXPECT_EQ(vote.quota_units(), vote.total_units());
}

TEST(Quota, RefusesWhatIsNone) {
    EXPECT_EQ(refusal_of(one_by_one(3), 4.0),
              "quota: expected a number > 0 and <= the number of planes, 3, got 4");
    EXPECT_EQ(refusal_of(one_by_one(3), 0.0),
              "quota: expected a number > 0 and <= the number of planes, 3, got 0");
    EXPECT_EQ(refusal_of(one_by_one(3), std::nan("")),
              "quota: expected a number > 0 and <= the number of planes, 3, got nan");
    EXPECT_EQ(refusal_of(one_by_one(Vector{{1.0, 0.5}}), 1.75),
              "quota: expected a number > 0 and <= the sum of the weights, 1.5, got 1.75");
}

}  // namespace
}  // namespace redoubt::testing
