/// The integer programs against the enumeration.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>

#include "reference/opinion_problems.hpp"
#include "reference/second_opinion.hpp"
#include "reference/witness.hpp"
#include "support/balls.hpp"

namespace redoubt::testing {
namespace {

constexpr double kTolerance = 1e-6;

/// Both opinions on the least flip from the label that the vote gives.
void compare_flips(const OpinionProblem& problem, Norm norm) {
    const int from = problem.ensemble.predict(problem.x);
    const FlipAnswer exact = enumerate_flip(problem.ensemble, problem.x, from, norm);
    const FlipAnswer mip = mip_flip(problem.ensemble, problem.x, from, norm, {});
    ASSERT_EQ(mip.status, Status::Optimal);
    if (std::isinf(exact.distance)) {
        EXPECT_EQ(mip.distance, exact.distance);
        EXPECT_EQ(mip.bound, exact.distance);
        EXPECT_EQ(mip.d.size(), 0);
        return;
    }
    const double tolerance = kTolerance * (1.0 + exact.distance);
    EXPECT_NEAR(mip.distance, exact.distance, tolerance);
    EXPECT_NEAR(mip.bound, exact.distance, tolerance);
    ASSERT_EQ(mip.d.size(), exact.d.size());
    if (exact.d.size() == 0) return;
    EXPECT_NE(problem.ensemble.predict(problem.x + exact.d), from);
    EXPECT_NE(problem.ensemble.predict(problem.x + mip.d), from);
    const double length = norm_value(norm, exact.d);
    EXPECT_GE(length, exact.distance * (1.0 - 1e-12));
    EXPECT_NEAR(norm_value(norm, mip.d), length, tolerance);
}

void compare_adversaries(const OpinionProblem& problem, int y, double radius, Norm norm) {
    const PointProblem point{problem.ensemble, testing::ball(norm), problem.x, y, radius};
    const AdversaryAnswer exact = enumerate_adversary(point, Adversary::Exact);
    const AdversaryAnswer mip = mip_adversary(point, Adversary::Exact, {});
    EXPECT_EQ(mip.status, Status::Optimal);
    EXPECT_EQ(mip.objective, exact.objective);
    EXPECT_EQ(mip.bound, exact.bound);
    EXPECT_LE(norm_value(norm, mip.d), radius);
    EXPECT_NEAR(norm_value(norm, mip.d), norm_value(norm, exact.d), kTolerance * (1.0 + radius));
    EXPECT_EQ(mip::count_differing(problem.ensemble, problem.x, mip.d, y), mip.objective);

    const AdversaryAnswer every = enumerate_adversary(point, Adversary::Relaxed);
    const AdversaryAnswer relaxed = mip_adversary(point, Adversary::Relaxed, {});
    EXPECT_EQ(relaxed.status, Status::Optimal);
    const double tolerance = kTolerance * (1.0 + every.objective);
    EXPECT_NEAR(relaxed.objective, every.objective, tolerance);
    EXPECT_NEAR(relaxed.bound, every.objective, tolerance);
    EXPECT_LE(norm_value(norm, relaxed.d), radius);
    EXPECT_LE(norm_value(norm, every.d), radius);
}

class MipAnswers : public ::testing::TestWithParam<PlaneKind> {};

TEST_P(MipAnswers, FlipsAgreeWithEnumeration) {
    if (!have_highs()) GTEST_SKIP();
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const OpinionProblem problem = make_opinion_problem(GetParam(), seed);
        for (Norm norm : kAllNorms) {
            SCOPED_TRACE("seed " + std::to_string(seed) + " " + std::string(to_string(norm)));
            compare_flips(problem, norm);
        }
    }
}

TEST_P(MipAnswers, AdversariesAgreeWithEnumeration) {
    if (!have_highs()) GTEST_SKIP();
    for (std::uint64_t seed = 101; seed <= 120; ++seed) {
        const OpinionProblem problem = make_opinion_problem(GetParam(), seed);
        // Not a distance between points and planes of small whole numbers.
        const double radius = 0.7310585786 * (seed % 3 == 0 ? 0.3 : 1.0);
        for (Norm norm : kAllNorms) {
            for (int y : {-1, 1}) {
                SCOPED_TRACE("seed " + std::to_string(seed) + " " + std::string(to_string(norm)) +
                             " y " + std::to_string(y));
                compare_adversaries(problem, y, radius, norm);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, MipAnswers, ::testing::ValuesIn(all_plane_kinds()),
                         [](const auto& kind) { return to_string(kind.param); });

}  // namespace
}  // namespace redoubt::testing
