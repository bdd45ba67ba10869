#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "redoubt/bundled_data.hpp"
#include "redoubt/error.hpp"
#include "redoubt/svm.hpp"
#include "reference/small_programs.hpp"
#include "support/attack_support.hpp"

namespace redoubt::testing {
namespace {

constexpr std::uint64_t kAttackSeeds = 20;

SvmResult train(const AttackProblem& problem, double regularization = 0.0) {
    RobustSvmSettings settings;
    settings.attack_model = problem.model;
    settings.regularization = regularization;
    return train_robust_svm({problem.X, problem.y, problem.weights}, problem.radii, settings);
}

SvmResult train_plain(const AttackProblem& problem, const Vector& radii) {
    RobustSvmSettings settings;
    settings.attack_model.norm = problem.model.norm;
    return train_robust_svm({problem.X, problem.y, problem.weights}, radii, settings);
}

/// The worst move of point j against the plane's normal w.
Vector move_against(const AttackProblem& problem, Index j, const Vector& w) {
    const Vector x = problem.X.row(j).transpose();
    if (!problem.model.attacks(problem.y[j] > 0.0 ? 1 : -1)) return Vector::Zero(x.size());
    return worst_move(problem.model, x, -problem.y[j] * w, problem.radii[j]);
}

/// The objective from the data, with the support function that tries everything.
double objective(const AttackProblem& problem, double regularization, const Hyperplane& plane) {
    double sum = 0.5 * regularization * plane.w.squaredNorm();
    for (Index j = 0; j < problem.X.rows(); ++j) {
        const Vector moved = problem.X.row(j).transpose() + move_against(problem, j, plane.w);
        const double t = 1.0 - problem.y[j] * (plane.w.dot(moved) + plane.b);
        sum += problem.weights[j] * std::max(0.0, t);
    }
    return sum;
}

/// A lower bound on the optimum over all planes: the linear program's optimum when every point has
/// only the given moves, by a textbook simplex on its dual
///     max sum alpha,  sum_c alpha_jc <= c_j,  sum alpha y = 0,  sum alpha y (x + d) = 0.
double bound_with_moves(const AttackProblem& problem,
                        const std::vector<std::vector<Vector>>& moves) {
    const Index m = problem.X.rows();
    const Index n = problem.X.cols();
    Index n_columns = 0;
    for (const auto& of_point : moves) n_columns += static_cast<Index>(of_point.size());
    reference::SmallLp lp;
    lp.A = reference::RealMatrix::Zero(m + 2 * (n + 1), n_columns);
    lp.b = reference::RealVector::Zero(m + 2 * (n + 1));
    lp.c = reference::RealVector::Ones(n_columns);
    lp.upper = reference::RealVector::Constant(n_columns, std::numeric_limits<double>::infinity());
    Index column = 0;
    for (Index j = 0; j < m; ++j) {
        lp.b[j] = problem.weights[j];
        for (const Vector& d : moves[static_cast<std::size_t>(j)]) {
            lp.A(j, column) = 1.0;
            for (Index l = 0; l <= n; ++l) {
                const double value = problem.y[j] * (l < n ? problem.X(j, l) + d[l] : 1.0);
                lp.A(m + 2 * l, column) = value;
                lp.A(m + 2 * l + 1, column) = -value;
            }
            ++column;
        }
    }
    const reference::SmallLpAnswer answer = reference::solve_small_lp(lp);
    EXPECT_TRUE(answer.solved);
    return static_cast<double>(answer.value);
}

/// Moves that matter near w: the worst ones at w and at many planes around it.
std::vector<std::vector<Vector>> moves_around(const AttackProblem& problem, const Vector& w) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    const Index n = w.size();
    std::vector<Vector> planes{w};
    // At w = 0 all directions matter alike.
    if (w.norm() == 0.0) {
        for (int i = 0; i < 150; ++i) {
            planes.emplace_back(n);
            for (double& value : planes.back()) value = normal(random);
        }
    }
    for (double size : {1.0, 1e-2, 1e-3, 1e-4}) {
        for (Index i = 0; i < 4 * n; ++i) {
            Vector moved = w;
            for (double& value : moved) value += size * std::max(w.norm(), 0.1) * normal(random);
            planes.push_back(moved);
        }
    }
    std::vector<std::vector<Vector>> moves(static_cast<std::size_t>(problem.X.rows()));
    for (Index j = 0; j < problem.X.rows(); ++j) {
        auto& of_point = moves[static_cast<std::size_t>(j)];
        of_point.push_back(Vector::Zero(n));
        for (const Vector& plane : planes) {
            const Vector d = move_against(problem, j, plane);
            const bool is_new = std::none_of(
                of_point.begin(), of_point.end(),
                [&](const Vector& e) { return (d - e).lpNorm<Eigen::Infinity>() <= 1e-12; });
            if (is_new) of_point.push_back(d);
        }
    }
    return moves;
}

double scale_of(const AttackProblem& problem, double value) {
    return std::max(value, kGapFloor * problem.weights.sum());
}

using AttackAndNorm = std::tuple<AttackKind, Norm>;

class AttackModelSvm : public ::testing::TestWithParam<AttackAndNorm> {
protected:
    AttackProblem problem(std::uint64_t seed) const {
        const auto [kind, norm] = GetParam();
        return make_attack_problem(kind, norm, seed);
    }
};

TEST_P(AttackModelSvm, ReachesTheOptimumOfTheLinearProgramOverTheMoves) {
    for (std::uint64_t seed = 0; seed < kAttackSeeds; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        const AttackProblem problem = this->problem(seed);
        const SvmResult result = train(problem);
        ASSERT_EQ(result.status, Status::Optimal);
        EXPECT_LE(result.relative_gap, 1e-8);
        const double value = objective(problem, 0.0, result.plane);
        const double scale = scale_of(problem, value);
        EXPECT_NEAR(value, result.primal_value, 1e-8 * scale);
        const double bound = bound_with_moves(problem, moves_around(problem, result.plane.w));
        EXPECT_LE(bound, value + 1e-8 * scale);
        const bool is_constant = result.plane.w.norm() == 0.0;
        EXPECT_GE(bound, value - (is_constant ? 1e-2 : 2e-6) * scale);
        EXPECT_LE(result.dual_value, result.primal_value + 1e-12 * scale);
    }
}

TEST_P(AttackModelSvm, NoNearbyPlaneIsBetterWithARegularizer) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    for (std::uint64_t seed = 0; seed < kAttackSeeds; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        const AttackProblem problem = this->problem(seed);
        const SvmResult result = train(problem, 0.3);
        ASSERT_EQ(result.status, Status::Optimal);
        const double best = objective(problem, 0.3, result.plane);
        EXPECT_NEAR(best, result.primal_value, 1e-8 * best);
        EXPECT_LE(result.primal_value - result.dual_value, 1.01e-8 * best);
        for (int i = 0; i < 40; ++i) {
            Hyperplane moved = result.plane;
            const double size = std::pow(10.0, -1.0 - i % 5);
            for (double& value : moved.w) value += size * normal(random);
            moved.b += size * normal(random);
            EXPECT_GE(objective(problem, 0.3, moved), best * (1.0 - 1.1e-8));
        }
    }
}

