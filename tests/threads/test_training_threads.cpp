#include <gtest/gtest.h>

#include "ensemble/moved_points.hpp"
#include "redoubt/bagging.hpp"
#include "redoubt/collaborative.hpp"
#include "redoubt/robust_ensemble.hpp"
#include "support/random_problems.hpp"

namespace redoubt::testing {
namespace {

const Vector kRadius = Vector::Constant(1, 0.2);

TEST(BaggingThreads, DoNotChangeTheResult) {
    const RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 4);
    BaggingSettings settings;
    settings.n_planes = 7;
    const Matrix one = train_bagged_svms(problem.data(), settings).ensemble().coef();
    settings.n_threads = 3;
    EXPECT_EQ(train_bagged_svms(problem.data(), settings).ensemble().coef(), one);
}

TEST(CollaborativeThreads, DoNotChangeTheResult) {
    const RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 4);
    CollaborativeSettings settings;
    settings.n_epochs = 5;
    const Vector rho = Vector::Constant(1, 2.0);
    const Matrix one = train_collaborative(problem.data(), rho, settings).ensemble.coef();
    settings.n_threads = 2;
    EXPECT_EQ(train_collaborative(problem.data(), rho, settings).ensemble.coef(), one);
    settings.seed = 1;
    EXPECT_NE(train_collaborative(problem.data(), rho, settings).ensemble.coef(), one);
}

TEST(TrainingControlThreads, ARoundTellsOfItsPointsAndCanBeStopped) {
    const RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 8);
    ASSERT_GT(problem.X.rows(), 20);
    const SvmData data = problem.data();
    const VectorRef radii = kRadius;
    RobustEnsembleSettings settings;
    settings.n_threads = 2;
    MovedPoints moved(data, radii, settings);
    moved.add_plane({Vector::Ones(problem.X.cols()), 0.0});
    Index last = 0;
    EXPECT_TRUE(moved.move([&](Index n_moved) {
        EXPECT_GT(n_moved, last);
        EXPECT_LT(n_moved, problem.X.rows());
        last = n_moved;
        return true;
    }));
    EXPECT_GT(last, 0);
    EXPECT_FALSE(moved.move([](Index) { return false; }));
}

TEST(TrainingControlThreads, DoNotChangeARobustEnsemble) {
    const RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 8);
    for (Adversary adversary : {Adversary::Exact, Adversary::Relaxed, Adversary::Heuristic}) {
        RobustEnsembleSettings settings;
        settings.adversary = adversary;
        settings.n_planes = 5;
        const Matrix one =
            train_robust_ensemble(problem.data(), kRadius, settings).ensemble().coef();
        settings.n_threads = 3;
        EXPECT_EQ(train_robust_ensemble(problem.data(), kRadius, settings).ensemble().coef(), one);
    }
}

}  // namespace
}  // namespace redoubt::testing
