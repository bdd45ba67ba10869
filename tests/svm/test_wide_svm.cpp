#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <ctime>
#include <random>
#include <thread>

#include "redoubt/svm.hpp"
#include "support/attack_support.hpp"
#include "support/random_problems.hpp"
#include "support/seeds.hpp"
#include "support/svm_optimality.hpp"
#include "svm/chosen_columns.hpp"
#include "svm/descent_watch.hpp"
#include "svm/norm_cone.hpp"
#include "svm/staged_solver.hpp"
#include "svm/wide_solver.hpp"

namespace redoubt::testing {
namespace {

const std::uint64_t kWideSeeds = n_seeds(6);

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

// Attack models keep to the stages; with many features their Newton steps are solved in the space
// of the free rows.
TEST(WideSvm, AttackModelsGiveTheSameOptimum) {
    for (AttackKind kind : all_attack_kinds()) {
        for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
            for (std::uint64_t seed = 0; seed < 4; ++seed) {
                SCOPED_TRACE(::testing::Message()
                             << to_string(kind) << " " << to_string(norm) << " seed " << seed);
                const AttackProblem data = make_attack_problem(kind, norm, seed);
                const SvmData svm_data{data.X, data.y, data.weights};
                HingeProblem problem(svm_data);
                problem.set_threat(data.model, data.radii);
                problem.most_narrow_columns = 0;
                const SvmResult result = solve_hinge_problem(problem, {}, {});
                ASSERT_EQ(result.status, Status::Optimal) << result.relative_gap;
                RobustSvmSettings settings;
                settings.attack_model = data.model;
                const SvmResult narrow = train_robust_svm(svm_data, data.radii, settings);
                const double total = problem.total_weight;
                EXPECT_NEAR(total * result.primal_value, narrow.primal_value,
                            3e-8 * std::max(narrow.primal_value, kGapFloor * total));
            }
        }
    }
}

/// Normal points in many dimensions with noisy labels.
RandomProblem noisy_points(Index m, Index n, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    RandomProblem problem{Matrix(m, n), Vector(m), Vector::Ones(m), Vector::Constant(m, 0.01)};
    for (double& value : problem.X.reshaped()) value = normal(random);
    const Vector w = Vector::Constant(n, 1.0 / std::sqrt(static_cast<double>(n)));
    for (Index j = 0; j < m; ++j)
        problem.y[j] = problem.X.row(j).dot(w) + normal(random) > 0.0 ? 1.0 : -1.0;
    problem.y.head(2) << 1.0, -1.0;
    return problem;
}

/// Counts of words: few are not 0, some columns are alike, some empty, and so are some rows.
RandomProblem word_counts(Index m, Index n, std::uint64_t seed) {
    RandomProblem problem = noisy_points(m, n, seed);
    for (Index j = 0; j < m; ++j) {
        for (Index l = 0; l < n; ++l) {
            const double value = problem.X(j, l);
            const bool is_empty = l % 17 == 0 || j % 23 == 0;
            problem.X(j, l) = value < 1.6 || is_empty ? 0.0 : std::ceil(value);
            if (l % 5 == 1) problem.X(j, l) = problem.X(j, l - 1);
        }
    }
    return problem;
}

/// What the result says of its gap is what the data say, and the tolerance is reached.
void expect_proven(const RandomProblem& problem, Norm norm, double tolerance) {
    SCOPED_TRACE(::testing::Message() << to_string(norm) << " at " << tolerance);
    RobustSvmSettings settings;
    settings.attack_model = AttackModel::ball(norm);
    settings.tolerance = tolerance;
    const SvmResult result = train_robust_svm(problem.data(), problem.radii, settings);
    EXPECT_EQ(result.status, Status::Optimal) << result.relative_gap;
    const double primal = robust_objective(problem, problem.radii, norm, 0.0, result.plane);
    const double size = 2.0 * norm_value(dual(norm), result.plane.w);
    const double bound = robust_lower_bound(problem, problem.radii, norm, size, result.dual_ratio);
    const double scale = std::max(primal, kGapFloor * problem.weights.sum());
    EXPECT_LE(primal - bound, 1.01 * tolerance * scale + 1e-12);
    EXPECT_NEAR(primal - bound, result.relative_gap * scale, 1e-9 * scale);
}

void expect_proven(const RandomProblem& problem, double tolerance) {
    constexpr double C = 2.0;
    const SvmResult result = train_svm(problem.data(), {.C = C, .tolerance = tolerance});
    EXPECT_EQ(result.status, Status::Optimal) << result.relative_gap;
    const double primal = svm_objective(problem, C, result.plane);
    const double bound = svm_lower_bound(problem, C, result.dual_ratio);
    const double scale = std::max(primal, kGapFloor * C * problem.weights.sum());
    EXPECT_LE(primal - bound, 1.01 * tolerance * scale);
    EXPECT_NEAR(primal - bound, result.relative_gap * scale, 1e-9 * scale);
}

class WideShape : public ::testing::TestWithParam<std::pair<Index, Index>> {};

TEST_P(WideShape, ProvesItsGap) {
    const auto [m, n] = GetParam();
    for (std::uint64_t seed = 0; seed < n_seeds(2); ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        const RandomProblem noisy = noisy_points(m, n, seed);
        const RandomProblem words = word_counts(m, n, seed);
        for (double tolerance : {1e-4, 1e-8}) {
            for (const RandomProblem& problem : {noisy, words}) {
                expect_proven(problem, tolerance);
                expect_proven(problem, Norm::L2, tolerance);
                expect_proven(problem, Norm::LInf, tolerance);
            }
            // Not the words: few points that no plane separates are too hard in l1.
            expect_proven(noisy, Norm::L1, tolerance);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, WideShape,
    ::testing::Values(std::pair<Index, Index>{5, 900}, std::pair<Index, Index>{60, 300},
                      std::pair<Index, Index>{150, 240}, std::pair<Index, Index>{400, 220}),
    [](const auto& shape) {
        return std::to_string(shape.param.first) + "x" + std::to_string(shape.param.second);
    });

TEST(WideSvm, ReadsCompressedRowsAsDenseOnes) {
    const RandomProblem data = word_counts(120, 260, 5);
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        SvmResult results[2];
        for (int is_dense = 0; is_dense < 2; ++is_dense) {
            HingeProblem problem(data.data());
            EXPECT_TRUE(problem.rows.is_sparse());
            if (is_dense == 1) problem.rows = SampleRows(data.X);
            problem.set_threat(AttackModel::ball(norm), data.radii);
            problem.mu = 0.01;
            results[is_dense] = solve_hinge_problem(problem, {}, {});
            ASSERT_EQ(results[is_dense].status, Status::Optimal);
        }
        EXPECT_NEAR(results[0].primal_value, results[1].primal_value,
                    2e-8 * results[1].primal_value);
        EXPECT_LT((results[0].plane.w - results[1].plane.w).norm(),
                  1e-3 * results[1].plane.w.norm());
    }
}

/// The gap of a regularised problem after some passes and then more passes, or steps on the face
/// with three passes each.
double gap_after(const HingeProblem& problem, int n_passes, int n_steps) {
    DescentWatch watch(problem, nullptr);
    watch.descent().set_regularizer(problem.mu, Vector::Zero(problem.n()));
    watch.run_passes(n_passes);
    watch.look(problem.mu);
    for (int step = 0; step < n_steps; ++step) {
        watch.step_on_face();
        watch.look(problem.mu);
    }
    return watch.relative();
}

TEST(WideSvm, StepsOnTheFaceEndADescentThatCreeps) {
    const RandomProblem noisy = noisy_points(250, 260, 2);
    const RandomProblem words = word_counts(250, 260, 2);
    for (const RandomProblem& data : {noisy, words}) {
        for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
            SCOPED_TRACE(to_string(norm));
            HingeProblem problem(data.data());
            problem.set_threat(AttackModel::ball(norm), data.radii);
            problem.mu = 0.01;
            EXPECT_LT(gap_after(problem, 30, 8), 1e-9);
            EXPECT_GT(gap_after(problem, 30 + 3 * 8, 0), 1e-7);
        }
    }
}

/// Two factors shared by all features, on scales from 1e-3 to 1e3: descents stall at once.
TEST(WideSvm, SolvesBadlyScaledCorrelatedFeatures) {
    std::uint64_t n_long = 0;
    for (std::uint64_t seed = 0; seed < n_seeds(2); ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        RandomProblem problem = noisy_points(260, 250, seed);
        std::mt19937_64 random(seed + 100);
        std::normal_distribution<double> normal;
        for (Index j = 0; j < problem.X.rows(); ++j) {
            const double first = normal(random);
            const double second = normal(random);
            for (Index l = 0; l < problem.X.cols(); ++l) {
                const double shared = first + (l % 2 == 0 ? second : -second);
                problem.X(j, l) = (0.3 * problem.X(j, l) + shared) *
                                  std::pow(10.0, static_cast<double>(l % 7) - 3.0);
            }
        }
        problem.weights[3] = 0.0;
        for (double tolerance : {1e-4, 1e-8}) {
            expect_proven(problem, tolerance);
            const SvmSettings settings{.tolerance = tolerance};
            if (train_svm(problem.data(), settings).stats.n_newton_steps >= 100) ++n_long;
        }
    }
    // Rounding may send one in many to the stages, which take hundreds of steps.
    EXPECT_LE(n_long, n_seeds(2) / 10);
}

/// The level that a sort would find.
TEST(WideSvm, LevelsOfLongVectorsNeedNoSort) {
    const RandomProblem data = noisy_points(8, 700, 4);
    for (Index j = 0; j < data.X.rows(); ++j) {
        const Vector v = data.X.row(j);
        const double size = v.lpNorm<1>();
        for (double share : {1e-9, 0.01, 0.5, 0.99, 1.0 - 1e-12, 1.0, 2.0}) {
            const double level = ball_threshold(v, share * size);
            const double left = (v.cwiseAbs().array() - level).cwiseMax(0.0).sum();
            EXPECT_GE(level, 0.0);
            EXPECT_NEAR(left, std::min(share, 1.0) * size, 1e-12 * size);
        }
        EXPECT_NEAR(ball_threshold(Vector::Constant(300, -2.0), 3.0), 1.99, 1e-14);
    }
}

TEST(WideSvm, StartsWarm) {
    const RandomProblem problem = noisy_points(150, 400, 3);
    RandomProblem neighbour = problem;
    neighbour.weights[0] = 1.7;
    const SvmStart start = train_svm(neighbour.data()).start();
    const SvmResult cold = train_svm(problem.data());
    const SvmResult warm = train_svm(problem.data(), {}, start);
    EXPECT_NEAR(warm.primal_value, cold.primal_value, 2e-8 * cold.primal_value);
}

/// Six points in thousands of dimensions: steps on the face alone lead to the plane of least norm.
TEST(WideSvm, SeparatesFewPointsInManyDimensions) {
    for (std::uint64_t seed = 0; seed < n_seeds(3); ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        RandomProblem problem = noisy_points(6, 4000, seed);
        for (Norm norm : {Norm::L1, Norm::LInf}) {
            problem.radii.setConstant(norm == Norm::L1 ? 0.1 : 0.01);
            for (double tolerance : {1e-4, 1e-8}) expect_proven(problem, norm, tolerance);
        }
    }
}

/// Frequent words and rare ones, labels by a plane and noise.
RandomProblem frequent_words(Index m, Index n, Index per_row, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform;
    std::normal_distribution<double> normal;
    RandomProblem problem{Matrix::Zero(m, n), Vector(m), Vector::Ones(m), Vector::Constant(m, 0.1)};
    Vector w(n);
    for (double& value : w) value = normal(random);
    for (Index j = 0; j < m; ++j) {
        for (Index i = 0; i < per_row; ++i) {
            const double place = std::pow(uniform(random), 3.0) * static_cast<double>(n);
            problem.X(j, std::min(n - 1, static_cast<Index>(place))) += 1.0;
        }
        problem.y[j] = problem.X.row(j).dot(w) + normal(random) > 0.0 ? 1.0 : -1.0;
    }
    return problem;
}

/// In l1 all weights share a level, which moves far between two looks at all features.
TEST(WideSvm, FollowsTheLevelOfSparseRows) {
    for (std::uint64_t seed = 0; seed < n_seeds(2); ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        expect_proven(frequent_words(1000, 5000, 20, seed), Norm::L1, 1e-4);
    }
}

/// Hinges are left here: the descent of an l2 ball follows ||w||, that of linf knows the columns
/// that matter.
TEST(WideSvm, ProvesTheGapWhereHingesAreLeft) {
    for (std::uint64_t seed = 0; seed < n_seeds(2); ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        RandomProblem problem = frequent_words(900, 400, 12, seed);
        problem.weights[5] = 0.0;
        for (double tolerance : {1e-4, 1e-8}) {
            problem.radii.setConstant(0.01);
            problem.radii[7] = 0.02;
            expect_proven(problem, Norm::LInf, tolerance);
            problem.radii *= 5.0;
            expect_proven(problem, Norm::L2, tolerance);
        }
    }
}

/// Even from a single column, and multipliers that mean nothing.
TEST(WideSvm, FindsTheColumnsThatMatter) {
    for (std::uint64_t seed = 0; seed < n_seeds(3); ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        RandomProblem data = frequent_words(500, 260, 10, seed);
        data.radii.setConstant(0.05);
        HingeProblem problem(data.data());
        problem.set_threat(AttackModel::ball(Norm::LInf), data.radii);
        BallRows rows(problem);
        StagedStart start{{Vector::Unit(260, 3), 0.0}, Vector::Constant(500, 0.5), 0.1};
        start.is_any_optimum = true;
        start.mu = 1e-3;
        const std::optional<SvmResult> result = solve_in_columns(problem, {}, rows, start);
        ASSERT_TRUE(result.has_value());
        ASSERT_EQ(result->status, Status::Optimal);
        const double primal = robust_objective(data, data.radii, Norm::LInf, 0.0, result->plane);
        const double size = 2.0 * norm_value(Norm::L1, result->plane.w);
        const double bound =
            robust_lower_bound(data, data.radii, Norm::LInf, size, result->dual_ratio);
        EXPECT_LE(primal - bound, 1.01e-8 * primal);
        EXPECT_NEAR(result->primal_value * problem.total_weight, primal, 1e-9 * primal);
        EXPECT_LT((result->plane.w.array() != 0.0).count(), 200);

        start.plane.w.setZero();
        start.a.setZero();
        EXPECT_FALSE(solve_in_columns(problem, {}, rows, start).has_value());
    }
}

/// Processor seconds from the raising of the flag until the call is over: the clock on the wall
/// would count what other processes do.
template <typename Train>
double seconds_to_stop(const Train& train) {
    std::atomic<bool> stop{false};
    std::clock_t raised = 0;
    std::thread alarm([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(40));
        raised = std::clock();
        stop = true;
    });
    const SvmResult result = train(stop);
    const std::clock_t over = std::clock();
    alarm.join();
    EXPECT_EQ(result.status, Status::Interrupted);
    EXPECT_TRUE(result.plane.w.allFinite());
    return static_cast<double>(over - raised) / CLOCKS_PER_SEC;
}