TEST_P(AttackModelSvm, MoreMovesNeverLowerTheOptimum) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        AttackProblem problem = this->problem(seed);
        const Vector radii = problem.radii;
        double last = 0.0;
        for (double share : {0.0, 0.3, 1.0, 2.0}) {
            problem.radii = share * radii;
            const SvmResult result = train(problem);
            ASSERT_EQ(result.status, Status::Optimal);
            EXPECT_GE(result.primal_value, last - 2e-8 * scale_of(problem, last));
            last = result.primal_value;
        }
    }
}

TEST_P(AttackModelSvm, ReachesTheSameOptimumWarm) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        AttackProblem problem = this->problem(seed);
        const SvmResult cold = train(problem);
        AttackProblem other = problem;
        other.radii *= 1.1;
        RobustSvmSettings settings;
        settings.attack_model = problem.model;
        const SvmResult warm = train_robust_svm({problem.X, problem.y, problem.weights},
                                                problem.radii, settings, train(other).start());
        ASSERT_EQ(warm.status, Status::Optimal);
        EXPECT_NEAR(warm.primal_value, cold.primal_value,
                    2e-8 * scale_of(problem, cold.primal_value));
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, AttackModelSvm,
                         ::testing::Combine(::testing::ValuesIn(all_attack_kinds()),
                                            ::testing::Values(Norm::L1, Norm::L2, Norm::LInf)),
                         [](const auto& instance) {
                             return to_string(std::get<0>(instance.param)) + "_" +
                                    std::string(redoubt::to_string(std::get<1>(instance.param)));
                         });

