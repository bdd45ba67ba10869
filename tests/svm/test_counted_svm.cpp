/// Robust SVMs against adversaries who count, and with ends of weights: against the solver for any
/// attack model, and against all moves there are.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "redoubt/error.hpp"
#include "redoubt/svm.hpp"

namespace redoubt::testing {
namespace {

constexpr double kNoEnd = std::numeric_limits<double>::infinity();

struct CountedProblem {
    Matrix X;
    Vector y;
    Vector weights;
    AttackModel model;
    Vector budgets;

    SvmData data() const { return {X, y, weights}; }
    SparseMatrix sparse() const {
        SparseMatrix rows(X.cols());
        for (Index j = 0; j < X.rows(); ++j) {
            for (Index l = 0; l < X.cols(); ++l) {
                if (X(j, l) != 0.0) rows.push_back(l, X(j, l));
            }
            rows.end_row();
        }
        return rows;
    }
};

CountedProblem make_counted_problem(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform;
    const auto m = static_cast<Index>(10 + random() % 25);
    const auto n = static_cast<Index>(3 + random() % 10);
    CountedProblem problem{Matrix::Zero(m, n), Vector(m), Vector(m), {}, {}};
    for (Index j = 0; j < m; ++j) {
        problem.y[j] = j % 2 == 0 ? 1.0 : -1.0;
        problem.weights[j] = seed % 3 == 0 ? std::floor(3.0 * uniform(random)) : 1.0;
        for (Index l = 0; l < n; ++l) {
            const double chance = (l % 2 == 0) == (problem.y[j] > 0.0) ? 0.6 : 0.25;
            problem.X(j, l) = uniform(random) < chance ? 1.0 : 0.0;
        }
    }
    problem.weights.head(2).setOnes();
    problem.model.norm = Norm::L1;
    problem.model.lower = Vector::Zero(n);
    problem.model.upper = Vector::Ones(n);
    if (seed % 2 == 0) problem.model.attacking_class = 1;
    if (seed % 4 < 2) {
        problem.model.direction.assign(static_cast<std::size_t>(n), Direction::Up);
    }
    if (seed % 5 == 0) {
        problem.model.scale = Vector::Ones(n);
        problem.model.scale[0] = 0.0;
    }
    problem.budgets = Vector::Constant(1, static_cast<double>(seed % 4));
    if (seed % 7 == 0) {
        problem.budgets = Vector::NullaryExpr(m, [&] { return std::floor(4.0 * uniform(random)); });
    }
    return problem;
}

RobustSvmSettings settings_for(const CountedProblem& problem, double rho) {
    RobustSvmSettings settings;
    settings.attack_model = problem.model;
    settings.regularization = rho;
    settings.tolerance = 1e-6;
    settings.max_iterations = 20000;
    return settings;
}

/// The sum of the largest gains, feature by feature.
double worst_gain(const CountedProblem& problem, Index j, const Vector& w) {
    const AttackModel& model = problem.model;
    if (!model.attacks(problem.y[j] > 0.0 ? 1 : -1)) return 0.0;
    std::vector<double> gains;
    for (Index l = 0; l < w.size(); ++l) {
        const bool is_there = problem.X(j, l) != 0.0;
        if (model.scale_of(l) == 0.0) continue;
        if (is_there && model.direction_of(l) == Direction::Up) continue;
        gains.push_back(std::max(0.0, problem.y[j] * w[l] * (is_there ? 1.0 : -1.0)));
    }
    std::sort(gains.begin(), gains.end(), std::greater<>());
    const double budget = problem.budgets[problem.budgets.size() == 1 ? 0 : j];
    gains.resize(std::min(gains.size(), static_cast<std::size_t>(budget)));
    double sum = 0.0;
    for (double gain : gains) sum += gain;
    return sum;
}

double objective_of(const CountedProblem& problem, double rho, const Hyperplane& plane) {
    double sum = 0.5 * rho * plane.w.squaredNorm();
    for (Index j = 0; j < problem.X.rows(); ++j) {
        const double value = plane.w.dot(problem.X.row(j)) + plane.b;
        const double t = 1.0 - problem.y[j] * value + worst_gain(problem, j, plane.w);
        sum += problem.weights[j] * std::max(0.0, t);
    }
    return sum;
}

// Where every feature has one place to go, an adversary in l0 is the one in l1 who goes all the way.
TEST(CountedSvm, TakesMovesInL0) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        CountedProblem problem = make_counted_problem(seed);
        const RobustSvmSettings in_l1 = settings_for(problem, 0.5);
        const SvmResult wanted = train_robust_svm(problem.data(), problem.budgets, in_l1);
        RobustSvmSettings in_l0 = in_l1;
        in_l0.attack_model.norm = Norm::L0;
        if (seed % 3 == 0) in_l0.attack_model.cost = Vector::Ones(problem.X.cols());
        for (int l = 0; l < problem.X.cols() && seed % 2 == 0; ++l)
            in_l0.attack_model.integers.push_back({l});
        // Parts of a change are none.
        const Vector radii = problem.budgets.array() + 0.75;
        const SvmResult found = train_robust_svm(problem.data(), radii, in_l0);
        EXPECT_EQ(found.status, wanted.status);
        EXPECT_EQ(found.plane.w, wanted.plane.w);
        EXPECT_EQ(found.plane.b, wanted.plane.b);
        EXPECT_NEAR(found.primal_value, objective_of(problem, 0.5, found.plane),
                    1e-6 * (1.0 + found.primal_value));
    }
}

