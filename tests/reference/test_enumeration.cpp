/// The oracle itself, against small cases by hand and against sampling.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "redoubt/error.hpp"
#include "reference/reference_problems.hpp"

namespace redoubt::testing {
namespace {

/// Planes on a line that answer +1 to the left of `places` (sign -1) or to the right (sign +1).
Ensemble line(const std::vector<double>& signs, const std::vector<double>& places) {
    const Index k = static_cast<Index>(signs.size());
    Matrix w(k, 1);
    Vector b(k);
    for (Index i = 0; i < k; ++i) {
        w(i, 0) = signs[i];
        b[i] = -signs[i] * places[i];
    }
    return Ensemble(w, b);
}

Flip flip(const Ensemble& ensemble, const Vector& x, int label, Norm norm) {
    return reference_flip(Solver::Enumerate, ensemble, ball(norm), x, label, {});
}

AdversaryAnswer attack_it(Adversary adversary, const Ensemble& ensemble, const Vector& x, int y,
                          double radius, Norm norm) {
    return attack_by(Solver::Enumerate, adversary, ensemble, ball(norm), x, y, radius);
}

double flip_distance(const Ensemble& ensemble, const Vector& x, Norm norm) {
    return flip(ensemble, x, ensemble.predict(x), norm).lower;
}

TEST(EnumerateFlip, OnePlane) {
    const Ensemble plane(Hyperplane{Vector{{3.0, -4.0}}, 1.0});
    const Vector x{{2.0, -1.0}};  // w'x + b = 11
    EXPECT_NEAR(flip_distance(plane, x, Norm::L2), 11.0 / 5.0, 1e-15);
    EXPECT_NEAR(flip_distance(plane, x, Norm::LInf), 11.0 / 7.0, 1e-15);
    EXPECT_NEAR(flip_distance(plane, x, Norm::L1), 11.0 / 4.0, 1e-15);
}

TEST(EnumerateFlip, MajorityOnALine) {
    // Right of 1, 2 and 5. From 6: two must be crossed to the left, 5 and then 2.
    const Ensemble ensemble = line({1, 1, 1}, {1, 2, 5});
    EXPECT_EQ(flip_distance(ensemble, Vector{{6.0}}, Norm::L2), 4.0);
    EXPECT_EQ(flip_distance(ensemble, Vector{{0.5}}, Norm::L1), 1.5);
    // An even vote that ends in a tie is +1: of two planes both must be crossed to reach -1, but
    // one is enough to leave it.
    const Ensemble two = line({1, 1}, {1, 5});
    EXPECT_EQ(flip_distance(two, Vector{{6.0}}, Norm::LInf), 5.0);
    EXPECT_EQ(flip_distance(two, Vector{{0.0}}, Norm::LInf), 1.0);
}

TEST(EnumerateFlip, StrictTowardsMinusOne) {
    const Ensemble plane = line({1}, {2});
    // On the plane the answer is +1; any step to the left flips it, none at all does not.
    const Flip on = flip(plane, Vector{{2.0}}, 1, Norm::L2);
    EXPECT_EQ(on.lower, 0.0);
    ASSERT_EQ(on.d.size(), 1);
    EXPECT_LT(on.d[0], 0.0);
    EXPECT_GT(on.d[0], -1e-5);
    // From the left the plane itself is enough: the distance is attained.
    const Flip to = flip(plane, Vector{{0.0}}, -1, Norm::L2);
    EXPECT_EQ(to.lower, 2.0);
    EXPECT_EQ(to.d[0], 2.0);
}

TEST(EnumerateFlip, OppositePlanesAreNeverBothMinusOne) {
    // One of the two answers +1 everywhere, and both do on the plane: the vote is never -1.
    const Ensemble always = line({1, -1}, {2, 2});
    for (Norm norm : kAllNorms) {
        for (double x : {0.0, 2.0, 7.0}) {
            const Flip answer = flip(always, Vector{{x}}, 1, norm);
            EXPECT_EQ(answer.status, Status::Optimal);
            EXPECT_EQ(answer.lower, HUGE_VAL);
            EXPECT_EQ(answer.upper, HUGE_VAL);
            EXPECT_EQ(answer.d.size(), 0);
        }
    }
    // With a third plane that says -1 far out, a vote of three: only on x = 2 do both say +1.
    const Ensemble three = line({1, -1, 1}, {2, 2, 50});
    EXPECT_EQ(three.predict(Vector{{5.0}}), -1);
    const Flip onto = flip(three, Vector{{5.0}}, -1, Norm::L2);
    EXPECT_EQ(onto.lower, 3.0);
    ASSERT_EQ(onto.d.size(), 1);
    EXPECT_EQ(onto.d[0], -3.0);
}

TEST(EnumerateFlip, PlaneThatNoDoubleHits) {
    // 3 x = 1 has no solution in doubles, so that the two opposite planes never both say +1 there;
    // the third plane's side is the nearest flip that exists in doubles.
    Matrix w(3, 1);
    w << 3, -3, 1;
    const Ensemble ensemble(w, Vector{{-1.0, 1.0, -50.0}});
    const Flip answer = flip(ensemble, Vector{{5.0}}, -1, Norm::L2);
    EXPECT_NEAR(answer.lower, 5.0 - 1.0 / 3.0, 1e-15);
    ASSERT_EQ(answer.d.size(), 1);
    EXPECT_EQ(answer.d[0], 45.0);
}

TEST(EnumerateFlip, ZeroPlanesVoteAlways) {
    Matrix w(3, 1);
    w << 0, 0, 1;
    // Votes +1, -1 and the third decides.
    const Ensemble decides(w, Vector{{0.0, -1.0, 0.0}});
    EXPECT_EQ(flip_distance(decides, Vector{{4.0}}, Norm::L1), 4.0);
    EXPECT_EQ(flip_distance(decides, Vector{{-4.0}}, Norm::L1), 4.0);
    // Two of three are constant and agree: no flip.
    const Ensemble constant(w, Vector{{0.0, 3.0, 0.0}});
    EXPECT_EQ(flip_distance(constant, Vector{{4.0}}, Norm::L2), HUGE_VAL);
    const Ensemble all_zero(Matrix::Zero(2, 1), Vector{{1.0, -1.0}});
    EXPECT_EQ(flip_distance(all_zero, Vector{{4.0}}, Norm::LInf), HUGE_VAL);
}

TEST(EnumerateFlip, AlreadyDifferent) {
    const Flip answer = flip(line({1}, {2}), Vector{{5.0}}, -1, Norm::L2);
    EXPECT_EQ(answer.lower, 0.0);
    EXPECT_EQ(answer.d, Vector::Zero(1));
}

TEST(EnumerateFlip, NothingShorterFlips) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    int n_finite = 0;
    for (PlaneKind kind : all_plane_kinds()) {
        for (std::uint64_t seed = 1; seed <= 100; ++seed) {
            const ReferenceProblem problem = make_reference_problem(kind, seed);
            const int from = problem.ensemble.predict(problem.x);
            for (Norm norm : kAllNorms) {
                const Flip answer = flip(problem.ensemble, problem.x, from, norm);
                n_finite += std::isfinite(answer.lower) ? 1 : 0;
                const double radius = std::min(answer.lower, 1e3) * (1.0 - 1e-9);
                for (int trial = 0; trial < 30; ++trial) {
                    Vector d(problem.x.size());
                    for (double& entry : d) entry = normal(random);
                    d *= radius / norm_value(norm, d);
                    ASSERT_EQ(problem.ensemble.predict(problem.x + d), from)
                        << to_string(kind) << " " << seed << " " << to_string(norm);
                }
                if (answer.d.size() > 0) {
                    EXPECT_NE(problem.ensemble.predict(problem.x + answer.d), from)
                        << to_string(kind) << " " << seed << " " << to_string(norm);
                }
            }
        }
    }
    EXPECT_GT(n_finite, 500);
}

TEST(EnumerateExact, MostPlanesThenShortest) {
    // From 3: planes at 2 and 1 to the left, at 4 and 9 to the right, all answering +1 at 3.
    const Ensemble ensemble = line({1, 1, -1, -1}, {2, 1, 4, 9});
    const Vector x{{3.0}};
    const auto attack = [&](double radius) {
        return attack_it(Adversary::Exact, ensemble, x, 1, radius, Norm::L2);
    };
    EXPECT_EQ(attack(0.0).objective, 0.0);
    EXPECT_EQ(attack(0.5).objective, 0.0);
    EXPECT_EQ(attack(0.5).d[0], 0.0);
    // Strict: at distance 1 exactly nothing is fooled.
    EXPECT_EQ(attack(1.0).objective, 0.0);
    EXPECT_EQ(attack(1.5).objective, 1.0);
    EXPECT_NEAR(std::fabs(attack(1.5).d[0]), 1.0, 1e-9);
    EXPECT_EQ(attack(2.5).objective, 2.0);
    EXPECT_NEAR(attack(2.5).d[0], -2.0, 1e-9);
    // The other label: two planes say +1 already on either side, and reaching a plane is enough.
    const AdversaryAnswer touched =
        attack_it(Adversary::Exact, line({1, 1}, {4, 9}), x, -1, 1.0, Norm::L1);
    EXPECT_EQ(touched.objective, 1.0);
    EXPECT_EQ(touched.d[0], 1.0);
}

TEST(EnumerateExact, NothingSampledFoolsMore) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    for (PlaneKind kind : all_plane_kinds()) {
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            const ReferenceProblem problem = make_reference_problem(kind, seed);
            for (Norm norm : kAllNorms) {
                const int y = seed % 2 == 0 ? 1 : -1;
                const AdversaryAnswer exact =
                    attack_it(Adversary::Exact, problem.ensemble, problem.x, y, 0.9, norm);
                const AdversaryAnswer relaxed =
                    attack_it(Adversary::Relaxed, problem.ensemble, problem.x, y, 0.9, norm);
                EXPECT_LE(norm_value(norm, exact.d), 0.9);
                EXPECT_EQ(weight_fooled(problem.ensemble, problem.x, exact.d, y), exact.objective);
                for (int trial = 0; trial < 20; ++trial) {
                    Vector d(problem.x.size());
                    for (double& entry : d) entry = normal(random);
                    d *= 0.9 * (1.0 - 1e-9) / norm_value(norm, d);
                    const std::int64_t count = weight_fooled(problem.ensemble, problem.x, d, y);
                    ASSERT_LE(count, exact.objective)
                        << to_string(kind) << " " << seed << " " << to_string(norm);
                    ASSERT_LE(hinge_sum(problem.ensemble, problem.x, d, y),
                              relaxed.objective * (1.0 + 1e-12));
                }
            }
        }
    }
}

