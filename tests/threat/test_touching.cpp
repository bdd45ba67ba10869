/// Planes and boxes that do no more than touch, where rounding cannot tell and exact arithmetic
/// can.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "flip/exact_infeasibility.hpp"
#include "flip/flip.hpp"
#include "redoubt/certificate.hpp"
#include "reference/reference_problems.hpp"
#include "support/seeds.hpp"
#include "threat/random_models.hpp"

namespace redoubt::testing {
namespace {

class TouchingInNorm : public ::testing::TestWithParam<Norm> {};

Certificate certify_point(const Ensemble& ensemble, const AttackModel& model, const Vector& x) {
    CertifySettings settings;
    settings.attack_model = model;
    return certify(ensemble, x.transpose(), settings)[0];
}

double enumerated(const Ensemble& ensemble, const AttackModel& model, const Vector& x) {
    const int from = ensemble.predict(x);
    return reference_flip(Solver::Enumerate, ensemble, model, x, from, {}).lower;
}

AttackModel with_one_hot(Norm norm, double switch_cost) {
    AttackModel model;
    model.norm = norm;
    model.lower = Vector::Constant(5, -HUGE_VAL);
    model.upper = Vector::Constant(5, HUGE_VAL);
    OneHotGroup group;
    group.features = {0, 1, 2};
    group.switch_cost = switch_cost;
    model.one_hot.push_back(group);
    return model;
}

/// Only one integer may move down; a plane that only other numbers would fool left the bracket
/// open.
TEST(Touching, IntegerAndGroup) {
    AttackModel model = with_one_hot(Norm::LInf, 1.0);
    model.direction.assign(5, Direction::Both);
    model.direction[4] = Direction::Down;
    model.lower[3] = -4.0;
    model.upper[3] = 4.0;
    model.integers.push_back({4, 0.0, 1.0});
    Matrix W(5, 5);
    W << 0.24, 1.16, 2.06, 0.21, 0.09,    //
        1.0, 0.2, 0.17, -1.56, -1.76,     //
        -0.29, -0.13, -0.62, 0.1, 1.62,   //
        -0.11, -0.56, 0.49, -0.24, 1.59,  //
        -0.33, -0.84, -1.78, 0.87, 0.18;
    Vector b(5);
    b << -0.9, 0.2, -0.52, 0.48, 0.17;
    Vector x(5);
    x << 0.0, 1.0, 0.0, -0.899, -2.0;
    const Ensemble ensemble(W, b);
    const Certificate certificate = certify_point(ensemble, model, x);
    const double radius = enumerated(ensemble, model, x);
    EXPECT_EQ(certificate.status, Status::Optimal);
    EXPECT_NEAR(certificate.lower, radius, 1e-9);
    EXPECT_NEAR(certificate.upper, radius, 1e-9);
}

TEST(Touching, NoMoveDoesIt) {
    AttackModel model = with_one_hot(Norm::L2, 0.5);
    model.scale = Vector::Ones(5);
    model.scale[3] = 0.0;
    model.scale[4] = 0.5;
    model.lower[4] = -4.0;
    Matrix W(2, 5);
    W << 0.29, -0.27, -0.12, 0.82, 1.7, 0.88, -0.29, 1.53, 0.13, -0.64;
    Vector b(2);
    b << 0.84, 1.59;
    Vector x(5);
    x << 0.0, 0.0, 1.0, 0.061, -0.106;
    const Certificate certificate = certify_point(Ensemble(W, b), model, x);
    EXPECT_EQ(certificate.status, Status::Optimal);
    EXPECT_EQ(certificate.lower, HUGE_VAL);
    EXPECT_EQ(certificate.upper, HUGE_VAL);
}

/// Towards -1 a plane that is only touched does not count, whichever norm measures the way.
TEST_P(TouchingInNorm, EndOfRangeOnPlane) {
    AttackModel model;
    model.norm = GetParam();
    model.lower = Vector::Constant(2, 0.0);
    model.upper = Vector::Constant(2, 3.0);
    Matrix W(1, 2);
    W << 1.0, 1.0;
    const Vector x = Vector::Constant(2, 1.0);
    const Certificate touched = certify_point(Ensemble(W, Vector::Zero(1)), model, x);
    EXPECT_EQ(touched.status, Status::Optimal);
    EXPECT_EQ(touched.lower, HUGE_VAL);
    // Towards +1 it does.
    const Certificate other = certify_point(Ensemble(-W, Vector::Zero(1)), model, x);
    EXPECT_EQ(other.status, Status::Optimal);
    const double radius = norm_value(GetParam(), x);
    EXPECT_NEAR(other.lower, radius, 1e-12);
    EXPECT_NEAR(other.upper, radius, 1e-12);
}

/// Two planes that the box keeps apart, though either can be fooled: x_1 + x_2 < 2 and
/// x_1 - x_2 > 0 with x_2 >= 1.
TEST_P(TouchingInNorm, PlanesThatTouchAtAnEnd) {
    AttackModel model;
    model.norm = GetParam();
    model.direction = {Direction::Both, Direction::Up};
    Matrix W(2, 2);
    W << 1.0, 1.0, -1.0, 1.0;
    Vector b(2);
    b << -2.0, 0.0;
    Vector x(2);
    x << 1.5, 1.0;
    const Ensemble ensemble(W, b);
    ASSERT_EQ(ensemble.predict(x), 1);
    const Certificate certificate = certify_point(ensemble, model, x);
    EXPECT_EQ(certificate.status, Status::Optimal);
    EXPECT_EQ(certificate.lower, HUGE_VAL);
}

/// Planes, points and ends on a grid touch all the time. A bracket stays open where a touching
/// point is no double, as good as never.
TEST_P(TouchingInNorm, GridsAreDecided) {
    int n_open = 0;
    int n_finite = 0;
    for (unsigned rules = 1; rules < kAllRules; ++rules) {
        for (std::uint64_t seed = 3; seed < 4 * n_seeds(16); seed += 4) {
            ASSERT_TRUE(is_on_grid(seed));
            SCOPED_TRACE(rules_text(rules) + " seed " + std::to_string(seed));
            const ModelProblem problem = make_model_problem(GetParam(), rules, seed);
            const Certificate certificate =
                certify_point(problem.ensemble, problem.model, problem.x);
            const double radius = enumerated(problem.ensemble, problem.model, problem.x);
            const double room = 1e-9 * (1.0 + (std::isfinite(radius) ? radius : 0.0));
            EXPECT_LE(certificate.lower, radius + room);
            const double width = certificate.upper - certificate.lower;
            const bool is_closed = std::isinf(certificate.lower) || width <= room;
            n_open += certificate.status != Status::Optimal || !is_closed ? 1 : 0;
            n_finite += std::isfinite(certificate.upper) ? 1 : 0;
        }
    }
    EXPECT_LE(n_open, 4);
    EXPECT_GT(n_finite, least_found(300));
}

/// Ties on which a node's simplex method gives up half way to a vertex, where it has more planes
/// than multipliers.
TEST_P(TouchingInNorm, SolvesThatAreGivenUpDoNoHarm) {
    for (unsigned rules = 1; rules < kAllRules; ++rules) {
        for (std::uint64_t seed : {279, 283, 435, 455, 459}) {
            SCOPED_TRACE(rules_text(rules) + " seed " + std::to_string(seed));
            const ModelProblem problem = make_model_problem(GetParam(), rules, seed);
            const Certificate certificate =
                certify_point(problem.ensemble, problem.model, problem.x);
            const double radius = enumerated(problem.ensemble, problem.model, problem.x);
            EXPECT_LE(certificate.lower, certificate.upper);
            EXPECT_LE(certificate.lower, radius * (1.0 + 1e-9) + 1e-9);
            if (certificate.witness.size() == 0) continue;
            EXPECT_NE(problem.ensemble.predict(problem.x + certificate.witness),
                      problem.ensemble.predict(problem.x));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Norms, TouchingInNorm, ::testing::ValuesIn(kAllNorms),
                         [](const auto& norm) { return std::string(to_string(norm.param)); });

/// Whatever the multipliers, what is refuted is fooled nowhere: not in a corner, not between.
TEST(ExactInfeasibility, IsNeverWrong) {
    int n_refuted = 0;
    int n_left = 0;
    for (unsigned rules = 0; rules < kAllRules; ++rules) {
        for (std::uint64_t seed = 3; seed < 40; seed += 4) {
            SCOPED_TRACE(rules_text(rules) + " seed " + std::to_string(seed));
            const ModelProblem problem = make_model_problem(Norm::LInf, rules, seed);
            const MoveSpace space(problem.model, problem.x.size());
            const PlaneSet planes(problem.ensemble, space);
            PointMoves moves(space);
            moves.load(problem.x);
            ExactInfeasibility proof(problem.ensemble, planes, moves);
            Random random(seed, rules);
            for (int trial = 0; trial < 8; ++trial) {
                const int from = trial % 2 == 0 ? 1 : -1;
                Vector low = problem.x;
                Vector high = problem.x;
                for (Index l = 0; l < low.size(); ++l) {
                    low[l] -= static_cast<double>(random.below(3));
                    high[l] += static_cast<double>(random.below(3));
                }
                const bool is_open = !space.groups.empty() && random.below(2) == 0;
                proof.load(from, low, high,
                           is_open ? std::vector<std::size_t>{0} : std::vector<std::size_t>{});
                std::vector<int> asked;
                std::vector<double> lambda;
                for (int i = 0; i < static_cast<int>(planes.n_planes()); ++i) {
                    if (random.below(2) == 0) continue;
                    asked.push_back(i);
                    lambda.push_back(static_cast<double>(1 + random.below(3)) / planes.scale(i));
                }
                if (asked.empty() || !proof.holds(asked, lambda)) {
                    ++n_left;
                    continue;
                }
                ++n_refuted;
                for (int point = 0; point < 60; ++point) {
                    Vector moved = problem.x;
                    for (Index l = 0; l < moved.size(); ++l) {
                        const double share = 0.5 * static_cast<double>(random.below(3));
                        moved[l] = low[l] + share * (high[l] - low[l]);
                    }
                    if (is_open) {
                        const auto n_members = static_cast<Index>(moves.group(0).features.size());
                        const auto member = static_cast<std::size_t>(random.below(n_members));
                        moves.apply_switch(0, member, moved);
                    }
                    const std::vector<int> fooled = fooled_planes(problem.ensemble, moved, from);
                    const bool are_all = std::all_of(asked.begin(), asked.end(), [&](int i) {
                        return std::find(fooled.begin(), fooled.end(), planes.index(i)) !=
                               fooled.end();
                    });
                    EXPECT_FALSE(are_all);
                }
            }
        }
    }
    EXPECT_GT(n_refuted, 300);
    EXPECT_GT(n_left, 300);
}

/// Multipliers of which rounding left only seven digits are the fractions that they stand for.
TEST(ExactInfeasibility, FindsTheFractions) {
    // 1/2 of the first plane, 1 of the second and the third add up to 0 < 0.
    Matrix W(3, 2);
    W << 3.0, 0.0, 0.0, 2.0, -1.5, -2.0;
    Vector b(3);
    b << -3.0, -2.0, 3.5;
    const Ensemble ensemble(W, b);
    AttackModel model;
    model.direction = {Direction::Both, Direction::Both};
    const MoveSpace space(model, 2);
    const PlaneSet planes(ensemble, space);
    PointMoves moves(space);
    moves.load(Vector::Zero(2));
    ExactInfeasibility proof(ensemble, planes, moves);
    const Vector endless = Vector::Constant(2, HUGE_VAL);
    proof.load(1, -endless, endless, {});
    const auto scaled = [&](double first, double second, double third) {
        return std::vector<double>{first / planes.scale(0), second / planes.scale(1),
                                   third / planes.scale(2)};
    };
    EXPECT_TRUE(proof.holds({0, 1, 2}, scaled(0.5, 1.0, 1.0)));
    EXPECT_TRUE(proof.holds({0, 1, 2}, scaled(0.50000001, 1.00000002, 1.0)));
    EXPECT_FALSE(proof.holds({0, 1, 2}, scaled(0.6, 1.0, 1.0)));
    EXPECT_FALSE(proof.holds({0, 1}, {1.0, 1.0}));
}

}  // namespace
}  // namespace redoubt::testing
