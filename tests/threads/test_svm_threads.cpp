#include <gtest/gtest.h>

#include <cmath>

#include "redoubt/svm.hpp"
#include "support/random_problems.hpp"

namespace redoubt::testing {
namespace {

/// Large enough that the passes over the data are cut into pieces and shared out.
RandomProblem large_problem() {
    RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 1);
    const Index copies = 400;
    const Index m = problem.y.size();
    Matrix X(m * copies, 20);
    Vector y(m * copies);
    for (Index j = 0; j < m * copies; ++j) {
        for (Index l = 0; l < 20; ++l)
            X(j, l) = std::sin(static_cast<double>(7 * j + 13 * l * l + j * l));
        y[j] = X.row(j).sum() + std::sin(static_cast<double>(j)) > 0.0 ? 1.0 : -1.0;
    }
    return {X, y, Vector::Ones(y.size()), Vector::Constant(y.size(), 0.05)};
}

TEST(SvmThreads, GiveTheSameBits) {
    const RandomProblem problem = large_problem();
    SvmSettings settings;
    const SvmResult one = train_svm(problem.data(), settings);
    settings.n_threads = 3;
    const SvmResult three = train_svm(problem.data(), settings);
    EXPECT_EQ(one.status, Status::Optimal);
    EXPECT_EQ(one.plane.w, three.plane.w);
    EXPECT_EQ(one.plane.b, three.plane.b);
    EXPECT_EQ(one.dual_ratio, three.dual_ratio);
}

TEST(SvmThreads, RobustTrainingGivesTheSameBits) {
    const RandomProblem problem = large_problem();
    RobustSvmSettings settings;
    settings.n_threads = 1;
    const SvmResult one = train_robust_svm(problem.data(), problem.radii, settings);
    settings.n_threads = 2;
    const SvmResult two = train_robust_svm(problem.data(), problem.radii, settings);
    EXPECT_EQ(one.status, Status::Optimal);
    EXPECT_EQ(one.plane.w, two.plane.w);
    EXPECT_EQ(one.plane.b, two.plane.b);
}

/// So many features that the wide route is taken, with passes and factorisations worth sharing.
TEST(SvmThreads, ManyFeaturesGiveTheSameBits) {
    const Index m = 300;
    const Index n = 500;
    Matrix X(m, n);
    Vector y(m);
    for (Index j = 0; j < m; ++j) {
        for (Index l = 0; l < n; ++l)
            X(j, l) = std::sin(static_cast<double>(7 * j + 13 * l * l + j * l));
        y[j] = std::sin(static_cast<double>(j * j)) > 0.0 ? 1.0 : -1.0;
    }
    const SvmData data{X, y};
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        RobustSvmSettings settings;
        settings.attack_model = AttackModel::ball(norm);
        const SvmResult one = train_robust_svm(data, Vector::Constant(1, 0.002), settings);
        settings.n_threads = 3;
        const SvmResult three = train_robust_svm(data, Vector::Constant(1, 0.002), settings);
        EXPECT_EQ(one.status, Status::Optimal);
        EXPECT_EQ(one.plane.w, three.plane.w);
        EXPECT_EQ(one.plane.b, three.plane.b);
        EXPECT_EQ(one.dual_ratio, three.dual_ratio);
    }
    SvmSettings settings;
    const SvmResult one = train_svm(data, settings);
    settings.n_threads = 3;
    EXPECT_EQ(one.plane.w, train_svm(data, settings).plane.w);
}

}  // namespace
}  // namespace redoubt::testing
