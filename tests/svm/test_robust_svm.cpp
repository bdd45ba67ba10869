#include <gtest/gtest.h>

#include "redoubt/svm.hpp"
#include "support/random_problems.hpp"
#include "support/svm_optimality.hpp"

namespace redoubt::testing {
namespace {

constexpr int kRobustSeeds = 8;

using KindAndNorm = std::tuple<ProblemKind, Norm>;

class RobustSvmOnEveryKind : public ::testing::TestWithParam<KindAndNorm> {};

double dual_size(Norm norm, const Hyperplane& plane) {
    return norm_value(dual(norm), plane.w);
}

/// No step along a coordinate of (w, b) lowers the objective, recomputed from the data.
void expect_no_better_neighbour(const RandomProblem& problem, Norm norm, double regularization,
                                const Hyperplane& plane) {
    const double best = robust_objective(problem, problem.radii, norm, regularization, plane);
    const double allowance = 1e-8 * std::max(best, kGapFloor * problem.weights.sum());
    for (Index l = 0; l <= plane.w.size(); ++l) {
        for (double step : {-1e-2, -1e-4, 1e-4, 1e-2}) {
            Hyperplane moved = plane;
            double& coordinate = l < moved.w.size() ? moved.w[l] : moved.b;
            coordinate += step * std::max(std::abs(coordinate), 1e-3);
            EXPECT_GE(robust_objective(problem, problem.radii, norm, regularization, moved),
                      best - allowance);
        }
    }
}

TEST_P(RobustSvmOnEveryKind, ClosesTheDualityGapRecomputedFromTheData) {
    const auto [kind, norm] = GetParam();
    for (std::uint64_t seed = 0; seed < kRobustSeeds; ++seed) {
        for (double scale : {0.02, 1.0, 8.0}) {
            SCOPED_TRACE(::testing::Message() << "seed " << seed << " scale " << scale);
            const RandomProblem problem = make_random_problem(kind, seed);
            const Vector radii = scale * problem.radii;
            RobustSvmSettings settings;
            settings.attack_model.norm = norm;
            const SvmResult result = train_robust_svm(problem.data(), radii, settings);
            ASSERT_EQ(result.status, Status::Optimal);
            const double primal = robust_objective(problem, radii, norm, 0.0, result.plane);
            const double dual = robust_lower_bound(
                problem, radii, norm, 2.0 * dual_size(norm, result.plane), result.dual_ratio);
            const double floor = kGapFloor * problem.weights.sum();
            EXPECT_LE(primal - dual, 1.01e-8 * std::max(primal, floor));
            EXPECT_NEAR(primal, result.primal_value, 1e-8 * std::max(primal, floor));
        }
    }
}

TEST_P(RobustSvmOnEveryKind, NoNearbyPlaneIsBetter) {
    const auto [kind, norm] = GetParam();
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        const RandomProblem problem = make_random_problem(kind, seed);
        RobustSvmSettings settings;
        settings.attack_model.norm = norm;
        const SvmResult result = train_robust_svm(problem.data(), problem.radii, settings);
        expect_no_better_neighbour(problem, norm, 0.0, result.plane);
    }
}

TEST_P(RobustSvmOnEveryKind, ReachesTheSameOptimumWarm) {
    const auto [kind, norm] = GetParam();
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        const RandomProblem problem = make_random_problem(kind, seed);
        RobustSvmSettings settings;
        settings.attack_model.norm = norm;
        const SvmResult cold = train_robust_svm(problem.data(), problem.radii, settings);
        const SvmResult near = train_robust_svm(problem.data(), 1.1 * problem.radii, settings);
        const SvmResult warm =
            train_robust_svm(problem.data(), problem.radii, settings, near.start());
        ASSERT_EQ(warm.status, Status::Optimal);
        const double scale = std::max(cold.primal_value, kGapFloor * problem.weights.sum());
        EXPECT_NEAR(warm.primal_value, cold.primal_value, 2e-8 * scale);
    }
}