TEST(WideSvm, HearsTheFlagInTheMiddleOfAStep) {
    // How long sanitized code takes says nothing; that it stops does.
    constexpr double kSeconds = kIsSanitized ? HUGE_VAL : 0.2;
    const RandomProblem problem = noisy_points(1500, 1500, 1);
    EXPECT_LT(seconds_to_stop([&](const std::atomic<bool>& stop) {
                  SvmSettings settings;
                  settings.tolerance = 1e-14;
                  settings.stop = &stop;
                  return train_svm(problem.data(), settings);
              }),
              kSeconds);
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        for (bool has_rules : {false, true}) {
            SCOPED_TRACE(::testing::Message() << to_string(norm) << has_rules);
            EXPECT_LT(seconds_to_stop([&](const std::atomic<bool>& stop) {
                          RobustSvmSettings settings;
                          settings.attack_model = AttackModel::ball(norm);
                          if (has_rules) settings.attack_model.lower = Vector::Constant(1500, -6.0);
                          if (has_rules) settings.attack_model.upper = Vector::Constant(1500, 6.0);
                          settings.tolerance = 1e-14;
                          settings.stop = &stop;
                          return train_robust_svm(problem.data(), problem.radii, settings);
                      }),
                      kSeconds);
        }
    }
}

}  // namespace
}  // namespace redoubt::testing
