/// Certificates under attack models against enumeration and HiGHS, and their own promises.

#include <gtest/gtest.h>

#include <cmath>

#include "flip/flip.hpp"
#include "redoubt/certificate.hpp"
#include "reference/reference_problems.hpp"
#include "support/random_votes.hpp"
#include "support/seeds.hpp"
#include "threat/random_models.hpp"

namespace redoubt::testing {
namespace {

constexpr double kTolerance = 1e-6;

class EveryNorm : public ::testing::TestWithParam<Norm> {};

Certificate certify_point(const ModelProblem& problem, int y) {
    CertifySettings settings;
    settings.attack_model = problem.model;
    return certify(problem.ensemble, problem.x.transpose(), Vector::Constant(1, y), settings)[0];
}

Flip flip_by(Solver solver, const ModelProblem& problem) {
    return reference_flip(solver, problem.ensemble, problem.model, problem.x,
                          problem.ensemble.predict(problem.x), {});
}

/// What every certificate promises, whatever the answer.
void expect_sound(const ModelProblem& problem, const Certificate& certificate) {
    EXPECT_LE(certificate.lower, certificate.upper);
    EXPECT_GE(certificate.lower, 0.0);
    if (certificate.witness.size() == 0) return;
    const Vector moved = problem.x + certificate.witness;
    EXPECT_NE(problem.ensemble.predict(moved), problem.ensemble.predict(problem.x));
    EXPECT_TRUE(problem.model.allows(problem.x, moved));
    const double size = problem.model.move_size(problem.x, moved - problem.x);
    EXPECT_LE(size, certificate.upper);
    EXPECT_NEAR(size, certificate.upper, 1e-12 * (1.0 + size));
    for (Index l = 0; l < problem.x.size(); ++l) {
        if (problem.model.scale_of(l) == 0.0) {
            EXPECT_EQ(moved[l], problem.x[l]);
        }
    }
}

void expect_equal(double radius, const Certificate& certificate, double tolerance) {
    EXPECT_EQ(certificate.status, Status::Optimal);
    if (std::isinf(radius)) {
        EXPECT_TRUE(std::isinf(certificate.radius)) << certificate.radius;
        EXPECT_GT(certificate.lower, 1e5);
        return;
    }
    const double room = tolerance * (1.0 + radius);
    EXPECT_NEAR(certificate.radius, radius, room);
    EXPECT_NEAR(certificate.lower, radius, room);
    EXPECT_NEAR(certificate.upper, radius, room);
}

/// On a grid, where ends and planes touch, a bracket may stay open, but it is true. What is merely
/// far away the enumeration takes for impossible.
void expect_bracketed(double radius, const Certificate& certificate) {
    const double room = 1e-9 * (1.0 + (std::isfinite(radius) ? radius : 0.0));
    EXPECT_LE(certificate.lower, radius + room);
    EXPECT_GE(std::max(certificate.upper, certificate.upper > 1e6 ? HUGE_VAL : 0.0), radius - room);
    if (certificate.status == Status::Optimal && certificate.lower < 1e6) {
        EXPECT_NEAR(std::min(certificate.radius, 1e6), std::min(radius, 1e6), room);
    }
}

TEST_P(EveryNorm, AgreesWithEnumeration) {
    int n_finite = 0;
    for (unsigned rules = 0; rules < kAllRules; ++rules) {
        for (std::uint64_t seed = 0; seed < n_seeds(16); ++seed) {
            SCOPED_TRACE(rules_text(rules) + " seed " + std::to_string(seed));
            const ModelProblem problem = make_model_problem(GetParam(), rules, seed);
            const Flip answer = flip_by(Solver::Enumerate, problem);
            const int from = problem.ensemble.predict(problem.x);
            const Certificate certificate = certify_point(problem, from);
            expect_sound(problem, certificate);
            if (is_on_grid(seed)) {
                expect_bracketed(answer.lower, certificate);
            } else {
                expect_equal(answer.lower, certificate, 1e-9);
            }
            n_finite += std::isfinite(answer.lower) ? 1 : 0;
            // The wrong label turns the sign.
            const Certificate wrong = certify_point(problem, -from);
            EXPECT_EQ(wrong.radius, -certificate.radius);
            EXPECT_EQ(wrong.lower, -certificate.upper);
            EXPECT_EQ(wrong.upper, -certificate.lower);
        }
    }
    EXPECT_GT(n_finite, least_found(300));
}

TEST_P(EveryNorm, WeightedVotesAgreeWithEnumeration) {
    int n_finite = 0;
    for (unsigned rules = 0; rules < kAllRules; ++rules) {
        for (std::uint64_t seed = 200; seed < 200 + n_seeds(8); ++seed) {
            SCOPED_TRACE(rules_text(rules) + " seed " + std::to_string(seed));
            const ModelProblem plain = make_model_problem(GetParam(), rules, seed);
            const Ensemble& planes = plain.ensemble;
            const ModelProblem problem{Ensemble(planes.coef(), planes.intercept(),
                                                make_random_weights(planes.n_planes(), seed)),
                                       plain.x, plain.model};
            const Flip answer = flip_by(Solver::Enumerate, problem);
            const Certificate certificate =
                certify_point(problem, problem.ensemble.predict(problem.x));
            expect_sound(problem, certificate);
            if (is_on_grid(seed)) {
                expect_bracketed(answer.lower, certificate);
            } else {
                expect_equal(answer.lower, certificate, 1e-9);
            }
            n_finite += std::isfinite(answer.lower) ? 1 : 0;
        }
    }
    EXPECT_GT(n_finite, least_found(150));
}

TEST_P(EveryNorm, AgreesWithHighs) {
    if (!have_highs()) GTEST_SKIP();
    int n_failed = 0;
    // For l2 HiGHS solves one program per tangent plane.
    const std::uint64_t end = 100 + n_seeds(GetParam() == Norm::L2 ? 1 : 16);
    for (unsigned rules = 0; rules < kAllRules; ++rules) {
        for (std::uint64_t seed = 100; seed < end; ++seed) {
            if (is_on_grid(seed)) continue;
            SCOPED_TRACE(rules_text(rules) + " seed " + std::to_string(seed));
            const ModelProblem problem = make_model_problem(GetParam(), rules, seed);
            const int from = problem.ensemble.predict(problem.x);
            const Certificate certificate = certify_point(problem, from);
            const double radius = certificate.radius;
            const Flip answer = flip_by(Solver::Mip, problem);
            // HiGHS gives up on a program now and then.
            if (answer.status == Status::NumericalFailure && ++n_failed <= 2) continue;
            EXPECT_EQ(answer.status, Status::Optimal);
            if (std::isinf(radius) || std::isinf(answer.lower)) {
                EXPECT_TRUE(std::isinf(answer.lower) && radius > 1e3) << answer.lower << radius;
                continue;
            }
            EXPECT_NEAR(answer.lower, radius, kTolerance * (1.0 + radius));
            EXPECT_NEAR(answer.upper, radius, kTolerance * (1.0 + radius));
        }
    }
}

/// However few nodes there are, the bracket is true.
TEST_P(EveryNorm, BracketsAreTrueAtEveryLimit) {
    int n_limited = 0;
    for (unsigned rules = 0; rules < kAllRules; rules += 5) {
        for (std::uint64_t seed = 200; seed < 206; ++seed) {
            SCOPED_TRACE(rules_text(rules) + " seed " + std::to_string(seed));
            const ModelProblem problem = make_model_problem(GetParam(), rules, seed);
            const Flip answer = flip_by(Solver::Enumerate, problem);
            for (std::int64_t max_nodes = 0; max_nodes < 8; ++max_nodes) {
                CertifySettings settings;
                settings.attack_model = problem.model;
                settings.limits.max_nodes_per_point = max_nodes;
                const Certificate certificate =
                    certify(problem.ensemble, problem.x.transpose(), settings)[0];
                expect_sound(problem, certificate);
                expect_bracketed(answer.lower, certificate);
                n_limited += certificate.status == Status::NodeLimit ? 1 : 0;
                EXPECT_LE(certificate.n_nodes, max_nodes + 1);
            }
        }
    }
    EXPECT_GT(n_limited, 50);
}

/// The reference solvers can be asked for by name.
TEST_P(EveryNorm, SolversAgree) {
    if (!have_highs()) GTEST_SKIP();
    for (unsigned rules = 1; rules < kAllRules; rules += 11) {
        SCOPED_TRACE(rules_text(rules));
        const ModelProblem problem = make_model_problem(GetParam(), rules, 300);
        CertifySettings settings;
        settings.attack_model = problem.model;
        const double radius = certify(problem.ensemble, problem.x.transpose(), settings)[0].radius;
        for (Solver solver : {Solver::Mip, Solver::Enumerate}) {
            settings.solver = solver;
            const double other =
                certify(problem.ensemble, problem.x.transpose(), settings)[0].radius;
            if (std::isinf(radius)) {
                EXPECT_TRUE(std::isinf(other));
            } else {
                EXPECT_NEAR(other, radius, kTolerance * (1.0 + radius));
            }
        }
    }
}

/// Three groups of `n_members`, of which the first one is on, and a number. All but the last two
/// members of a group are beaten by these for both planes.
ModelProblem make_wide_problem(Norm norm, int n_members) {
    constexpr int kGroups = 3;
    const Index n = kGroups * n_members + 1;
    Matrix coef = Matrix::Zero(2, n);
    ModelProblem problem{Ensemble(coef, Vector::Zero(2)), Vector::Zero(n), AttackModel::ball(norm)};
    for (int g = 0; g < kGroups; ++g) {
        OneHotGroup group{.switch_cost = 1.0 + 0.25 * g};
        for (int m = 0; m < n_members; ++m) {
            const int l = g * n_members + m;
            const int left = n_members - 1 - m;  // the members after it
            coef(0, l) = left == 0 ? -1.5 : left == 1 ? -0.75 : 1.0 / (m + 1.0);
            coef(1, l) = left == 0 ? -0.5 : left == 1 ? -1.25 : 1.0 / (m + 1.0);
            group.features.push_back(l);
        }
        problem.x[g * n_members] = 1.0;
        problem.model.one_hot.push_back(std::move(group));
    }
    coef.col(n - 1).setConstant(0.5);
    problem.ensemble = Ensemble(coef, Vector::Constant(2, 1.0));
    return problem;
}

TEST_P(EveryNorm, MembersThatOthersBeatAreNotTried) {
    const Certificate few = certify_point(make_wide_problem(GetParam(), 3), 1);
    const ModelProblem problem = make_wide_problem(GetParam(), 60);
    const Certificate many = certify_point(problem, 1);
    expect_sound(problem, many);
    expect_equal(few.radius, many, 1e-12);
    EXPECT_EQ(many.n_nodes, few.n_nodes);
}

INSTANTIATE_TEST_SUITE_P(Norms, EveryNorm, ::testing::ValuesIn(kAllNorms),
                         [](const auto& norm) { return std::string(to_string(norm.param)); });

}  // namespace
}  // namespace redoubt::testing