TEST_P(RobustSvmOnEveryKind, SolvesTheRegularizedProblem) {
    const auto [kind, norm] = GetParam();
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        const RandomProblem problem = make_random_problem(kind, seed);
        RobustSvmSettings settings;
        settings.attack_model.norm = norm;
        settings.regularization = 0.3;
        const SvmResult result = train_robust_svm(problem.data(), problem.radii, settings);
        ASSERT_EQ(result.status, Status::Optimal);
        const double best = robust_objective(problem, problem.radii, norm, 0.3, result.plane);
        EXPECT_NEAR(best, result.primal_value, 1e-8 * best);
        EXPECT_LE(result.primal_value - result.dual_value, 1.01e-8 * best);
        expect_no_better_neighbour(problem, norm, 0.3, result.plane);
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, RobustSvmOnEveryKind,
                         ::testing::Combine(::testing::ValuesIn(all_problem_kinds()),
                                            ::testing::Values(Norm::L1, Norm::L2, Norm::LInf)),
                         [](const auto& instance) {
                             return to_string(std::get<0>(instance.param)) + "_" +
                                    std::string(to_string(std::get<1>(instance.param)));
                         });

// Points -1 at (-2, 0) and +1 at (2, 0), r = 0.5: optimum 0 for every plane with
// |w'x + b| >= 1 + 0.5 ||w||; the least ||w|| has w = (s, 0), 2 s = 1 + s/2, so s = 2/3 for every
// norm.
TEST(RobustSvm, AnswersWithTheLeastNormWhereTheOptimumIsNotUnique) {
    const Matrix X = (Matrix(2, 2) << -2.0, 0.0, 2.0, 0.0).finished();
    const Vector y = (Vector(2) << -1.0, 1.0).finished();
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        RobustSvmSettings settings;
        settings.attack_model.norm = norm;
        const SvmResult result = train_robust_svm({X, y}, Vector::Constant(1, 0.5), settings);
        EXPECT_NEAR(result.plane.w[0], 2.0 / 3.0, 1e-7);
        EXPECT_NEAR(result.plane.w[1], 0.0, 1e-7);
        EXPECT_NEAR(result.plane.b, 0.0, 1e-7);
        EXPECT_NEAR(result.primal_value, 0.0, 1e-11);
    }
}

// A separable set and one radius r in l2: the plane is the hard-margin plane, whose distance rho to
// the nearest points does not depend on r, scaled to ||w|| = 1 / (rho - r).
TEST(RobustSvm, IsTheHardMarginPlaneOnSeparableData) {
    const RandomProblem problem = make_random_problem(ProblemKind::Separable, 4);
    const auto train = [&](double radius) {
        return train_robust_svm(problem.data(), Vector::Constant(1, radius)).plane;
    };
    const Hyperplane base = train(0.0);
    const double rho = 1.0 / base.w.norm();
    for (double share : {0.1, 0.5, 0.9}) {
        const Hyperplane plane = train(share * rho);
        EXPECT_NEAR(plane.w.norm(), 1.0 / (rho - share * rho), 1e-5 / (rho - share * rho));
        EXPECT_LT((plane.w.normalized() - base.w.normalized()).norm(), 1e-5);
    }
}

// A point of class -1 between two of +1 on a line: at a large radius w = 0, and the answer is that
// of the heavier class.
TEST(RobustSvm, SaysSoWhenTheBestPlaneIsConstant) {
    const Matrix X = (Matrix(3, 1) << -1.0, 0.0, 1.0).finished();
    const Vector y = (Vector(3) << 1.0, -1.0, 1.0).finished();
    const SvmResult result = train_robust_svm({X, y}, Vector::Constant(1, 5.0));
    EXPECT_EQ(result.status, Status::Optimal);
    EXPECT_EQ(result.plane.w[0], 0.0);
    EXPECT_EQ(result.plane.b, 1.0);
    EXPECT_NEAR(result.primal_value, 2.0, 1e-8);
    EXPECT_NE(result.warning.find("every point gets the answer +1"), std::string::npos);
}

TEST(RobustSvm, HasNoWarningOnAnOrdinaryPlane) {
    const RandomProblem problem = make_random_problem(ProblemKind::Separable, 4);
    EXPECT_EQ(train_robust_svm(problem.data(), Vector::Constant(1, 0.1)).warning, "");
}

TEST(RobustSvm, OneRadiusEqualsTheSameRadiusForEveryPoint) {
    const RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 6);
    const Vector one = Vector::Constant(1, 0.2);
    const Vector all = Vector::Constant(problem.y.size(), 0.2);
    EXPECT_EQ(train_robust_svm(problem.data(), one).plane.w,
              train_robust_svm(problem.data(), all).plane.w);
}

}  // namespace
}  // namespace redoubt::testing
