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
#include "reference/reference_problems.hpp"

namespace redoubt::testing {
namespace {

using reference::Program;
using reference::ProgramSolution;
using reference::Sense;
using reference::Term;

/// Prints what `require_highs` throws to standard error, and ends the process with 3; 0 if nothing.
[[noreturn]] void report_refusal(const char* variable, const char* path) {
    // HiGHS stays loaded once it is: only a fresh process can see it missing.
    setenv("REDOUBT_HIGHS", variable, 1);
    set_highs_library(path);
    try {
        reference::require_highs();
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

TEST(Highs, HasAVersion) {
    if (!have_highs()) GTEST_SKIP();
    EXPECT_EQ(highs_version()->substr(0, 2), "1.");
}

/// A knapsack that needs some search: max sum c_j x_j, sum a_j x_j <= b.
Program knapsack(int n) {
    Program program(Sense::Maximize);
    std::vector<Term> weight;
    double sum = 0.0;
    for (int j = 0; j < n; ++j) {
        const double a = 1000.0 + (j * 7919) % 997;
        weight.push_back(
            {program.add_column({"x_" + std::to_string(j), 0.0, 1.0, a + (j * 31) % 17, true}), a});
        sum += a;
    }
    program.add_row({"room", -HUGE_VAL, std::floor(0.5 * sum)}, weight);
    return program;
}

TEST(Highs, SolvesAndSeesInfeasibility) {
    if (!have_highs()) GTEST_SKIP();
    Program program(Sense::Maximize);
    const int x = program.add_column({"x", 0.0, 10.0, 1.0, true});
    program.add_row({"half", -HUGE_VAL, 7.0}, {{x, 2.0}});
    const ProgramSolution three = solve(program, {});
    EXPECT_EQ(three.status, Status::Optimal);
    EXPECT_EQ(three.objective, 3.0);
    EXPECT_EQ(three.bound, 3.0);
    EXPECT_FALSE(three.infeasible);
    program.add_row({"never", 8.0, HUGE_VAL}, {{x, 2.0}});
    const ProgramSolution none = solve(program, {});
    EXPECT_EQ(none.status, Status::Optimal);
    EXPECT_TRUE(none.infeasible);
    EXPECT_FALSE(none.has_point());
}

TEST(Highs, ObeysLimits) {
    if (!have_highs()) GTEST_SKIP();
    const Program program = knapsack(60);
    const std::atomic<bool> raised{true};
    PointLimits limits;
    limits.stop = &raised;
    EXPECT_EQ(solve(program, limits).status, Status::Interrupted);
    EXPECT_EQ(solve(program, limits).bound, HUGE_VAL);
    limits = {};
    limits.deadline = Clock::now();
    EXPECT_EQ(solve(program, limits).status, Status::TimeLimit);
    limits = {};
    limits.max_nodes = 5;
    EXPECT_EQ(solve(program, limits, 5).status, Status::NodeLimit);
}

TEST(Highs, StopFlagInterruptsARunningSolve) {
    if (!have_highs()) GTEST_SKIP();
    // Equal weights that the room does not divide: hopeless for branch and bound, so that only the
    // flag can end it.
    Program program(Sense::Maximize);
    std::vector<std::vector<Term>> rows(8);
    for (int j = 0; j < 50; ++j) {
        const int x = program.add_column({"x_" + std::to_string(j), 0.0, 1.0, 0.0, true});
        for (int i = 0; i < 8; ++i)
            rows[i].push_back({x, 1.0 * ((j * j * (i + 3) + 13 * j) % 100)});
    }
    for (int i = 0; i < 8; ++i) {
        double sum = 0.0;
        for (const Term& term : rows[i]) sum += term.value;
        const int over = program.add_column({"over_" + std::to_string(i), 0.0, sum, -1.0, false});
        const int under = program.add_column({"under_" + std::to_string(i), 0.0, sum, -1.0, false});
        rows[i].push_back({over, -1.0});
        rows[i].push_back({under, 1.0});
        program.add_row({"split_" + std::to_string(i), std::floor(sum / 2), std::floor(sum / 2)},
                        rows[i]);
    }
    std::atomic<bool> stop{false};
    PointLimits limits;
    limits.stop = &stop;
    std::jthread raiser([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        stop = true;
    });
    EXPECT_EQ(solve(program, limits).status, Status::Interrupted);
}

TEST(Highs, AnswersAreValidWhenALimitStrikes) {
    if (!have_highs()) GTEST_SKIP();
    const ReferenceProblem problem = make_reference_problem(PlaneKind::Gaussian, 8);
    const std::atomic<bool> raised{true};
    PointLimits limits;
    limits.stop = &raised;
    const int y = problem.ensemble.predict(problem.x);
    for (Norm norm : kAllNorms) {
        const Flip least =
            reference_flip(Solver::Enumerate, problem.ensemble, ball(norm), problem.x, y, {});
        const Flip flip =
            reference_flip(Solver::Mip, problem.ensemble, ball(norm), problem.x, y, limits);
        EXPECT_EQ(flip.status, Status::Interrupted);
        EXPECT_LE(flip.lower, least.lower);
        EXPECT_GE(flip.upper, least.lower);
        for (Adversary adversary : {Adversary::Exact, Adversary::Relaxed}) {
            const AdversaryAnswer best = attack_by(Solver::Enumerate, adversary, problem.ensemble,
                                                   ball(norm), problem.x, y, 2.0);
            const AdversaryAnswer answer = attack_by(Solver::Mip, adversary, problem.ensemble,
                                                     ball(norm), problem.x, y, 2.0, limits);
            EXPECT_EQ(answer.status, Status::Interrupted);
            EXPECT_LE(answer.objective, best.objective);
            EXPECT_GE(answer.bound, best.objective);
            EXPECT_LE(norm_value(norm, answer.d), 2.0);
        }
    }
}

}  // namespace
}  // namespace redoubt::testing
