/// Stopping, resuming and progress of the three trainings.

#include <gtest/gtest.h>

#include <atomic>

#include "ensemble/moved_points.hpp"
#include "redoubt/bagging.hpp"
#include "redoubt/collaborative.hpp"
#include "redoubt/robust_ensemble.hpp"
#include "support/random_problems.hpp"

namespace redoubt::testing {
namespace {

const Vector kRadius = Vector::Constant(1, 0.2);

TEST(TrainingControl, AResumedRobustEnsembleIsBitwiseTheSame) {
    const RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 8);
    for (Adversary adversary : {Adversary::Exact, Adversary::Relaxed, Adversary::Heuristic}) {
        RobustEnsembleSettings settings;
        settings.adversary = adversary;
        settings.n_planes = 6;
        std::vector<RobustEnsembleState> states;
        settings.checkpoint = [&](const RobustEnsembleState& state) { states.push_back(state); };
        const Matrix whole =
            train_robust_ensemble(problem.data(), kRadius, settings).ensemble().coef();
        ASSERT_EQ(states.size(), 6U);
        for (std::size_t round : {std::size_t{0}, std::size_t{2}, std::size_t{5}}) {
            const RobustEnsembleState from = states[round];
            const RobustEnsembleResult resumed =
                train_robust_ensemble(problem.data(), kRadius, settings, from);
            EXPECT_EQ(resumed.ensemble().coef(), whole);
            EXPECT_EQ(resumed.state.history.size(), 6U);
        }
    }
}

TEST(TrainingControl, AResumedCollaborativeEnsembleIsBitwiseTheSame) {
    const RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 8);
    for (double validation_share : {0.0, 0.3}) {
        CollaborativeSettings settings;
        settings.n_planes = 5;
        settings.n_epochs = 6;
        settings.batch_size = 7;
        settings.validation_share = validation_share;
        std::vector<CollaborativeState> states;
        settings.checkpoint = [&](const CollaborativeState& state) { states.push_back(state); };
        const CollaborativeResult whole = train_collaborative(problem.data(), kRadius, settings);
        ASSERT_EQ(states.size(), 6U);
        const CollaborativeState from = states[2];
        const CollaborativeResult resumed =
            train_collaborative(problem.data(), kRadius, settings, from);
        EXPECT_EQ(resumed.ensemble.coef(), whole.ensemble.coef());
        EXPECT_EQ(resumed.ensemble.intercept(), whole.ensemble.intercept());
        EXPECT_EQ(resumed.state.history.size(), whole.state.history.size());
    }
}

TEST(TrainingControl, AResumedBaggingIsBitwiseTheSame) {
    const RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 8);
    BaggingSettings settings;
    settings.n_planes = 5;
    const BaggingResult whole = train_bagged_svms(problem.data(), settings);
    const std::vector<Hyperplane> some(whole.planes.begin(), whole.planes.begin() + 2);
    EXPECT_EQ(train_bagged_svms(problem.data(), settings, some).ensemble().coef(),
              whole.ensemble().coef());
}

/// Raises a flag after the third round has been reported.
struct StopAfterThree {
    std::atomic<bool> stop{false};
    Index last_round = 0;
    TrainingControl control() {
        return {.stop = &stop, .progress = [this](const TrainingProgress& progress) {
                    EXPECT_GE(progress.round, last_round);
                    EXPECT_GE(progress.seconds_left, 0.0);
                    last_round = progress.round;
                    if (progress.round >= 3) stop = true;
                }};
    }
};

TEST(TrainingControl, AStopLeavesAValidPartialEnsemble) {
    const RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 8);
    {
        StopAfterThree stopper;
        RobustEnsembleSettings settings;
        settings.control = stopper.control();
        const RobustEnsembleResult result =
            train_robust_ensemble(problem.data(), kRadius, settings);
        EXPECT_TRUE(result.is_partial);
        EXPECT_EQ(result.status, Status::Interrupted);
        EXPECT_EQ(result.ensemble().n_planes(), 3);
    }
    {
        StopAfterThree stopper;
        CollaborativeSettings settings;
        settings.control = stopper.control();
        const CollaborativeResult result = train_collaborative(problem.data(), kRadius, settings);
        EXPECT_TRUE(result.is_partial);
        EXPECT_EQ(result.status, Status::Interrupted);
        EXPECT_EQ(result.state.history.size(), 3U);
        EXPECT_EQ(result.ensemble.n_planes(), settings.n_planes);
    }
    {
        StopAfterThree stopper;
        BaggingSettings settings;
        settings.control = stopper.control();
        const BaggingResult result = train_bagged_svms(problem.data(), settings);
        EXPECT_TRUE(result.is_partial);
        EXPECT_EQ(result.status, Status::Interrupted);
        EXPECT_EQ(result.planes.size(), 3U);
    }
}

TEST(TrainingControl, NoTimeMeansNoRounds) {
    const RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 8);
    RobustEnsembleSettings robust;
    robust.control.max_seconds = 0.0;
    const RobustEnsembleResult none = train_robust_ensemble(problem.data(), kRadius, robust);
    EXPECT_EQ(none.status, Status::TimeLimit);
    EXPECT_TRUE(none.is_partial);
    EXPECT_TRUE(none.state.planes.empty());
    CollaborativeSettings collaborative;
    collaborative.control.max_seconds = 0.0;
    const CollaborativeResult start = train_collaborative(problem.data(), kRadius, collaborative);
    EXPECT_EQ(start.status, Status::TimeLimit);
    EXPECT_TRUE(start.is_partial);
    EXPECT_EQ(start.state.n_epochs_done, 0);
}

}  // namespace
}  // namespace redoubt::testing
