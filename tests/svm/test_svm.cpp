#include <gtest/gtest.h>

#include <atomic>

#include "redoubt/svm.hpp"
#include "support/random_problems.hpp"
#include "support/svm_optimality.hpp"

namespace redoubt::testing {
namespace {

constexpr int kSeeds = 12;

class SvmOnEveryKind : public ::testing::TestWithParam<ProblemKind> {};

TEST_P(SvmOnEveryKind, ClosesTheDualityGapRecomputedFromTheData) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        for (double C : {0.1, 1.0, 50.0}) {
            SCOPED_TRACE(::testing::Message() << "seed " << seed << " C " << C);
            const RandomProblem problem = make_random_problem(GetParam(), seed);
            SvmSettings settings;
            settings.C = C;
            const SvmResult result = train_svm(problem.data(), settings);
            ASSERT_EQ(result.status, Status::Optimal);
            const double primal = svm_objective(problem, C, result.plane);
            const double dual = svm_lower_bound(problem, C, result.dual_ratio);
            const double floor = kGapFloor * C * problem.weights.sum();
            EXPECT_LE(primal - dual, 1.01e-8 * std::max(primal, floor) + 1e-13);
            EXPECT_NEAR(primal, result.primal_value, 1e-9 * primal);
            EXPECT_NEAR(dual, result.dual_value, 1e-9 * primal);
            EXPECT_GE(result.dual_ratio.minCoeff(), 0.0);
            EXPECT_LE(result.dual_ratio.maxCoeff(), 1.0);
        }
    }
}

TEST_P(SvmOnEveryKind, ReachesTheSameOptimumFromAnyStart) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        const RandomProblem problem = make_random_problem(GetParam(), seed);
        const SvmResult cold = train_svm(problem.data());
        RandomProblem neighbour = problem;
        neighbour.weights *= 2.0;
        neighbour.weights[0] *= 1.7;
        const SvmResult warm = train_svm(problem.data(), {}, train_svm(neighbour.data()).start());
        ASSERT_EQ(warm.status, Status::Optimal);
        EXPECT_NEAR(warm.primal_value, cold.primal_value, 2e-8 * cold.primal_value);
        const SvmStart only_a_plane{{Vector::Constant(problem.X.cols(), 3.0), -2.0}, {}};
        const SvmResult lost = train_svm(problem.data(), {}, only_a_plane);
        EXPECT_NEAR(lost.primal_value, cold.primal_value, 2e-8 * cold.primal_value);
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, SvmOnEveryKind, ::testing::ValuesIn(all_problem_kinds()),
                         [](const auto& kind) { return to_string(kind.param); });

// Two points: -1 at 0 and +1 at 2, so that w = 1 and b = -1 separate them with margin 1.
TEST(Svm, SolvesTwoPointsByHand) {
    const Matrix X = (Matrix(2, 1) << 0.0, 2.0).finished();
    const Vector y = (Vector(2) << -1.0, 1.0).finished();
    SvmSettings settings;
    settings.tolerance = 1e-12;
    const SvmResult result = train_svm({X, y}, settings);
    EXPECT_NEAR(result.plane.w[0], 1.0, 1e-9);
    EXPECT_NEAR(result.plane.b, -1.0, 1e-9);
    EXPECT_NEAR(result.primal_value, 0.5, 1e-8);
}

// With a tiny C every multiplier is at its bound, w = C sum y x is fixed, and no point is on the
// margin: b is then any value of an interval, of which the answer is the middle.
// Points -1 at 0 and +1 at 2, C = 0.01: w = 0.02, the hinges are 1 + b and 1 - 0.04 - b, both
// active for b in [-1, 0.96].
TEST(Svm, TakesTheMiddleOfTheOptimalBiases) {
    const Matrix X = (Matrix(2, 1) << 0.0, 2.0).finished();
    const Vector y = (Vector(2) << -1.0, 1.0).finished();
    SvmSettings settings;
    settings.C = 0.01;
    const SvmResult result = train_svm({X, y}, settings);
    EXPECT_NEAR(result.plane.w[0], 0.02, 1e-9);
    EXPECT_NEAR(result.plane.b, -0.02, 1e-9);
}