TEST(CountedSvm, RefusesOtherMovesInL0) {
    CountedProblem problem = make_counted_problem(1);
    problem.budgets[0] = 1.0;
    problem.model.norm = Norm::L0;
    problem.model.attacking_class.reset();
    const auto message = [&](const CountedProblem& one) {
        try {
            train_robust_svm(one.data(), one.budgets, settings_for(one, 0.5));
        } catch (const InvalidInput& error) {
            return std::string(error.what());
        }
        return std::string("not refused");
    };
    CountedProblem costs = problem;
    costs.model.cost = Vector::Constant(problem.X.cols(), 2.0);
    EXPECT_EQ(message(costs),
              "attack_model: expected costs of 1 where training counts changes, got 2 for feature 1");
    CountedProblem inside = problem;
    inside.model.direction.clear();
    inside.X(0, 0) = 0.5;
    EXPECT_EQ(message(inside),
              "attack_model: expected features at an end of their range, or that go one way only "
              "where training counts changes, got feature 1 with 0.5 in [0, 1]");
    CountedProblem groups = problem;
    groups.model.direction.clear();
    groups.model.lower = groups.model.upper = Vector();
    groups.model.scale = Vector::Zero(problem.X.cols());
    groups.model.scale.head(2).setOnes();
    groups.model.one_hot.push_back({.features = {0, 1}, .switch_cost = 1.0});
    groups.X.col(0).setOnes();
    groups.X.col(1).setZero();
    EXPECT_EQ(message(groups),
              "attack_model: expected no one-hot groups where training counts changes, got some");
}

// Ends at infinity are none, but take the route of coordinate descent.
TEST(CountedSvm, EqualsTheSolverForAnyAttackModel) {
    for (std::uint64_t seed = 0; seed < 120; ++seed) {
        const CountedProblem problem = make_counted_problem(seed);
        for (double rho : {0.05, 1.0}) {
            SCOPED_TRACE(::testing::Message() << "seed " << seed << " rho " << rho);
            RobustSvmSettings settings = settings_for(problem, rho);
            const SvmResult other = train_robust_svm(problem.data(), problem.budgets, settings);
            ASSERT_EQ(other.status, Status::Optimal);
            settings.least_weight = Vector::Constant(1, -kNoEnd);
            const SvmResult found = train_robust_svm(problem.data(), problem.budgets, settings);
            EXPECT_EQ(found.status, Status::Optimal);
            const double value = objective_of(problem, rho, found.plane);
            const double room = 3e-6 * std::max(other.primal_value, 1.0);
            EXPECT_NEAR(found.primal_value, value, 1e-9 * std::max(1.0, value));
            EXPECT_NEAR(value, other.primal_value, room);
            EXPECT_LE(found.dual_value, other.primal_value * (1.0 + 1e-9) + 1e-9);
            const SparseMatrix rows = problem.sparse();
            const SvmResult sparse = train_robust_svm({rows, problem.y, problem.weights},
                                                      problem.budgets, settings);
            EXPECT_NEAR(objective_of(problem, rho, sparse.plane), other.primal_value, room);
        }
    }
}

TEST(CountedSvm, KeepsToEndsOfWeightsAndProvesItsGap) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const CountedProblem problem = make_counted_problem(seed);
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        RobustSvmSettings settings = settings_for(problem, 0.3);
        settings.least_weight = Vector::Constant(1, seed % 2 == 0 ? 0.0 : -0.2);
        if (seed % 3 == 0) settings.greatest_weight = Vector::Constant(problem.X.cols(), 0.4);
        const SvmResult found = train_robust_svm(problem.data(), problem.budgets, settings);
        EXPECT_EQ(found.status, Status::Optimal);
        EXPECT_GE(found.plane.w.minCoeff(), settings.least_weight[0]);
        EXPECT_TRUE(seed % 3 != 0 || found.plane.w.maxCoeff() <= 0.4);
        EXPECT_NEAR(found.primal_value, objective_of(problem, 0.3, found.plane), 1e-8);
        // No plane of the box that is near is better than the bound says.
        std::mt19937_64 random(seed);
        std::normal_distribution<double> normal;
        for (int trial = 0; trial < 200; ++trial) {
            Hyperplane near = found.plane;
            const double step = std::exp2(-static_cast<double>(trial % 12));
            for (double& weight : near.w) {
                weight = std::max(weight + step * normal(random), settings.least_weight[0]);
                if (seed % 3 == 0) weight = std::min(weight, 0.4);
            }
            near.b += step * normal(random);
            EXPECT_GE(objective_of(problem, 0.3, near), found.dual_value - 1e-9);
        }
    }
}