class AttackModelSvmOfNorm : public ::testing::TestWithParam<Norm> {
protected:
    /// A problem without a model of its own.
    AttackProblem plain_problem(std::uint64_t seed) const {
        AttackProblem problem = make_attack_problem(AttackKind::Range, GetParam(), seed);
        problem.model = {};
        problem.model.norm = GetParam();
        return problem;
    }
};

TEST_P(AttackModelSvmOfNorm, LimitsThatNeverBindChangeNothing) {
    for (std::uint64_t seed = 0; seed < kAttackSeeds; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        AttackProblem problem = plain_problem(seed);
        const SvmResult plain = train_plain(problem, problem.radii);
        problem.model.lower = Vector::Constant(problem.X.cols(), -1e3);
        problem.model.direction.assign(static_cast<std::size_t>(problem.X.cols()), Direction::Both);
        const SvmResult result = train(problem);
        ASSERT_EQ(result.status, Status::Optimal);
        EXPECT_NEAR(result.primal_value, plain.primal_value,
                    2e-8 * scale_of(problem, plain.primal_value));
        // The least ||w|| among the optima, too.
        EXPECT_LT((result.plane.w - plain.plane.w).norm(), 1e-3 * plain.plane.w.norm() + 1e-9);
    }
}

TEST_P(AttackModelSvmOfNorm, ScalesAreAChangeOfUnits) {
    for (std::uint64_t seed = 0; seed < kAttackSeeds; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        AttackProblem problem = make_attack_problem(AttackKind::Scale, GetParam(), seed);
        const SvmResult result = train(problem);
        problem.X = problem.X * problem.model.scale.cwiseInverse().asDiagonal();
        const SvmResult plain = train_plain(problem, problem.radii);
        EXPECT_NEAR(result.primal_value, plain.primal_value,
                    2e-8 * scale_of(problem, plain.primal_value));
    }
}

TEST_P(AttackModelSvmOfNorm, FrozenFeaturesAreNotAttacked) {
    AttackProblem problem = plain_problem(2);
    problem.model.scale = Vector::Zero(problem.X.cols());
    EXPECT_EQ(train(problem).plane.w,
              train_plain(problem, Vector::Zero(problem.radii.size())).plane.w);
}

TEST_P(AttackModelSvmOfNorm, OneAttackingClassIsRadiusZeroForTheOther) {
    AttackProblem problem = plain_problem(2);
    problem.model.attacking_class = -1;
    Vector radii = problem.radii;
    for (Index j = 0; j < radii.size(); ++j) {
        if (problem.y[j] > 0.0) radii[j] = 0.0;
    }
    EXPECT_EQ(train(problem).plane.w, train_plain(problem, radii).plane.w);
}

TEST_P(AttackModelSvmOfNorm, APlainModelIsItsNorm) {
    const AttackProblem problem = plain_problem(3);
    EXPECT_EQ(train(problem).plane.w, train_plain(problem, problem.radii).plane.w);
}

