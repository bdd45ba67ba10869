#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <set>

#include "redoubt/error.hpp"
#include "redoubt/selection.hpp"
#include "support/random_problems.hpp"

namespace redoubt::testing {
namespace {

/// Points on a line at -3, -2, -1 | 1, 2, 3 and planes w = 1 with a given bias: the radius of x is
/// |x + b|.
struct Line {
    Matrix X = (Matrix(6, 1) << -3.0, -2.0, -1.0, 1.0, 2.0, 3.0).finished();
    Vector y = (Vector(6) << -1.0, -1.0, -1.0, 1.0, 1.0, 1.0).finished();
    SvmData data() const { return {X, y}; }
};

SelectionSettings at_radii(std::initializer_list<double> radii) {
    SelectionSettings settings;
    settings.attack_radii =
        Eigen::Map<const Vector>(radii.begin(), static_cast<Index>(radii.size()));
    settings.n_folds = 3;
    return settings;
}

TEST(Selection, ScoresEveryCandidateOnPointsItHasNotSeen) {
    const Line line;
    std::multiset<Index> left_out;
    const std::vector<double> biases{2.5, 0.0, -0.5};
    const FitCandidate fit = [&](Index candidate, const SvmData& part,
                                 const std::vector<Index>& rows) {
        EXPECT_EQ(part.X.rows(), 4);
        EXPECT_EQ((part.y.array() > 0.0).count(), 2);
        if (candidate == 0) {
            for (Index j = 0; j < 6; ++j) {
                if (std::find(rows.begin(), rows.end(), j) == rows.end()) left_out.insert(j);
            }
        }
        return Ensemble(Matrix::Ones(1, 1),
                        Vector::Constant(1, biases[static_cast<std::size_t>(candidate)]));
    };
    const SelectionResult result = select_candidate(line.data(), 3, fit, at_radii({0.0, 0.9}));
    EXPECT_EQ(left_out, (std::multiset<Index>{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(result.best, 1);
    EXPECT_EQ(result.status, Status::Optimal);
    EXPECT_DOUBLE_EQ(result.mean[1], 1.0);
    // Bias 2.5 is right at -3, 1, 2, 3 and safe at 0.9 for 1, 2, 3.
    EXPECT_DOUBLE_EQ(result.mean[0], 7.0 / 12.0);
    EXPECT_EQ(result.scores.rows(), 3);
    EXPECT_EQ(result.scores.cols(), 3);
    EXPECT_EQ(result.deviation[1], 0.0);
}

TEST(Selection, OnlyFinalistsGoOn) {
    const Line line;
    // All but the last are right about every point; the nearer to the middle, the more robust.
    const std::vector<double> biases{0.9, 0.6, 0.3, 0.1, 5.0};
    SelectionSettings settings;
    settings.rule = SelectionRule::NoCost;
    settings.n_folds = 3;
    settings.n_repeats = 2;
    settings.n_finalists = 3;
    const auto run = [&](int n_threads) {
        settings.n_threads = n_threads;
        return select_candidate(
            line.data(), 5,
            [&](Index candidate, const SvmData&, const std::vector<Index>&) {
                return Ensemble(Matrix::Ones(1, 1),
                                Vector::Constant(1, biases[static_cast<std::size_t>(candidate)]));
            },
            settings);
    };
    settings.radius_cap = 1.0;
    const SelectionResult result = run(1);
    // The first one as the most accurate, and the two that are most robust.
    EXPECT_EQ(result.n_parts, (Vector(5) << 6.0, 3.0, 6.0, 6.0, 3.0).finished());
    EXPECT_TRUE(std::isnan(result.scores(1, 3)));
    EXPECT_EQ(result.best, 3);
    EXPECT_EQ(run(3).best, 3);
    settings.n_finalists = 0;
    EXPECT_EQ(run(1).n_parts, Vector::Constant(5, 6.0));
    settings.n_finalists = -1;
    EXPECT_THROW(run(1), InvalidInput);
    settings.n_finalists = 3;
    settings.rule = SelectionRule::BestScore;
    settings.attack_radii = Vector::Zero(1);
    EXPECT_THROW(run(1), InvalidInput);
}

TEST(Selection, OneSplitAndBalancedScores) {
    const Line line;
    SelectionSettings settings = at_radii({0.0});
    settings.validation_share = 0.34;
    settings.score = Score::BalancedAccuracy;
    const FitCandidate constant = [](Index, const SvmData& part, const std::vector<Index>&) {
        EXPECT_EQ(part.X.rows(), 4);
        return Ensemble(Matrix::Zero(1, 1), Vector::Ones(1));
    };
    const SelectionResult result = select_candidate(line.data(), 1, constant, settings);
    EXPECT_EQ(result.scores.cols(), 1);
    EXPECT_DOUBLE_EQ(result.mean[0], 0.5);
}

TEST(Selection, ALimitLeavesWhatWasTried) {
    const Line line;
    std::atomic<bool> stop{false};
    SelectionSettings settings = at_radii({0.0});
    settings.control.stop = &stop;
    settings.control.progress = [&](const TrainingProgress& progress) {
        EXPECT_EQ(progress.n_rounds, 6);
        if (progress.round == 2) stop = true;
    };
    const FitCandidate fit = [](Index, const SvmData&, const std::vector<Index>&) {
        return Ensemble(Matrix::Ones(1, 1), Vector::Zero(1));
    };
    const SelectionResult result = select_candidate(line.data(), 2, fit, settings);
    EXPECT_EQ(result.status, Status::Interrupted);
    EXPECT_EQ(result.best, 0);
    EXPECT_TRUE(std::isnan(result.scores(0, 1)));
}

TEST(Selection, NoCostTakesTheMostRobustOfTheAccurateOnes) {
    // A line at x: candidate c puts the plane at position[c]; all are right on both sides of 0.
    Matrix X(40, 1);
    Vector y(40);
    for (Index j = 0; j < 40; ++j) {
        y[j] = j < 20 ? -1.0 : 1.0;
        X(j, 0) = y[j] * (1.0 + 0.1 * static_cast<double>(j % 20));
    }
    // Right, and the same distance to both classes; right but nearer to one; wrong for some; always
    // the same answer, which nothing changes.
    const std::vector<double> position{0.0, 0.9, 1.55, -100.0};
    const FitCandidate fit = [&](Index candidate, const SvmData&, const std::vector<Index>&) {
        const double at = position[static_cast<std::size_t>(candidate)];
        return Ensemble(Matrix::Ones(1, 1), Vector::Constant(1, -at));
    };
    SelectionSettings settings;
    settings.rule = SelectionRule::NoCost;
    settings.n_folds = 4;
    settings.radius_cap = 3.0;
    for (int n_threads : {1, 3}) {
        settings.n_threads = n_threads;
        const SelectionResult result = select_candidate({X, y, {}}, 4, fit, settings);
        EXPECT_EQ(result.best, 0);
        EXPECT_DOUBLE_EQ(result.balanced_accuracy[0], 1.0);
        EXPECT_DOUBLE_EQ(result.balanced_accuracy[1], 1.0);
        EXPECT_LT(result.balanced_accuracy[2], 1.0);
        EXPECT_DOUBLE_EQ(result.balanced_accuracy[3], 0.5);
        EXPECT_EQ(result.standard_error[0], 0.0);
        EXPECT_NEAR(result.certified_radius[0], 1.95, 1e-12);
        // Both classes weigh the same, and no radius counts more than 3.
        EXPECT_NEAR(result.certified_radius[3], 0.0, 1e-12);
    }
    // A candidate within one point of the best is accurate enough, if the folds differ that much.
    const FitCandidate wrong_once = [&](Index candidate, const SvmData& part,
                                        const std::vector<Index>& rows) {
        return fit(candidate == 0 ? 1 : 0, part, rows);
    };
    EXPECT_EQ(select_candidate({X, y, {}}, 2, wrong_once, settings).best, 1);
}

TEST(Selection, ReservesCountWhereTheyAreNeeded) {
    // Candidate 0 is right about all points, and nearer to some than the others are to theirs.
    Matrix X(400, 1);
    Vector y(400);
    for (Index j = 0; j < 400; ++j) {
        y[j] = j < 200 ? -1.0 : 1.0;
        X(j, 0) = y[j] * (1.0 + 0.01 * static_cast<double>(j % 200));
    }
    const auto best_of = [&](double position, Index n_reserves) {
        SelectionSettings settings;
        settings.rule = SelectionRule::NoCost;
        settings.radius_cap = 3.0;
        settings.n_reserves = n_reserves;
        const FitCandidate fit = [&](Index candidate, const SvmData&, const std::vector<Index>&) {
            const double at = candidate == 0 ? 0.0 : position;
            return Ensemble(Matrix::Ones(1, 1), Vector::Constant(1, -at));
        };
        return select_candidate({X, y, {}}, 2, fit, settings).best;
    };
    // Wrong about 2 of 400 points, and about 12.
    EXPECT_EQ(best_of(1.015, 0), 0);
    EXPECT_EQ(best_of(1.015, 1), 1);
    EXPECT_EQ(best_of(1.115, 1), 0);
    EXPECT_EQ(best_of(1.015, 2), 0) << "there are only reserves";
    EXPECT_THROW(best_of(1.0, -1), InvalidInput);
}

TEST(Selection, TheRuleForScoresFromElsewhere) {
    const Vector accuracy = (Vector(4) << 0.90, 0.895, 0.893, 0.85).finished();
    const Vector error = (Vector(4) << 0.006, 0.0, 0.02, 0.06).finished();
    const Vector radius = (Vector(4) << 1.0, 2.0, 3.0, 4.0).finished();
    EXPECT_EQ(most_robust(accuracy, error, radius), 1);
    EXPECT_EQ(most_robust(accuracy, Vector::Constant(4, 0.5), radius), 2);
    const Vector failed =
        (Vector(3) << std::numeric_limits<double>::quiet_NaN(), 0.8, 0.8).finished();
    EXPECT_EQ(most_robust(failed, Vector::Zero(3), Vector::Ones(3)), 1);
    EXPECT_THROW(most_robust(accuracy, Vector::Zero(3), radius), InvalidInput);
    EXPECT_THROW(most_robust(Vector(), Vector(), Vector()), InvalidInput);
}

TEST(Selection, RejectsBadInput) {
    const Line line;
    const auto message = [&](const SelectionSettings& settings,
                             Index n_candidates = 1) -> std::string {
        try {
            select_candidate(
                line.data(), n_candidates,
                [](Index, const SvmData&, const std::vector<Index>&) {
                    return Ensemble(Matrix::Ones(1, 1), Vector::Zero(1));
                },
                settings);
        } catch (const InvalidInput& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_EQ(message({}), "attack_radii: expected at least one radius, got none");
    EXPECT_EQ(message(at_radii({-1.0})).substr(0, 13), "attack_radii:");
    SelectionSettings settings = at_radii({0.0});
    EXPECT_EQ(message(settings, 0), "n_candidates: expected an integer >= 1, got 0");
    settings.n_folds = 1;
    EXPECT_EQ(message(settings), "n_folds: expected an integer >= 2, got 1");
    settings.n_folds = 4;
    EXPECT_EQ(message(settings), "y: expected at least 4 points of each class, got 3");
    settings.validation_share = 1.0;
    EXPECT_EQ(message(settings), "validation_share: expected a number in [0, 0.9], got 1");
}

}  // namespace
}  // namespace redoubt::testing
