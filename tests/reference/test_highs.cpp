/// Finding HiGHS, what is said when it is not there, and its limits.

#include "redoubt/highs.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "redoubt/error.hpp"
#include "reference/highs_solver.hpp"
#include "reference/opinion_problems.hpp"
#include "reference/second_opinion.hpp"
#include "support/balls.hpp"

namespace redoubt::testing {
namespace {

/// Tells what `require_highs` throws on standard error, and ends the process with 3; 0 if nothing.
[[noreturn]] void report_refusal(const char* variable, const char* path) {
    // HiGHS stays loaded once it is: only a fresh process can see it missing.
    setenv("REDOUBT_HIGHS", variable, 1);
    set_highs_library(path);
    try {
        mip::require_highs();
    } catch (const InvalidInput& error) {
        std::fprintf(stderr, "%s\n", error.what());
        std::_Exit(highs_version() ? 4 : 3);
    }
    std::_Exit(0);
}

class HighsDeath : public ::testing::Test {
protected:
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(HighsDeath, AbsentSaysHowToGetIt) {
    EXPECT_EXIT(report_refusal("/no/such/libhighs.so", ""), ::testing::ExitedWithCode(3),
                "solver: expected HiGHS to be installed for 'mip' \\(pip install highspy, or "
                "Debian's libhighs-dev, or its library's path in REDOUBT_HIGHS\\), got no HiGHS: "
                "/no/such/libhighs.so");
}

TEST_F(HighsDeath, AnotherLibraryIsRefused) {
    EXPECT_EXIT(report_refusal("libm.so.6", ""), ::testing::ExitedWithCode(3),
                "libm.so.6: it has no function Highs_version");
}

TEST_F(HighsDeath, TheVariableComesBeforeThePathHandedOver) {
    EXPECT_EXIT(report_refusal("/no/such/first", "/no/such/second"), ::testing::ExitedWithCode(3),
                "no HiGHS: /no/such/first[^;]*$");
}

TEST_F(HighsDeath, WithoutTheVariableThePathHandedOverComesFirst) {
    if (!have_highs()) GTEST_SKIP();
    const char* path = std::getenv("REDOUBT_HIGHS");
    if (path == nullptr) GTEST_SKIP() << "no path to hand over";
    EXPECT_EXIT(report_refusal("", path), ::testing::ExitedWithCode(0), "");
}

TEST(Highs, TellsItsVersion) {
    if (!have_highs()) GTEST_SKIP();
    EXPECT_EQ(highs_version()->substr(0, 2), "1.");
}

/// A knapsack that needs some search: max sum c_j x_j, sum a_j x_j <= b.
mip::MipModel knapsack(int n) {
    mip::MipModel model(mip::Sense::Maximize);
    std::vector<mip::Term> weight;
    double sum = 0.0;
    for (int j = 0; j < n; ++j) {
        const double a = 1000.0 + (j * 7919) % 997;
        weight.push_back({model.add_binary("x_" + std::to_string(j), a + (j * 31) % 17), a});
        sum += a;
    }
    model.add_row({"room", -HUGE_VAL, std::floor(0.5 * sum)}, weight);
    return model;
}

TEST(Highs, SolvesAndSeesInfeasibility) {
    if (!have_highs()) GTEST_SKIP();
    mip::MipModel model(mip::Sense::Maximize);
    const int x = model.add_column({"x", 0.0, 10.0, 1.0, true});
    model.add_row({"half", -HUGE_VAL, 7.0}, {{x, 2.0}});
    const mip::MipSolution three = mip::solve(model, {});
    EXPECT_EQ(three.status, Status::Optimal);
    EXPECT_EQ(three.objective, 3.0);
    EXPECT_EQ(three.bound, 3.0);
    EXPECT_FALSE(three.infeasible);
    model.add_row({"never", 8.0, HUGE_VAL}, {{x, 2.0}});
    const mip::MipSolution none = mip::solve(model, {});
    EXPECT_EQ(none.status, Status::Optimal);
    EXPECT_TRUE(none.infeasible);
    EXPECT_FALSE(none.has_point);
}

TEST(Highs, LimitsStrike) {
    if (!have_highs()) GTEST_SKIP();
    const mip::MipModel model = knapsack(60);
    const std::atomic<bool> raised{true};
    PointLimits limits;
    limits.stop = &raised;
    EXPECT_EQ(mip::solve(model, limits).status, Status::Interrupted);
    EXPECT_EQ(mip::solve(model, limits).bound, HUGE_VAL);
    limits = {};
    limits.deadline = Clock::now();
    EXPECT_EQ(mip::solve(model, limits).status, Status::TimeLimit);
    limits = {};
    limits.max_nodes = 5;
    EXPECT_EQ(mip::solve(model, limits, 5).status, Status::NodeLimit);
}

TEST(Highs, StopFlagInterruptsARunningSolve) {
    if (!have_highs()) GTEST_SKIP();
    // Equal weights that the room does not divide: hopeless for branch and bound, so that only the
    // flag can end it.
    mip::MipModel model(mip::Sense::Maximize);
    std::vector<std::vector<mip::Term>> rows(8);
    for (int j = 0; j < 50; ++j) {
        const int x = model.add_binary("x_" + std::to_string(j), 0.0);
        for (int i = 0; i < 8; ++i)
            rows[i].push_back({x, 1.0 * ((j * j * (i + 3) + 13 * j) % 100)});
    }
    for (int i = 0; i < 8; ++i) {
        double sum = 0.0;
        for (const mip::Term& term : rows[i]) sum += term.value;
        const int over = model.add_column({"over_" + std::to_string(i), 0.0, sum, -1.0, false});
        const int under = model.add_column({"under_" + std::to_string(i), 0.0, sum, -1.0, false});
        rows[i].push_back({over, -1.0});
        rows[i].push_back({under, 1.0});
        model.add_row({"split_" + std::to_string(i), std::floor(sum / 2), std::floor(sum / 2)},
                      rows[i]);
    }
    std::atomic<bool> stop{false};
    PointLimits limits;
    limits.stop = &stop;
    std::jthread raiser([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        stop = true;
    });
    EXPECT_EQ(mip::solve(model, limits).status, Status::Interrupted);
}

TEST(Highs, AnswersAreValidWhenALimitStrikes) {
    if (!have_highs()) GTEST_SKIP();
    const OpinionProblem problem = make_opinion_problem(PlaneKind::Gaussian, 8);
    const std::atomic<bool> raised{true};
    PointLimits limits;
    limits.stop = &raised;
    const int y = problem.ensemble.predict(problem.x);
    for (Norm norm : kAllNorms) {
        const FlipAnswer least = enumerate_flip(problem.ensemble, problem.x, y, norm);
        const FlipAnswer flip = mip_flip(problem.ensemble, problem.x, y, norm, limits);
        EXPECT_EQ(flip.status, Status::Interrupted);
        EXPECT_LE(flip.bound, least.distance);
        EXPECT_GE(flip.distance, least.distance);
        const PointProblem point{problem.ensemble, testing::ball(norm), problem.x, y, 2.0};
        for (Adversary adversary : {Adversary::Exact, Adversary::Relaxed}) {
            const AdversaryAnswer best = enumerate_adversary(point, adversary);
            const AdversaryAnswer answer = mip_adversary(point, adversary, limits);
            EXPECT_EQ(answer.status, Status::Interrupted);
            EXPECT_LE(answer.objective, best.objective);
            EXPECT_GE(answer.bound, best.objective);
            EXPECT_LE(norm_value(norm, answer.d), 2.0);
        }
    }
}

TEST(Highs, RepeatsItselfFromAnyThread) {
    if (!have_highs()) GTEST_SKIP();
    const OpinionProblem problem = make_opinion_problem(PlaneKind::Gaussian, 13);
    const int from = problem.ensemble.predict(problem.x);
    std::vector<FlipAnswer> answers(4);
    {
        std::vector<std::jthread> threads;
        for (FlipAnswer& answer : answers) {
            threads.emplace_back([&answer, &problem, from] {
                answer = mip_flip(problem.ensemble, problem.x, from, Norm::L2, {});
            });
        }
    }
    const FlipAnswer here = mip_flip(problem.ensemble, problem.x, from, Norm::L2, {});
    for (const FlipAnswer& answer : answers) {
        EXPECT_EQ(answer.distance, here.distance);
        EXPECT_EQ(answer.bound, here.bound);
        EXPECT_EQ(answer.d, here.d);
        EXPECT_EQ(answer.n_nodes, here.n_nodes);
    }
}

}  // namespace
}  // namespace redoubt::testing
