#include "redoubt/attack.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <random>

#include "attack/random_attacks.hpp"
#include "redoubt/error.hpp"
#include "support/balls.hpp"

namespace redoubt {
namespace {

constexpr Adversary kAdversaries[] = {Adversary::Exact, Adversary::Relaxed, Adversary::Heuristic};

struct Base {
    Ensemble ensemble;
    Matrix X;
    Vector y;
    Vector radii;
};

Base make_base(Index n_points, Index k = 9, Index n = 12) {
    const testing::RandomAttack planes =
        testing::make_random_attack(testing::PlaneKind::Bagged, k, n, 11);
    std::mt19937_64 rng(5);
    std::normal_distribution<double> normal;
    Base base{planes.ensemble, Matrix(n_points, n), Vector(n_points), Vector(n_points)};
    for (Index j = 0; j < n_points; ++j) {
        for (Index l = 0; l < n; ++l) base.X(j, l) = normal(rng);
        base.y[j] = rng() % 2 == 0 ? 1.0 : -1.0;
        base.radii[j] = 0.1 * static_cast<double>(rng() % 10);
    }
    return base;
}

AttackSettings make_settings(Norm norm, Adversary adversary) {
    AttackSettings settings;
    settings.attack_model.norm = norm;
    settings.adversary = adversary;
    return settings;
}

/// Everything in the result that `predict` can recompute.
void expect_recounted(const Base& base, Index j, const Attack& attack,
                      const AttackSettings& settings) {
    const Vector moved = base.X.row(j).transpose() + attack.d;
    const int y = base.y[j] > 0 ? 1 : -1;
    EXPECT_LE(norm_value(settings.attack_model.norm, attack.d), base.radii[j]);
    std::vector<int> fooled;
    for (Index i = 0; i < base.ensemble.n_planes(); ++i) {
        const auto w = base.ensemble.coef().row(i).transpose();
        if (sign_of_plane(w, base.ensemble.intercept()[i], moved) != y)
            fooled.push_back(static_cast<int>(i));
    }
    EXPECT_EQ(attack.fooled, fooled);
    EXPECT_EQ(attack.success, base.ensemble.predict(moved) != y);
    EXPECT_LE(attack.objective, attack.bound);
    EXPECT_GE(attack.solve_seconds, 0.0);
    if (settings.adversary == Adversary::Relaxed) {
        const Vector x = base.X.row(j).transpose();
        const PointProblem point{base.ensemble, testing::ball(settings.attack_model.norm), x, y,
                                 base.radii[j]};
        EXPECT_NEAR(attack.objective, testing::hinge_sum(point, attack.d), 1e-11);
    } else {
        EXPECT_EQ(attack.objective, static_cast<double>(fooled.size()));
    }
}

TEST(Attack, ResultsAreWhatPredictSees) {
    const Base base = make_base(40);
    for (const Norm norm : testing::kNorms) {
        for (const Adversary adversary : kAdversaries) {
            const AttackSettings settings = make_settings(norm, adversary);
            const std::vector<Attack> attacks =
                attack(base.ensemble, base.X, base.y, base.radii, settings);
            ASSERT_EQ(attacks.size(), 40U);
            for (Index j = 0; j < 40; ++j) {
                SCOPED_TRACE(std::string(to_string(adversary)) + " " +
                             std::string(to_string(norm)));
                const Attack& result = attacks[static_cast<std::size_t>(j)];
                EXPECT_EQ(result.status, Status::Optimal);
                expect_recounted(base, j, result, settings);
            }
        }
    }
}

/// No adversary fools more planes than the exact one, none reaches a larger sum than the relaxed
/// one.
TEST(Attack, EachAdversaryIsBestAtItsOwnObjective) {
    const Base base = make_base(60);
    for (const Norm norm : testing::kNorms) {
        std::vector<std::vector<Attack>> all;
        for (const Adversary adversary : kAdversaries) {
            all.push_back(
                attack(base.ensemble, base.X, base.y, base.radii, make_settings(norm, adversary)));
        }
        for (std::size_t j = 0; j < 60; ++j) {
            const Vector x = base.X.row(static_cast<Index>(j)).transpose();
            const PointProblem point{base.ensemble, testing::ball(norm), x,
                                     base.y[static_cast<Index>(j)] > 0 ? 1 : -1,
                                     base.radii[static_cast<Index>(j)]};
            for (const auto& attacks : all) {
                EXPECT_LE(attacks[j].fooled.size(), all[0][j].fooled.size());
                EXPECT_LE(testing::hinge_sum(point, attacks[j].d), all[1][j].bound);
            }
            EXPECT_EQ(all[2][j].bound, HUGE_VAL);
        }
    }
}

TEST(Attack, EnumerationAgrees) {
    const Base base = make_base(20, 7, 5);
    for (const Norm norm : testing::kNorms) {
        for (const Adversary adversary : {Adversary::Exact, Adversary::Relaxed}) {
            AttackSettings settings = make_settings(norm, adversary);
            const auto native = attack(base.ensemble, base.X, base.y, base.radii, settings);
            settings.solver = Solver::Enumerate;
            const auto second = attack(base.ensemble, base.X, base.y, base.radii, settings);
            for (std::size_t j = 0; j < 20; ++j) {
                EXPECT_NEAR(native[j].objective, second[j].objective, 1e-10)
                    << to_string(adversary) << " " << to_string(norm) << " point " << j;
            }
        }
    }
}

TEST(Attack, OneRadiusServesAllPoints) {
    Base base = make_base(5);
    const AttackSettings settings = make_settings(Norm::L2, Adversary::Relaxed);
    const auto one = attack(base.ensemble, base.X, base.y, Vector::Constant(1, 0.4), settings);
    const auto each = attack(base.ensemble, base.X, base.y, Vector::Constant(5, 0.4), settings);
    for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(one[j].d, each[j].d);
}

TEST(Attack, NoPointsNoAttacks) {
    const Base base = make_base(1);
    EXPECT_TRUE(attack(base.ensemble, Matrix(0, 12), Vector(0), Vector::Ones(1)).empty());
}

/// Memory kept from point to point must not leak into the answers.
TEST(Attack, DoesNotDependOnTheOtherPoints) {
    const Base base = make_base(32);
    for (const Norm norm : testing::kNorms) {
        const AttackSettings settings = make_settings(norm, Adversary::Relaxed);
        const auto all = attack(base.ensemble, base.X, base.y, base.radii, settings);
        for (Index j = 0; j < 32; ++j) {
            const auto alone = attack(base.ensemble, base.X.row(j), base.y.segment(j, 1),
                                      base.radii.segment(j, 1), settings);
            EXPECT_EQ(alone[0].d, all[static_cast<std::size_t>(j)].d);
            EXPECT_EQ(alone[0].bound, all[static_cast<std::size_t>(j)].bound);
        }
    }
}

TEST(Attack, ProgressCountsEveryPointOnce) {
    const Base base = make_base(50);
    AttackSettings settings = make_settings(Norm::L2, Adversary::Heuristic);
    settings.n_threads = 3;
    Index last = 0;
    settings.progress = [&](Index done, Index all) {
        EXPECT_GT(done, last);
        EXPECT_EQ(all, 50);
        last = done;
    };
    attack(base.ensemble, base.X, base.y, base.radii, settings);
    EXPECT_EQ(last, 50);
}

TEST(Attack, StoppedCallsStillAnswerTruly) {
    const Base base = make_base(20);
    const std::atomic<bool> stop{true};
    for (const Adversary adversary : kAdversaries) {
        for (const Norm norm : testing::kNorms) {
            AttackSettings settings = make_settings(norm, adversary);
            const auto best = attack(base.ensemble, base.X, base.y, base.radii, settings);
            settings.limits.stop = &stop;
            const auto stopped = attack(base.ensemble, base.X, base.y, base.radii, settings);
            settings.limits.stop = nullptr;
            settings.limits.max_seconds = 0.0;
            const auto late = attack(base.ensemble, base.X, base.y, base.radii, settings);
            for (std::size_t j = 0; j < 20; ++j) {
                EXPECT_EQ(stopped[j].status, Status::Interrupted);
                EXPECT_EQ(late[j].status, Status::TimeLimit);
                EXPECT_GE(stopped[j].bound, best[j].objective);
                if (adversary != Adversary::Heuristic) {
                    EXPECT_LE(stopped[j].objective, best[j].bound);
                }
                expect_recounted(base, static_cast<Index>(j), stopped[j], settings);
            }
        }
    }
}

TEST(Attack, NodeLimitIsPerPoint) {
    const testing::RandomAttack planes =
        testing::make_random_attack(testing::PlaneKind::Random, 25, 30, 2);
    const Matrix X = Matrix::Zero(20, 30);
    AttackSettings settings = make_settings(Norm::LInf, Adversary::Relaxed);
    settings.limits.max_nodes_per_point = 5;
    for (const Attack& result :
         attack(planes.ensemble, X, Vector::Ones(20), Vector::Ones(1), settings)) {
        EXPECT_EQ(result.status, Status::NodeLimit);
        EXPECT_EQ(result.n_nodes, 5);
        EXPECT_GT(result.bound, result.objective);
    }
}

TEST(AttackNames, RoundTrip) {
    for (const Adversary adversary : kAdversaries)
        EXPECT_EQ(parse_adversary(to_string(adversary)), adversary);
    for (const HeuristicRule rule : {HeuristicRule::Corrected, HeuristicRule::Published}) {
        EXPECT_EQ(parse_heuristic_rule(to_string(rule)), rule);
    }
}

template <typename Call>
std::string message_of(const Call& call) {
    try {
        call();
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "no error";
}

TEST(AttackNames, UnknownNames) {
    EXPECT_EQ(message_of([] { parse_adversary("fgsm"); }),
              "adversary: expected 'exact', 'relaxed' or 'heuristic', got 'fgsm'");
    EXPECT_EQ(message_of([] { parse_heuristic_rule("paper"); }),
              "rule: expected 'corrected' or 'published', got 'paper'");
}

/// Each test changes one thing in a call that works.
class AttackErrors : public ::testing::Test {
protected:
    std::string message() {
        return message_of(
            [this] { attack(base_.ensemble, base_.X, base_.y, base_.radii, settings_); });
    }

    Base base_ = make_base(3);
    AttackSettings settings_ = make_settings(Norm::L2, Adversary::Relaxed);
};

TEST_F(AttackErrors, NothingWrong) {
    EXPECT_EQ(message(), "no error");
}

TEST_F(AttackErrors, WrongFeatures) {
    base_.X = Matrix::Zero(3, 11);
    EXPECT_EQ(message(), "X: expected 12 features, got 11");
}

TEST_F(AttackErrors, NotANumberInX) {
    base_.X(1, 2) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(message().rfind("X", 0), 0U) << message();
}

TEST_F(AttackErrors, WrongNumberOfLabels) {
    base_.y = Vector::Ones(2);
    EXPECT_EQ(message(), "y: expected length 3, got length 2");
}

TEST_F(AttackErrors, LabelNotASign) {
    base_.y[1] = 0.0;
    EXPECT_EQ(message().rfind("y", 0), 0U) << message();
}

TEST_F(AttackErrors, WrongNumberOfRadii) {
    base_.radii = Vector::Ones(2);
    EXPECT_EQ(message(), "radii: expected length 3, got length 2");
}

TEST_F(AttackErrors, BadRadii) {
    for (const double bad : {-0.1, HUGE_VAL, std::numeric_limits<double>::quiet_NaN()}) {
        base_.radii[2] = bad;
        EXPECT_EQ(message().rfind("radii", 0), 0U) << message();
    }
}

TEST_F(AttackErrors, NegativeNodes) {
    settings_.limits.max_nodes_per_point = -1;
    EXPECT_EQ(message(), "max_nodes_per_point: expected an integer >= 0, got -1");
}

TEST_F(AttackErrors, NegativeSeconds) {
    settings_.limits.max_seconds = -1.0;
    EXPECT_EQ(message(), "max_seconds: expected a number >= 0, got -1");
}

TEST_F(AttackErrors, NegativeSecondsPerPoint) {
    settings_.limits.max_seconds_per_point = -1.0;
    EXPECT_EQ(message(), "max_seconds_per_point: expected a number >= 0, got -1");
}

TEST_F(AttackErrors, NegativeThreads) {
    settings_.n_threads = -2;
    EXPECT_EQ(message(), "n_threads: expected an integer >= 0, got -2");
}

TEST_F(AttackErrors, TooManyPlanesToEnumerate) {
    base_ = make_base(3, kMaxEnumeratedPlanes + 1);
    settings_.solver = Solver::Enumerate;
    EXPECT_EQ(message(), "solver: expected at most 16 planes to enumerate, got 17");
    settings_.adversary = Adversary::Heuristic;
    EXPECT_EQ(message(), "no error");
}

}  // namespace
}  // namespace redoubt
