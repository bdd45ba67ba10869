/// The loose SVM of the as-published mode against the exact one.

#include <gtest/gtest.h>

#include "experiments/problem.hpp"
#include "experiments/smo.hpp"
#include "support/random_problems.hpp"
#include "support/svm_optimality.hpp"

namespace redoubt::reproduction {
namespace {

using testing::make_random_problem;
using testing::ProblemKind;
using testing::RandomProblem;
using testing::svm_objective;

class PairwiseSvm : public ::testing::TestWithParam<ProblemKind> {};

TEST_P(PairwiseSvm, TightToleranceReachesTheOptimum) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const RandomProblem problem = make_random_problem(GetParam(), seed);
        const double best = svm_objective(problem, 1.0, train_svm(problem.data()).plane);
        const double found = svm_objective(problem, 1.0, train_pairwise_svm(problem.data(), 1e-6));
        // The kernel has single precision.
        EXPECT_NEAR(found, best, 1e-4 * best) << "seed " << seed;
    }
}

TEST_P(PairwiseSvm, UsualToleranceComesNear) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const RandomProblem problem = make_random_problem(GetParam(), seed);
        const double best = svm_objective(problem, 1.0, train_svm(problem.data()).plane);
        const double found = svm_objective(problem, 1.0, train_pairwise_svm(problem.data()));
        EXPECT_GE(found, best * (1.0 - 1e-7));
        // No multiplier can gain more than the violation.
        const double total = problem.weights.size() > 0 ? problem.weights.sum()
                                                        : static_cast<double>(problem.y.size());
        EXPECT_LE(found, best + kUsualViolation * total) << "seed " << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, PairwiseSvm,
                         ::testing::Values(ProblemKind::Separable, ProblemKind::Overlapping,
                                           ProblemKind::Noise, ProblemKind::Duplicated,
                                           ProblemKind::ZeroWeights, ProblemKind::Unbalanced),
                         [](const auto& instance) { return testing::to_string(instance.param); });

TEST(PairwiseSvm, IsLooseOnPublishedData) {
    const Problem problem = published_problem("gaussian");
    const SvmData data{problem.train_X, problem.train_y, problem.bags.row(0).transpose()};
    const Hyperplane loose = train_pairwise_svm(data);
    const Hyperplane exact = train_svm(data).plane;
    const double distance = (loose.w - exact.w).norm() / exact.w.norm();
    EXPECT_GT(distance, 1e-6);
    EXPECT_LT(distance, 1e-2);
}

}  // namespace
}  // namespace redoubt::reproduction