TEST(CountedSvm, WithASharedThresholdBoundsTheRowsOwn) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CountedProblem problem = make_counted_problem(seed);
        SCOPED_TRACE(::testing::Message() << "seed " << seed);
        problem.model.direction.assign(static_cast<std::size_t>(problem.X.cols()), Direction::Up);
        RobustSvmSettings settings = settings_for(problem, 0.5);
        settings.tolerance = 1e-4;
        settings.least_weight = Vector::Constant(1, -kNoEnd);
        const SparseMatrix rows = problem.sparse();
        const SvmData data{rows, problem.y, problem.weights};
        const SvmResult own = train_robust_svm(data, problem.budgets, settings);
        settings.shares_threshold = true;
        const SvmResult shared = train_robust_svm(data, problem.budgets, settings);
        EXPECT_GE(shared.primal_value, own.dual_value - 1e-9);
        EXPECT_GE(shared.primal_value, objective_of(problem, 0.5, shared.plane) - 1e-9);
        EXPECT_LE(shared.dual_value, shared.primal_value);
    }
}

// Words that only ham has: one plane leans on them, and a spammer who may add one of them beats it.
TEST(CountedSvm, SpreadsItsWeight) {
    Matrix X = Matrix::Zero(8, 4);
    X.topLeftCorner(4, 2).setOnes();
    X.bottomRightCorner(4, 1).setOnes();
    Vector y(8);
    y << 1, 1, 1, 1, -1, -1, -1, -1;
    CountedProblem problem{X, y, Vector::Ones(8), {}, Vector::Constant(1, 2.0)};
    problem.model.norm = Norm::L1;
    problem.model.lower = Vector::Zero(4);
    problem.model.upper = Vector::Ones(4);
    problem.model.direction.assign(4, Direction::Up);
    problem.model.attacking_class = 1;
    RobustSvmSettings settings = settings_for(problem, 0.1);
    settings.least_weight = Vector::Constant(1, -kNoEnd);
    const SvmResult found = train_robust_svm(problem.data(), problem.budgets, settings);
    EXPECT_NEAR(found.plane.w[3], 0.0, 1e-3);
    EXPECT_GT(found.plane.w[0], 0.5);
    EXPECT_EQ(train_robust_svm(problem.data(), problem.budgets, settings).plane.w, found.plane.w);
}

TEST(CountedSvm, StopsAtItsLimitWithWhatItHas) {
    const CountedProblem problem = make_counted_problem(2);
    RobustSvmSettings settings = settings_for(problem, 1e-3);
    settings.least_weight = Vector::Constant(1, -kNoEnd);
    settings.tolerance = 1e-14;
    settings.max_iterations = 5;
    const SvmResult found = train_robust_svm(problem.data(), problem.budgets, settings);
    EXPECT_EQ(found.status, Status::IterationLimit);
    EXPECT_NEAR(found.primal_value, objective_of(problem, 1e-3, found.plane), 1e-9);
    EXPECT_LE(found.dual_value, found.primal_value);
}

std::string refusal_of(const CountedProblem& problem, const RobustSvmSettings& settings) {
    try {
        train_robust_svm(problem.data(), problem.budgets, settings);
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "";
}

TEST(CountedSvm, RefusesWhatItCannotCount) {
    CountedProblem problem = make_counted_problem(2);
    problem.budgets = Vector::Constant(1, 2.0);
    RobustSvmSettings settings = settings_for(problem, 1.0);
    settings.least_weight = Vector::Constant(1, 0.0);
    EXPECT_EQ(refusal_of(problem, settings), "");
    problem.budgets[0] = 1000.0;  // more than there are features: all of them
    EXPECT_EQ(refusal_of(problem, settings), "");
    problem.budgets[0] = 1.5;
    EXPECT_EQ(refusal_of(problem, settings),
              "radii: expected integers where training counts changes, got 1.5");
    problem.budgets[0] = 2.0;
    settings.greatest_weight = Vector::Constant(1, -1.0);
    EXPECT_EQ(refusal_of(problem, settings),
              "greatest_weight: expected a number of at least the least weight, got -1 for "
              "feature 1");
    settings.greatest_weight = Vector::Constant(2, 1.0);
    EXPECT_EQ(refusal_of(problem, settings).substr(0, 32), "greatest_weight: expected length");
    settings.greatest_weight.resize(0);
    settings.attack_model.norm = Norm::L2;
    EXPECT_EQ(refusal_of(problem, settings),
              "attack_model: expected l1 moves, or radius 0, for a training with ends of weights "
              "or a shared threshold, got l2");
    settings.attack_model.norm = Norm::L1;
    settings.shares_threshold = true;
    EXPECT_NE(refusal_of(problem, settings).find("a shared one"), std::string::npos);
    settings.shares_threshold = false;
    problem.X(0, 0) = 0.5;
    EXPECT_NE(refusal_of(problem, settings).find("features at an end of their range"),
              std::string::npos);
}

}  // namespace
}  // namespace redoubt::testing