TEST_P(AttackModelSvmOfNorm, TakesMeasuredTablesWithRangesAndDirections) {
    const Dataset data = load_bundled("bcw");
    const Matrix X = Scaler::fit(Scaling::Standard, data.X).transform(data.X.dense());
    RobustSvmSettings settings;
    AttackModel model;
    model.norm = GetParam();
    model.lower = X.colwise().minCoeff();
    model.upper = X.colwise().maxCoeff();
    model.direction.assign(static_cast<std::size_t>(X.cols()), Direction::Both);
    model.direction[0] = Direction::Up;
    model.direction[1] = Direction::Down;
    settings.attack_model = model;
    for (double radius : {0.05, 0.5, 2.0}) {
        const SvmResult result =
            train_robust_svm({X, data.y}, Vector::Constant(1, radius), settings);
        EXPECT_EQ(result.status, Status::Optimal) << radius;
        settings.n_threads = 2;
        const SvmResult again =
            train_robust_svm({X, data.y}, Vector::Constant(1, radius), settings);
        EXPECT_EQ(result.plane.w, again.plane.w);
        settings.n_threads = 1;
    }
}

INSTANTIATE_TEST_SUITE_P(Norms, AttackModelSvmOfNorm,
                         ::testing::Values(Norm::L1, Norm::L2, Norm::LInf),
                         [](const auto& instance) {
                             return std::string(redoubt::to_string(instance.param));
                         });

// Points -1 at (-2, 0) and +1 at (2, 0), r = 0.5, and the first feature may only grow: the plane of
// least norm has w = (s, 0) with -2 s + 0.5 s + b = -1 and 2 s + b = 1, so s = 4/7 and b = -1/7.
TEST(AttackModelSvmByHand, AnswersWithTheLeastNormWhereTheOptimumIsNotUnique) {
    const Matrix X = (Matrix(2, 2) << -2.0, 0.0, 2.0, 0.0).finished();
    const Vector y = (Vector(2) << -1.0, 1.0).finished();
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        AttackModel model;
        model.norm = norm;
        model.direction = {Direction::Up, Direction::Both};
        RobustSvmSettings settings;
        settings.attack_model = model;
        const SvmResult result = train_robust_svm({X, y}, Vector::Constant(1, 0.5), settings);
        EXPECT_EQ(result.status, Status::Optimal);
        EXPECT_NEAR(result.plane.w[0], 4.0 / 7.0, 1e-7);
        EXPECT_NEAR(result.plane.w[1], 0.0, 1e-7);
        EXPECT_NEAR(result.plane.b, -1.0 / 7.0, 1e-7);
        EXPECT_NEAR(result.primal_value, 0.0, 1e-11);
    }
}

// As above, with integers: r = 1.5 reaches one step, and only the class +1 attacks.
// 2 s - s + b = 1 and -2 s + b = -1: s = 2/3 and b = 1/3.
TEST(AttackModelSvmByHand, CountsIntegerStepsOfTheAttackingClass) {
    const Matrix X = (Matrix(2, 1) << -2.0, 2.0).finished();
    const Vector y = (Vector(2) << -1.0, 1.0).finished();
    RobustSvmSettings settings;
    settings.attack_model = AttackModel{};
    settings.attack_model.integers.push_back({0});
    settings.attack_model.attacking_class = 1;
    const SvmResult result = train_robust_svm({X, y}, Vector::Constant(1, 1.5), settings);
    EXPECT_NEAR(result.plane.w[0], 2.0 / 3.0, 1e-7);
    EXPECT_NEAR(result.plane.b, 1.0 / 3.0, 1e-7);
}

