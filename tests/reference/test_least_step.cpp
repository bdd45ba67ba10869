/// The small linear programs and the least step for a set of planes, against other ways to the
/// same.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "reference/highs_solver.hpp"
#include "reference/opinion_problems.hpp"
#include "reference/paper_models.hpp"
#include "reference/plane_system.hpp"
#include "reference/small_simplex.hpp"

namespace redoubt::testing {
namespace {

using mip::LeastStep;
using mip::make_plane_system;
using mip::PlaneSystem;
using mip::Real;
using mip::RealMatrix;
using mip::RealVector;
using mip::SmallLp;
using mip::SmallLpAnswer;

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

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
    lp.upper << 3, kInfinity;
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
    lp.upper = RealVector::Constant(4, kInfinity);
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
        mip::MipModel model(mip::Sense::Maximize);
        for (Index j = 0; j < n; ++j) {
            lp.c[j] = digit(random);
            lp.upper[j] = std::abs(digit(random));
            model.add_column({"x" + std::to_string(j), 0.0, static_cast<double>(lp.upper[j]),
                              static_cast<double>(lp.c[j]), false});
        }
        for (Index i = 0; i < k; ++i) {
            std::vector<mip::Term> terms;
            for (Index j = 0; j < n; ++j) {
                lp.A(i, j) = digit(random);
                terms.push_back({static_cast<int>(j), static_cast<double>(lp.A(i, j))});
            }
            lp.b[i] = std::abs(digit(random));
            model.add_row({"r" + std::to_string(i), -HUGE_VAL, static_cast<double>(lp.b[i])},
                          terms);
        }
        const SmallLpAnswer answer = solve_small_lp(lp);
        const mip::MipSolution highs = mip::solve(model, {});
        ASSERT_TRUE(answer.solved) << trial;
        ASSERT_EQ(highs.status, Status::Optimal) << trial;
        EXPECT_NEAR(static_cast<double>(answer.value), highs.objective, 1e-9) << trial;
        EXPECT_GE(((lp.b - lp.A * answer.x).minCoeff()), -1e-15L) << trial;
        EXPECT_GE(answer.x.minCoeff(), -1e-15L) << trial;
        EXPECT_GE((lp.upper - answer.x).minCoeff(), -1e-15L) << trial;
    }
}

std::vector<int> all_rows(const PlaneSystem& system) {
    std::vector<int> rows(system.n_rows());
    std::iota(rows.begin(), rows.end(), 0);
    return rows;
}

/// Least ||d||_2 by trying every set of active rows: the shortest feasible solution of the normal
/// equations among those that are feasible is the answer.
Real least_l2_by_active_sets(const PlaneSystem& system) {
    Real best = system.m.maxCoeff() <= 0 ? 0 : kInfinity;
    for (unsigned mask = 1; mask < (1U << system.n_rows()); ++mask) {
        std::vector<int> set;
        for (int i = 0; i < system.n_rows(); ++i) {
            if ((mask >> i & 1U) != 0) set.push_back(i);
        }
        RealMatrix a(set.size(), system.a.cols());
        RealVector m(set.size());
        for (std::size_t i = 0; i < set.size(); ++i) {
            a.row(i) = system.a.row(set[i]);
            m[i] = system.m[set[i]];
        }
        const Eigen::FullPivLU<RealMatrix> lu(a * a.transpose());
        if (lu.rank() < a.rows()) continue;
        const RealVector d = a.transpose() * lu.solve(m);
        if (((system.a * d - system.m).array() < -1e-13L * (1 + d.norm())).any()) continue;
        best = std::min(best, d.norm());
    }
    return best;
}

TEST(LeastStep, L2AgreesWithEveryActiveSet) {
    int n_finite = 0;
    for (PlaneKind kind : {PlaneKind::Gaussian, PlaneKind::Dependent, PlaneKind::Grid}) {
        for (std::uint64_t seed = 1; seed <= 150; ++seed) {
            const OpinionProblem problem = make_opinion_problem(kind, seed);
            PlaneSystem system = make_plane_system(problem.ensemble, problem.x, -1, Norm::L2);
            if (system.n_rows() == 0) continue;
            const Real wanted = least_l2_by_active_sets(system);
            const std::optional<LeastStep> step = least_step(system, all_rows(system), 0);
            ASSERT_EQ(step.has_value(), wanted < kInfinity) << to_string(kind) << " " << seed;
            if (!step) continue;
            ++n_finite;
            EXPECT_NEAR(static_cast<double>(step->length / (1 + wanted)),
                        static_cast<double>(wanted / (1 + wanted)), 1e-13)
                << to_string(kind) << " " << seed;
        }
    }
    EXPECT_GT(n_finite, 100);
}

