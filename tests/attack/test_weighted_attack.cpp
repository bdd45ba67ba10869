/// The relaxed and heuristic adversaries on weighted votes, and what `attack` says of them.

#include <gtest/gtest.h>

#include <cmath>

#include "attack/adversary.hpp"
#include "random_attacks.hpp"
#include "redoubt/attack.hpp"
#include "support/balls.hpp"
#include "support/random_votes.hpp"

namespace redoubt::testing {
namespace {

class WeightedAttack : public ::testing::TestWithParam<Norm> {};

struct WeightedProblem {
    RandomAttack plain;
    Ensemble ensemble;

    PointProblem point(Norm norm) const {
        return {ensemble, testing::ball(norm), plain.x, plain.y, plain.radius};
    }
};

WeightedProblem make_problem(PlaneKind kind, Index k, Index n, std::uint64_t seed) {
    RandomAttack plain = make_random_attack(kind, k, n, seed);
    Ensemble ensemble(plain.ensemble.coef(), plain.ensemble.intercept(),
                      make_random_weights(k, seed));
    return {std::move(plain), std::move(ensemble)};
}

/// max over v of r ||A'v||_q + c'v with the rows and c times their weights.
double brute_force(const PointProblem& point) {
    const Index k = point.ensemble.n_planes();
    double best = 0.0;
    for (unsigned mask = 0; mask < (1U << k); ++mask) {
        Vector g = Vector::Zero(point.x.size());
        double sum = 0.0;
        for (Index i = 0; i < k; ++i) {
            if ((mask >> i & 1U) == 0) continue;
            const Vector w = point.ensemble.coef().row(i).transpose();
            const double alpha = point.ensemble.weights()[i];
            g -= point.y * alpha * w;
            sum += alpha * (1.0 - point.y * (w.dot(point.x) + point.ensemble.intercept()[i]));
        }
        best = std::max(best, sum + point.radius * norm_value(dual(point.threat.norm), g));
    }
    return best;
}

TEST_P(WeightedAttack, RelaxedMaximisesTheWeightedHinges) {
    for (PlaneKind kind : {PlaneKind::Random, PlaneKind::Bagged, PlaneKind::Whole,
                           PlaneKind::Repeated, PlaneKind::OnMargin}) {
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            SCOPED_TRACE(::testing::Message()
                         << "kind " << static_cast<int>(kind) << " seed " << seed);
            const WeightedProblem problem =
                make_problem(kind, static_cast<Index>(1 + seed % 9),
                             static_cast<Index>(1 + (seed * 5) % 17), seed);
            const PointProblem point = problem.point(GetParam());
            const double best = brute_force(point);
            const double room = 1e-9 * (1.0 + term_scale(point)) * problem.ensemble.weights().sum();
            for (const AdversaryAnswer& answer :
                 {relaxed_adversary(point, PointLimits{}),
                  reference_adversary(Solver::Enumerate, Adversary::Relaxed, point,
                                      PointLimits{})}) {
                EXPECT_EQ(answer.status, Status::Optimal);
                EXPECT_NEAR(answer.objective, best, room);
                EXPECT_NEAR(answer.bound, best, room);
                double sum = 0.0;
                for (Index i = 0; i < problem.ensemble.n_planes(); ++i) {
                    const double value = problem.ensemble.coef().row(i).dot(point.x + answer.d) +
                                         problem.ensemble.intercept()[i];
                    sum += problem.ensemble.weights()[i] * std::max(0.0, 1.0 - point.y * value);
                }
                EXPECT_NEAR(sum, best, room);
            }
        }
    }
}

TEST_P(WeightedAttack, HeuristicWeighsItsDirection) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const WeightedProblem problem = make_problem(PlaneKind::Random, 6, 4, seed);
        const PointProblem point = problem.point(GetParam());
        Vector g = Vector::Zero(4);
        for (Index i = 0; i < 6; ++i) {
            const Vector w = problem.ensemble.coef().row(i).transpose();
            const double margin = point.y * (w.dot(point.x) + problem.ensemble.intercept()[i]);
            g -= point.y * problem.ensemble.weights()[i] * std::max(0.0, 1.0 + margin) * w;
        }
        const Vector d = heuristic_adversary(point, HeuristicRule::Corrected).d;
        EXPECT_LE(norm_value(GetParam(), d), point.radius);
        EXPECT_NEAR(g.dot(d), point.radius * norm_value(dual(GetParam()), g),
                    1e-9 * (1.0 + g.norm() * point.radius));
    }
}