// The point of the class that does not attack is neither an integer nor within the range. The other
// one goes from 2 to 1, by an integer step or to the end of the range: s + b = 1 and -2.5 s + b =
// -1.
TEST(AttackModelSvmByHand, RulesAreForTheAttackingClassOnly) {
    const Matrix X = (Matrix(2, 1) << -2.5, 2.0).finished();
    const Vector y = (Vector(2) << -1.0, 1.0).finished();
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        for (bool is_integer : {false, true}) {
            RobustSvmSettings settings;
            settings.attack_model = AttackModel{};
            settings.attack_model.norm = norm;
            settings.attack_model.lower = Vector::Ones(1);
            if (is_integer) settings.attack_model.integers.push_back({0});
            EXPECT_THROW(train_robust_svm({X, y}, Vector::Constant(1, 1.5), settings),
                         InvalidInput);
            settings.attack_model.attacking_class = 1;
            const SvmResult result = train_robust_svm({X, y}, Vector::Constant(1, 1.5), settings);
            EXPECT_NEAR(result.plane.w[0], 4.0 / 7.0, 1e-7);
            EXPECT_NEAR(result.plane.b, 3.0 / 7.0, 1e-7);
        }
    }
}

TEST(AttackModelSvmByHand, SaysSoWhenTheBestPlaneIsConstant) {
    const Matrix X = (Matrix(3, 1) << -1.0, 0.0, 1.0).finished();
    const Vector y = (Vector(3) << 1.0, -1.0, 1.0).finished();
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        AttackModel model;
        model.norm = norm;
        model.lower = Vector::Constant(1, -9.0);
        RobustSvmSettings settings;
        settings.attack_model = model;
        const SvmResult result = train_robust_svm({X, y}, Vector::Constant(1, 5.0), settings);
        EXPECT_EQ(result.status, Status::Optimal);
        EXPECT_EQ(result.plane.w[0], 0.0);
        EXPECT_EQ(result.plane.b, 1.0);
        EXPECT_NE(result.warning.find("every point gets the answer +1"), std::string::npos);
    }
}

TEST(AttackModelSvmByHand, StopsWhenAskedTo) {
    const AttackProblem problem = make_attack_problem(AttackKind::Mixed, Norm::L2, 2);
    RobustSvmSettings settings;
    settings.attack_model = problem.model;
    const SvmData data{problem.X, problem.y, problem.weights};
    settings.max_iterations = 1;
    EXPECT_EQ(train_robust_svm(data, problem.radii, settings).status, Status::IterationLimit);
    std::atomic<bool> stop{true};
    settings.stop = &stop;
    EXPECT_EQ(train_robust_svm(data, problem.radii, settings).status, Status::Interrupted);
}

TEST(AttackModelSvmByHand, RefusesModelsThatDoNotFit) {
    AttackProblem problem = make_attack_problem(AttackKind::Range, Norm::L2, 2);
    problem.model.upper[0] = problem.X.col(0).maxCoeff() - 0.5;
    EXPECT_THROW(train(problem), InvalidInput);
    problem.model = {};
    problem.model.scale = Vector::Ones(problem.X.cols() + 1);
    EXPECT_THROW(train(problem), InvalidInput);
}

/// Separable points and a small regularization leave multipliers of 1e-4 and less, which smoothing
/// used to swallow.
TEST(AttackModelSvm, FindsSmallMultipliers) {
    double smallest = 1.0;
    for (AttackKind kind : {AttackKind::Scale, AttackKind::Frozen, AttackKind::OneSided}) {
        for (std::uint64_t seed = 1; seed < 60; seed += 2) {
            SCOPED_TRACE(to_string(kind) + " seed " + std::to_string(seed));
            const AttackProblem problem = make_attack_problem(kind, Norm::L2, seed);
            const SvmResult result = train(problem, 1e-3);
            EXPECT_EQ(result.status, Status::Optimal);
            EXPECT_LE(result.relative_gap, 1e-8);
            EXPECT_GE(result.dual_ratio.minCoeff(), 0.0);
            EXPECT_LE(result.dual_ratio.maxCoeff(), 1.0);
            smallest = std::min(smallest, result.dual_ratio.maxCoeff());
        }
    }
    EXPECT_LT(smallest, 1e-3);
}

}  // namespace
}  // namespace redoubt::testing
