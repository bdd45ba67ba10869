#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>

#include "redoubt/svm.hpp"
#include "support/random_problems.hpp"
#include "support/svm_optimality.hpp"
#include "svm/wide_solver.hpp"

namespace redoubt::testing {
namespace {

constexpr int kWideSeeds = 6;

/// The wide route, however few features there are; compressed rows with even seeds.
HingeProblem wide_problem(const RandomProblem& data, std::uint64_t seed) {
    HingeProblem problem(data.data());
    problem.most_narrow_columns = 0;
    if (seed % 2 == 0) problem.rows.compress(1.0);
    return problem;
}

class WideOnEveryKind : public ::testing::TestWithParam<ProblemKind> {};

TEST_P(WideOnEveryKind, ClosesTheGapRecomputedFromTheData) {
    for (std::uint64_t seed = 0; seed < kWideSeeds; ++seed) {
        for (double C : {0.1, 1.0, 50.0}) {
            SCOPED_TRACE(::testing::Message() << "seed " << seed << " C " << C);
            const RandomProblem data = make_random_problem(GetParam(), seed);
            HingeProblem problem = wide_problem(data, seed);
            problem.mu = 1.0 / (C * problem.total_weight);
            const SvmResult result = solve_wide(problem, {}, {});
            ASSERT_EQ(result.status, Status::Optimal) << result.relative_gap;
            const double primal = svm_objective(data, C, result.plane);
            const double dual = svm_lower_bound(data, C, result.dual_ratio);
            const double scale = C * problem.total_weight;
            EXPECT_LE(primal - dual, 1.01e-8 * std::max(primal, kGapFloor * scale) + 1e-13);
            EXPECT_NEAR(primal, scale * result.primal_value, 1e-9 * primal);
            EXPECT_GE(result.dual_ratio.minCoeff(), 0.0);
            EXPECT_LE(result.dual_ratio.maxCoeff(), 1.0);
            const SvmResult stages = train_svm(data.data(), {.C = C});
            EXPECT_NEAR(primal, stages.primal_value, 2e-8 * std::max(primal, kGapFloor * scale));
        }
    }
}

TEST_P(WideOnEveryKind, FindsTheRobustPlaneOfLeastNorm) {
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        for (std::uint64_t seed = 0; seed < kWideSeeds; ++seed) {
            SCOPED_TRACE(::testing::Message() << to_string(norm) << " seed " << seed);
            const RandomProblem data = make_random_problem(GetParam(), seed);
            HingeProblem problem = wide_problem(data, seed);
            problem.set_threat(AttackModel::ball(norm), data.radii);
            const SvmResult result = solve_wide(problem, {}, {});
            ASSERT_EQ(result.status, Status::Optimal) << result.relative_gap;
            const double primal = robust_objective(data, data.radii, norm, 0.0, result.plane);
            const double floor = kGapFloor * problem.total_weight;
            RobustSvmSettings settings;
            settings.attack_model = AttackModel::ball(norm);
            const SvmResult stages = train_robust_svm(data.data(), data.radii, settings);
            EXPECT_NEAR(primal, stages.primal_value, 2e-8 * std::max(primal, floor));
            if (primal <= 1e-12 * problem.total_weight) {
                EXPECT_NEAR(result.plane.w.norm(), stages.plane.w.norm(),
                            1e-6 * stages.plane.w.norm());
            }
            const double size = 2.0 * norm_value(dual(norm), result.plane.w);
            const double bound =
                robust_lower_bound(data, data.radii, norm, size, result.dual_ratio);
            EXPECT_LE(primal - bound, 1.01e-8 * std::max(primal, floor) + 1e-13);
        }
    }
}

TEST_P(WideOnEveryKind, SolvesRegularizedRobustProblems) {
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        for (std::uint64_t seed = 0; seed < kWideSeeds; ++seed) {
            SCOPED_TRACE(::testing::Message() << to_string(norm) << " seed " << seed);
            const RandomProblem data = make_random_problem(GetParam(), seed);
            HingeProblem problem = wide_problem(data, seed);
            problem.set_threat(AttackModel::ball(norm), data.radii);
            RobustSvmSettings settings;
            settings.attack_model = AttackModel::ball(norm);
            settings.regularization = 0.1;
            problem.mu = settings.regularization / problem.total_weight;
            const SvmResult result = solve_wide(problem, {}, {});
            ASSERT_EQ(result.status, Status::Optimal) << result.relative_gap;
            const SvmResult stages = train_robust_svm(data.data(), data.radii, settings);
            const double primal = robust_objective(data, data.radii, norm, 0.1, result.plane);
            EXPECT_NEAR(primal, stages.primal_value,
                        2e-8 * std::max(primal, kGapFloor * problem.total_weight));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, WideOnEveryKind, ::testing::ValuesIn(all_problem_kinds()),
                         [](const auto& kind) { return to_string(kind.param); });

}  // namespace
}  // namespace redoubt::testing