// A model with a far range is the ball itself, by other code.
TEST_P(WeightedAttack, ModelsAndBallsAgree) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        const WeightedProblem problem = make_problem(PlaneKind::Random, 6, 3, seed);
        AttackSettings settings;
        settings.attack_model.norm = GetParam();
        AttackSettings with_model = settings;
        with_model.attack_model = AttackModel{};
        with_model.attack_model.norm = GetParam();
        with_model.attack_model.lower = Vector::Constant(3, -1e3);
        with_model.attack_model.upper = Vector::Constant(3, 1e3);
        for (Adversary adversary : {Adversary::Exact, Adversary::Relaxed, Adversary::Heuristic}) {
            settings.adversary = with_model.adversary = adversary;
            const auto run = [&](const AttackSettings& one) {
                return attack(problem.ensemble, problem.plain.x.transpose(),
                              Vector::Constant(1, problem.plain.y),
                              Vector::Constant(1, problem.plain.radius), one)[0];
            };
            const Attack ball = run(settings);
            const Attack model = run(with_model);
            const double total = problem.ensemble.weights().sum();
            EXPECT_NEAR(ball.objective, model.objective,
                        1e-9 * total * (1.0 + term_scale(problem.point(GetParam()))));
            EXPECT_EQ(ball.success,
                      problem.ensemble.predict(problem.plain.x + ball.d) != problem.plain.y);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Norms, WeightedAttack, ::testing::Values(Norm::L1, Norm::L2, Norm::LInf),
                         [](const auto& instance) {
                             return std::string(to_string(instance.param));
                         });

TEST(WeightedAttackCall, CountsWeightsNotPlanes) {
    const Ensemble ensemble(Matrix::Identity(3, 3), Vector::Zero(3), Vector{{4.0, 1.0, 2.0}});
    const Matrix X = Matrix::Ones(1, 3);
    AttackSettings settings;
    settings.attack_model.norm = Norm::L1;
    // Only one feature can be moved across 0: the one that weighs most.
    const Attack one = attack(ensemble, X, Vector::Ones(1), Vector::Constant(1, 1.5), settings)[0];
    EXPECT_EQ(one.objective, 4.0);
    EXPECT_EQ(one.bound, 4.0);
    EXPECT_EQ(one.fooled, std::vector<int>{0});
    EXPECT_TRUE(one.success);
    const Attack none = attack(ensemble, X, Vector::Ones(1), Vector::Constant(1, 0.5), settings)[0];
    EXPECT_EQ(none.objective, 0.0);
    EXPECT_FALSE(none.success);
}

TEST(WeightedAttackCall, BoundHoldsWithoutTime) {
    const Ensemble ensemble(Matrix::Identity(3, 3), Vector::Zero(3), Vector{{4.0, 1.0, 2.0}});
    AttackSettings settings;
    settings.limits.max_seconds = 0.0;
    for (Adversary adversary : {Adversary::Exact, Adversary::Relaxed}) {
        settings.adversary = adversary;
        const Attack attacked = attack(ensemble, Matrix::Ones(1, 3), Vector::Ones(1),
                                       Vector::Constant(1, 9.0), settings)[0];
        EXPECT_EQ(attacked.status, Status::TimeLimit);
        EXPECT_GE(attacked.bound, 7.0);
    }
}

}  // namespace
}  // namespace redoubt::testing