TEST(EnumerateRelaxed, ByHand) {
    // y = +1, w = (2, -1), b = 0, x = (1, 0): c = 1 - 2 = -1 and a = (-2, 1).
    const Ensemble plane(Hyperplane{Vector{{2.0, -1.0}}, 0.0});
    const Vector x{{1.0, 0.0}};
    const auto value = [&](Norm norm, double radius) {
        return attack_it(Adversary::Relaxed, plane, x, 1, radius, norm).objective;
    };
    EXPECT_NEAR(value(Norm::LInf, 1.0), 2.0, 1e-15);
    EXPECT_NEAR(value(Norm::L1, 1.0), 1.0, 1e-15);
    EXPECT_NEAR(value(Norm::L2, 1.0), std::sqrt(5.0) - 1.0, 1e-15);
    EXPECT_EQ(value(Norm::L2, 0.0), 0.0);
}

TEST(Enumerate, RefusesTooManyPlanes) {
    const Ensemble many(Matrix::Ones(kMaxEnumeratedPlanes + 1, 1),
                        Vector::Zero(kMaxEnumeratedPlanes + 1));
    const Vector x{{1.0}};
    const auto message = [](const auto& call) -> std::string {
        try {
            call();
        } catch (const InvalidInput& error) {
            return error.what();
        }
        return "accepted";
    };
    const std::string wanted = "solver: expected at most 16 planes to enumerate, got 17";
    EXPECT_EQ(message([&] { flip(many, x, 1, Norm::L2); }), wanted);
    EXPECT_EQ(message([&] { attack_it(Adversary::Relaxed, many, x, 1, 1.0, Norm::L2); }), wanted);
    const Ensemble most(Matrix::Ones(kMaxEnumeratedPlanes, 1), Vector::Zero(kMaxEnumeratedPlanes));
    EXPECT_EQ(flip(most, x, 1, Norm::L2).lower, 1.0);
}

}  // namespace
}  // namespace redoubt::testing