TEST(LeastStep, L1AndLInfAgreeWithHighs) {
    if (!have_highs()) GTEST_SKIP();
    int n_finite = 0;
    for (PlaneKind kind : {PlaneKind::Gaussian, PlaneKind::Dependent, PlaneKind::Grid}) {
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            const OpinionProblem problem = make_opinion_problem(kind, seed);
            for (Norm norm : {Norm::L1, Norm::LInf}) {
                const PlaneSystem system = make_plane_system(problem.ensemble, problem.x, -1, norm);
                if (system.n_rows() == 0) continue;
                const std::optional<LeastStep> step = least_step(system, all_rows(system), 0);
                mip::ModelPlanes planes{system.a.cast<double>(), system.m.cast<double>(), 0.0};
                const mip::MipModel model = least_radius_model(planes, system.n_rows(), 1e3, norm);
                const mip::MipSolution highs = mip::solve(model, {});
                ASSERT_EQ(highs.status, Status::Optimal);
                ASSERT_EQ(step.has_value(), !highs.infeasible) << to_string(kind) << " " << seed;
                if (!step) continue;
                ++n_finite;
                const double length = static_cast<double>(step->length);
                EXPECT_NEAR(length, highs.objective, 1e-7 * (1.0 + length))
                    << to_string(kind) << " " << seed;
                EXPECT_GE(((system.a * step->d - system.m).minCoeff()), -1e-14L * (1 + length));
                EXPECT_NEAR(norm_value(norm, to_features(system, step->d)), length,
                            1e-13 * (1 + length));
            }
        }
    }
    EXPECT_GT(n_finite, 100);
}

/// The planes d_1 > m and -d_1 > -m + gap: no room, a plane, or a slab, as gap is > 0, 0, < 0.
std::optional<LeastStep> opposite_step(Norm norm, int label, double gap) {
    Matrix w(2, 3);
    w << 1, 0, 0, -1, 0, 0;
    w *= -label;
    // m_i = label b_i at x = 0.
    const Vector b{{label * 1.0, label * (-1.0 + gap)}};
    const PlaneSystem system = make_plane_system(Ensemble(w, b), Vector::Zero(3), label, norm);
    return least_step(system, {0, 1}, 0);
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
    const PlaneSystem system =
        make_plane_system(Ensemble(w, Vector{{-1.0, -1.0}}), Vector::Zero(2), -1, Norm::L2);
    const std::optional<LeastStep> step = least_step(system, {0, 1}, 0);
    ASSERT_TRUE(step);
    EXPECT_NEAR(static_cast<double>(step->length) / std::hypot(1.0, 2.0 / e), 1.0, 1e-9);
}

TEST(LeastStep, MoreFeaturesThanPlanes) {
    Matrix w(2, 50);
    for (Index l = 0; l < 50; ++l) {
        w(0, l) = std::sin(1.0 + static_cast<double>(l));
        w(1, l) = std::cos(3.0 * static_cast<double>(l));
    }
    const Ensemble ensemble(w, Vector{{-1.0, -2.0}});
    const PlaneSystem system = make_plane_system(ensemble, Vector::Zero(50), -1, Norm::L2);
    const std::optional<LeastStep> step = least_step(system, {0, 1}, 0);
    ASSERT_TRUE(step);
    const Vector d = to_features(system, step->d);
    EXPECT_NEAR(d.norm(), static_cast<double>(step->length), 1e-14);
    EXPECT_NEAR(w.row(0).dot(d), 1.0, 1e-13);
    EXPECT_NEAR(w.row(1).dot(d), 2.0, 1e-13);
}

}  // namespace
}  // namespace redoubt::testing