TEST(Svm, LeavesOutPointsOfWeightZero) {
    const RandomProblem problem = make_random_problem(ProblemKind::ZeroWeights, 3);
    std::vector<Index> kept;
    for (Index j = 0; j < problem.y.size(); ++j) {
        if (problem.weights[j] > 0.0) kept.push_back(j);
    }
    const Matrix X = problem.X(kept, Eigen::all);
    const Vector y = problem.y(kept);
    const SvmResult with = train_svm(problem.data());
    const SvmResult without = train_svm({X, y, problem.weights(kept)});
    EXPECT_NEAR(with.primal_value, without.primal_value, 2e-8 * without.primal_value);
    EXPECT_LT((with.plane.w - without.plane.w).norm(), 1e-3 * without.plane.w.norm());
}

TEST(Svm, WeightTwoEqualsThePointTwice) {
    RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 5);
    problem.weights.setOnes();
    const Index m = problem.y.size();
    Matrix X(2 * m, problem.X.cols());
    X << problem.X, problem.X;
    Vector y(2 * m);
    y << problem.y, problem.y;
    problem.weights *= 2.0;
    const SvmResult weighted = train_svm(problem.data());
    const SvmResult repeated = train_svm({X, y});
    EXPECT_NEAR(weighted.primal_value, repeated.primal_value, 2e-8 * repeated.primal_value);
}

// 1e7 away from the origin the plane's own numbers cannot express an optimum to 1e-8. The result
// must say what it reached, not what it would have reached without rounding.
TEST(Svm, ReportsTheGapOfTheRoundedPlane) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        RandomProblem problem = make_random_problem(ProblemKind::Separable, seed);
        problem.X.array() += 1e7;
        SvmSettings settings;
        settings.C = 1e4;
        const SvmResult result = train_svm(problem.data(), settings);
        const double primal = svm_objective(problem, settings.C, result.plane);
        const double dual = svm_lower_bound(problem, settings.C, result.dual_ratio);
        // One rounding of w'x + b, about 1e7 |w|, is not known better than to its own size.
        const double rounding =
            settings.C * problem.weights.sum() * 1e7 * result.plane.w.lpNorm<1>() * 4e-16;
        EXPECT_NEAR(result.primal_value, primal, rounding);
        const double floor = kGapFloor * settings.C * problem.weights.sum();
        EXPECT_LE(primal - dual,
                  (1.0 + 1e-6) * result.relative_gap * std::max(primal, floor) + rounding);
        EXPECT_EQ(result.status == Status::Optimal, result.relative_gap <= settings.tolerance);
    }
}

TEST(SvmLimits, StopAtTheIterationLimitWithAValidPlane) {
    const RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 0);
    SvmSettings settings;
    settings.max_iterations = 2;
    const SvmResult result = train_svm(problem.data(), settings);
    EXPECT_EQ(result.status, Status::IterationLimit);
    EXPECT_EQ(result.stats.n_newton_steps, 2);
    EXPECT_NEAR(result.primal_value, svm_objective(problem, 1.0, result.plane),
                1e-9 * result.primal_value);
    EXPECT_GT(result.relative_gap, settings.tolerance);
}

TEST(SvmLimits, StopWhenTheFlagIsRaised) {
    const RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 0);
    const std::atomic<bool> stop{true};
    SvmSettings settings;
    settings.stop = &stop;
    const SvmResult result = train_svm(problem.data(), settings);
    EXPECT_EQ(result.status, Status::Interrupted);
    EXPECT_TRUE(result.plane.w.allFinite());
}

TEST(Svm, ReadsAStridedMatrix) {
    const RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 2);
    Matrix wide = Matrix::Constant(problem.X.rows(), problem.X.cols() + 3, 1e9);
    wide.leftCols(problem.X.cols()) = problem.X;
    const SvmResult packed = train_svm({problem.X, problem.y, problem.weights});
    const SvmResult strided =
        train_svm({wide.leftCols(problem.X.cols()), problem.y, problem.weights});
    EXPECT_EQ(packed.plane.w, strided.plane.w);
    EXPECT_EQ(packed.plane.b, strided.plane.b);
}

}  // namespace
}  // namespace redoubt::testing
