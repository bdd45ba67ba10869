/// The small linear programs and the least step for a set of planes, against other ways to the
/// same.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "reference/highs_solver.hpp"
#include "reference/plane_system.hpp"
#include "reference/reference_problems.hpp"
#include "reference/small_programs.hpp"
#include "reference/threat_program.hpp"
#include "support/random_votes.hpp"
#include "support/seeds.hpp"

namespace redoubt::testing {
namespace {

using reference::LeastStep;
using reference::PlaneSystem;
using reference::Real;
using reference::RealMatrix;
using reference::RealVector;
using reference::SmallLp;
using reference::SmallLpAnswer;

SmallLp hand_program() {
    // max 3x + 2y s.t. x + y <= 4, x + 3y <= 6, x <= 3: the corner (3, 1).
    SmallLp lp;
    lp.A.resize(2, 2);
    lp.A << 1, 1, 1, 3;
    lp.b.resize(2);
    lp.b << 4, 6;
    lp.c.resize(2);
    lp.c << 3, 2;
    lp.upper.resize(2);
    lp.upper << 3, reference::kInfinity;
    return lp;
}

TEST(SmallSimplex, SolvesByHand) {
    const SmallLpAnswer answer = solve_small_lp(hand_program());
    ASSERT_TRUE(answer.solved);
    EXPECT_EQ(answer.value, 11);
    EXPECT_EQ(answer.x[0], 3);
    EXPECT_EQ(answer.x[1], 1);
}

TEST(SmallSimplex, SeesAnUnboundedProgram) {
    SmallLp lp = hand_program();
    lp.A << 1, -1, 1, -3;
    EXPECT_FALSE(solve_small_lp(lp).solved);
}

TEST(SmallSimplex, DoesNotCycle) {
    // The classical example of cycling under the rule of the largest coefficient.
    SmallLp lp;
    lp.A.resize(3, 4);
    lp.A << 0.5L, -5.5L, -2.5L, 9, 0.5L, -1.5L, -0.5L, 1, 1, 0, 0, 0;
    lp.b = RealVector::Unit(3, 2);
    lp.c.resize(4);
    lp.c << 10, -57, -9, -24;
    lp.upper = RealVector::Constant(4, reference::kInfinity);
    const SmallLpAnswer answer = solve_small_lp(lp);
    ASSERT_TRUE(answer.solved);
    EXPECT_NEAR(static_cast<double>(answer.value), 1.0, 1e-15);
}

TEST(SmallSimplex, AgreesWithHighs) {
    if (!have_highs()) GTEST_SKIP();
    std::mt19937_64 random(7);
    std::uniform_int_distribution<int> digit(-3, 3);
    for (int trial = 0; trial < 100; ++trial) {
        const Index n = 1 + static_cast<Index>(random() % 6);
        const Index k = 1 + static_cast<Index>(random() % 6);
        SmallLp lp{RealMatrix(k, n), RealVector(k), RealVector(n), RealVector(n)};
        reference::Program program(reference::Sense::Maximize);
        for (Index j = 0; j < n; ++j) {
            lp.c[j] = digit(random);
            lp.upper[j] = std::abs(digit(random));
            program.add_column({"x" + std::to_string(j), 0.0, static_cast<double>(lp.upper[j]),
                                static_cast<double>(lp.c[j]), false});
        }
        for (Index i = 0; i < k; ++i) {
            std::vector<reference::Term> terms;
            for (Index j = 0; j < n; ++j) {
                lp.A(i, j) = digit(random);
                terms.push_back({static_cast<int>(j), static_cast<double>(lp.A(i, j))});
            }
            lp.b[i] = std::abs(digit(random));
            program.add_row({"r" + std::to_string(i), -HUGE_VAL, static_cast<double>(lp.b[i])},
                            terms);
        }
        const SmallLpAnswer answer = solve_small_lp(lp);
        const reference::ProgramSolution highs = reference::solve(program, {});
        ASSERT_TRUE(answer.solved) << trial;
        ASSERT_EQ(highs.status, Status::Optimal) << trial;
        EXPECT_NEAR(static_cast<double>(answer.value), highs.objective, 1e-9) << trial;
        EXPECT_GE(((lp.b - lp.A * answer.x).minCoeff()), -1e-15L) << trial;
        EXPECT_GE(answer.x.minCoeff(), -1e-15L) << trial;
        EXPECT_GE((lp.upper - answer.x).minCoeff(), -1e-15L) << trial;
    }
}

/// Those that a step moves.
std::vector<int> moving_rows(const PlaneSystem& system) {
    std::vector<int> rows;
    for (int i = 0; i < system.n_planes(); ++i) {
        if (system.size[i] > 0) rows.push_back(i);
    }
    return rows;
}

/// Least ||u||_2 by trying every set of active rows: the shortest feasible solution of the normal
/// equations among those that are feasible is the answer.
Real least_l2_by_active_sets(const RealMatrix& all, const RealVector& m) {
    Real best = m.maxCoeff() <= 0 ? 0 : reference::kInfinity;
    for (unsigned mask = 1; mask < (1U << m.size()); ++mask) {
        std::vector<Index> set;
        for (Index i = 0; i < m.size(); ++i) {
            if ((mask >> i & 1U) != 0) set.push_back(i);
        }
        const RealMatrix a = all(set, Eigen::all);
        const Eigen::FullPivLU<RealMatrix> lu(a * a.transpose());
        if (lu.rank() < a.rows()) continue;
        const RealVector u = a.transpose() * lu.solve(m(set));
        if (((all * u - m).array() < -1e-13L * (1 + u.norm())).any()) continue;
        best = std::min(best, u.norm());
    }
    return best;
}

TEST(LeastStep, L2AgreesWithEveryActiveSet) {
    int n_finite = 0;
    for (PlaneKind kind : {PlaneKind::Gaussian, PlaneKind::Dependent, PlaneKind::Grid}) {
        for (std::uint64_t seed = 1; seed <= 150; ++seed) {
            const ReferenceProblem problem = make_reference_problem(kind, seed);
            const AttackModel threat = ball(Norm::L2);
            const PlaneSystem system(problem.ensemble, threat, problem.x, -1);
            const std::vector<int> rows = moving_rows(system);
            if (rows.empty()) continue;
            const Real wanted = least_l2_by_active_sets(system.a(rows, Eigen::all), system.m(rows));
            const std::optional<LeastStep> step = system.least_step(rows, 0);
            ASSERT_EQ(step.has_value(), wanted < reference::kInfinity)
                << to_string(kind) << " " << seed;
            if (!step) continue;
            ++n_finite;
            EXPECT_NEAR(static_cast<double>(step->length / (1 + wanted)),
                        static_cast<double>(wanted / (1 + wanted)), 1e-13)
                << to_string(kind) << " " << seed;
        }
    }
    EXPECT_GT(n_finite, 100);
}

/// Ranges are rows like any other to the active sets, and all at once.
TEST(LeastStep, L2WithinRangesAgreesWithEveryActiveSet) {
    int n_bounded = 0;
    for (std::uint64_t seed = 1; seed <= n_seeds(150); ++seed) {
        const ReferenceProblem problem = make_reference_problem(PlaneKind::Gaussian, seed);
        const Index n = problem.x.size();
        AttackModel threat = ball(Norm::L2);
        threat.lower = problem.x.array() - 0.5;
        threat.upper = problem.x.array() + 0.75;
        threat.lower[0] = -HUGE_VAL;
        const PlaneSystem system(problem.ensemble, threat, problem.x, -1);
        const Index k = std::min<Index>(3, system.n_planes());
        RealMatrix a = RealMatrix::Zero(k + 2 * n - 1, n);
        RealVector m = RealVector::Zero(k + 2 * n - 1);
        a.topRows(k) = system.a.topRows(k);
        m.head(k) = system.m.head(k);
        for (Index l = 0; l < n; ++l) {
            a(k + l, l) = -1;
            m[k + l] = -0.75L;
            if (l == 0) continue;
            a(k + n + l - 1, l) = 1;
            m[k + n + l - 1] = -0.5L;
        }
        std::vector<int> rows(static_cast<std::size_t>(k));
        std::iota(rows.begin(), rows.end(), 0);
        const Real wanted = least_l2_by_active_sets(a, m);
        const std::optional<LeastStep> step = system.least_step(rows, 0);
        ASSERT_EQ(step.has_value(), wanted < reference::kInfinity) << seed;
        if (!step) continue;
        EXPECT_NEAR(static_cast<double>(step->length), static_cast<double>(wanted), 1e-13) << seed;
        const AttackModel free = ball(Norm::L2);
        const PlaneSystem unbounded(problem.ensemble, free, problem.x, -1);
        n_bounded += unbounded.least_step(rows, 0)->length < wanted - 1e-9L ? 1 : 0;
    }
    EXPECT_GT(n_bounded, least_found(20));
}

TEST(LeastStep, L1AndLInfAgreeWithHighs) {
    if (!have_highs()) GTEST_SKIP();
    int n_finite = 0;
    for (PlaneKind kind : {PlaneKind::Gaussian, PlaneKind::Dependent, PlaneKind::Grid}) {
        for (std::uint64_t seed = 1; seed <= n_seeds(60); ++seed) {
            const ReferenceProblem problem = make_reference_problem(kind, seed);
            for (Norm norm : {Norm::L1, Norm::LInf}) {
                const AttackModel threat = ball(norm);
                const PlaneSystem system(problem.ensemble, threat, problem.x, -1);
                const std::vector<int> rows = moving_rows(system);
                if (rows.empty()) continue;
                const std::optional<LeastStep> step = system.least_step(rows, 0);
                std::int64_t need = 0;
                for (int i = 0; i < system.n_planes(); ++i)
                    need += system.size[i] > 0 || system.met[i] ? 1 : 0;
                const auto program = reference::ThreatProgram::least_move(system, 1e3, need);
                const reference::ProgramSolution highs = reference::solve(program.program(), {});
                ASSERT_EQ(highs.status, Status::Optimal);
                ASSERT_EQ(step.has_value(), !highs.infeasible) << to_string(kind) << " " << seed;
                if (!step) continue;
                ++n_finite;
                const double length = static_cast<double>(step->length);
                EXPECT_NEAR(length, 1e3 * highs.objective, 1e-5 * (1.0 + length))
                    << to_string(kind) << " " << seed;
                for (int i : rows) {
                    const Real gain = system.a.row(i).dot(step->u);
                    EXPECT_GE(gain - system.m[i], -1e-14L * (1 + length));
                }
                EXPECT_NEAR(norm_value(norm, system.to_move(step->u)), length,
                            1e-13 * (1 + length));
            }
        }
    }
    EXPECT_GT(n_finite, least_found(100));
}

/// The planes d_1 > m and -d_1 > -m + gap: no room, a plane, or a slab, as gap is > 0, 0, < 0.
std::optional<LeastStep> opposite_step(Norm norm, int label, double gap) {
    Matrix w(2, 3);
    w << 1, 0, 0, -1, 0, 0;
    w *= -label;
    // m_i = label b_i at x = 0.
    const Vector b{{label * 1.0, label * (-1.0 + gap)}};
    const Ensemble ensemble(w, b);
    const AttackModel threat = ball(norm);
    return PlaneSystem(ensemble, threat, Vector::Zero(3), label).least_step({0, 1}, 0);
}

TEST(LeastStep, StrictAndClosedContradictions) {
    for (Norm norm : kAllNorms) {
        SCOPED_TRACE(std::string(to_string(norm)));
        EXPECT_FALSE(opposite_step(norm, 1, 1e-9));
        EXPECT_FALSE(opposite_step(norm, -1, 1e-9));
        EXPECT_FALSE(opposite_step(norm, 1, 0.0));
        ASSERT_TRUE(opposite_step(norm, -1, 0.0));
        EXPECT_EQ(opposite_step(norm, -1, 0.0)->length, 1);
        ASSERT_TRUE(opposite_step(norm, 1, -1e-9));
        EXPECT_NEAR(static_cast<double>(opposite_step(norm, 1, -1e-9)->length), 1.0, 1e-15);
    }
}

TEST(LeastStep, NearlyOppositePlanesMeetFarAway) {
    // d_1 >= 1 and -d_1 + e d_2 >= 1: the nearest point in the plane is (1, 2 / e).
    const double e = 1e-7;
    Matrix w(2, 2);
    w << 1, 0, -1, e;
    const Ensemble ensemble(w, Vector{{-1.0, -1.0}});
    const AttackModel threat = ball(Norm::L2);
    const PlaneSystem system(ensemble, threat, Vector::Zero(2), -1);
    const std::optional<LeastStep> step = system.least_step({0, 1}, 0);
    ASSERT_TRUE(step);
    EXPECT_NEAR(static_cast<double>(step->length) / std::hypot(1.0, 2.0 / e), 1.0, 1e-9);
}

/// Multiples of a plane that rounding turns by 1e-16: pivots of that size once led to points that
/// miss the planes by 0.4 %.
TEST(LeastStep, PlanesThatDifferByRounding) {
    const RandomVote vote = make_random_vote(VoteKind::Dependent, 9, 4, 2082);
    for (Norm norm : kAllNorms) {
        const AttackModel threat = ball(norm);
        const PlaneSystem system(vote.ensemble, threat, vote.x, 1);
        const std::vector<int> planes{8, 2, 5, 3, 1};
        const std::optional<LeastStep> step = system.least_step(planes, 0);
        ASSERT_TRUE(step);
        for (int i : planes)
            EXPECT_GE(system.a.row(i).dot(step->u) - system.m[i], -1e-12L) << to_string(norm);
    }
}

TEST(LeastStep, MoreFeaturesThanPlanes) {
    Matrix w(2, 50);
    for (Index l = 0; l < 50; ++l) {
        w(0, l) = std::sin(1.0 + static_cast<double>(l));
        w(1, l) = std::cos(3.0 * static_cast<double>(l));
    }
    const Ensemble ensemble(w, Vector{{-1.0, -2.0}});
    const AttackModel threat = ball(Norm::L2);
    const PlaneSystem system(ensemble, threat, Vector::Zero(50), -1);
    const std::optional<LeastStep> step = system.least_step({0, 1}, 0);
    ASSERT_TRUE(step);
    const Vector d = system.to_move(step->u);
    EXPECT_NEAR(d.norm(), static_cast<double>(step->length), 1e-14);
    EXPECT_NEAR(w.row(0).dot(d), 1.0, 1e-13);
    EXPECT_NEAR(w.row(1).dot(d), 2.0, 1e-13);
}

}  // namespace
}  // namespace redoubt::testing
