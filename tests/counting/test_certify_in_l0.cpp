#include <gtest/gtest.h>

#include "counting/small_counting_cases.hpp"
#include "redoubt/certificate.hpp"
#include "support/seeds.hpp"

namespace redoubt {
namespace {

using testing::CountingCase;
using testing::CountingCases;

Certificate certify_one(const CountingCase& each) {
    CertifySettings settings;
    settings.attack_model = each.threat;
    const Matrix X = each.x.transpose();
    return certify(each.ensemble, X, settings)[0];
}

void expect_least(const CountingCase& each, const std::string& name) {
    const double least = testing::least_by_hand(each);
    const Certificate found = certify_one(each);
    ASSERT_EQ(found.status, Status::Optimal) << name;
    EXPECT_LE(found.lower, least) << name;
    EXPECT_GE(found.upper, least) << name;
    if (least == HUGE_VAL) {
        EXPECT_EQ(found.lower, HUGE_VAL) << name;
        return;
    }
    EXPECT_NEAR(found.lower, least, 1e-9 * least) << name;
    EXPECT_EQ(found.upper, least) << name;
    ASSERT_EQ(found.witness.size(), each.x.size()) << name;
    const Vector moved = each.x + found.witness;
    EXPECT_TRUE(each.threat.allows(each.x, moved)) << name;
    EXPECT_EQ(each.threat.move_size(each.x, found.witness), least) << name;
    EXPECT_NE(each.ensemble.predict(moved), each.ensemble.predict(each.x)) << name;
}

TEST(CertifyInL0, IsTheLeastOfAllMovesOfSmallIntegers) {
    CountingCases cases(1);
    for (std::uint64_t c = 0; c < testing::n_seeds(3000); ++c)
        expect_least(cases.draw(false), "case " + std::to_string(c));
}

TEST(CertifyInL0, IsTheLeastOfAllMovesWithRoughWeights) {
    CountingCases cases(2);
    for (std::uint64_t c = 0; c < testing::n_seeds(2000); ++c)
        expect_least(cases.draw(true), "case " + std::to_string(c));
}

TEST(CertifyInL0, IsWhole) {
    CountingCases cases(3);
    for (int c = 0; c < 200; ++c) {
        CountingCase each = cases.draw(c % 2 == 0);
        each.threat.cost.resize(0);
        const Certificate found = certify_one(each);
        EXPECT_EQ(found.lower, found.upper);
        if (found.lower < HUGE_VAL) {
            EXPECT_EQ(found.lower, std::round(found.lower));
        }
    }
}

}  // namespace
}  // namespace redoubt
