/// Every rule of an attack model, by enumeration, by HiGHS and by the native search: cases by hand,
/// moves that somebody else proposes, and each against the others.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <stdexcept>
#include <string>

#include "core/random.hpp"
#include "redoubt/attack.hpp"
#include "redoubt/error.hpp"
#include "reference/reference_problems.hpp"
#include "support/attack_support.hpp"
#include "support/random_votes.hpp"
#include "support/seeds.hpp"
#include "threat/random_models.hpp"

namespace redoubt::testing {
namespace {

constexpr double kThreatTolerance = 1e-6;

/// HiGHS takes a hundred times as long: it is asked about one seed of four, and about some grids.
std::vector<Solver> solvers_for(unsigned rules, std::uint64_t seed) {
    std::vector<Solver> solvers{Solver::Enumerate};
    const bool is_asked = seed % 4 == rules % 3 || seed % 8 == 7;
    if (is_asked && have_highs()) solvers.push_back(Solver::Mip);
    return solvers;
}

Attack attack_natively(const ModelProblem& problem, Adversary adversary, int y, double radius) {
    AttackSettings settings;
    settings.attack_model = problem.model;
    settings.adversary = adversary;
    return attack(problem.ensemble, problem.x.transpose(), Vector::Constant(1, y),
                  Vector::Constant(1, radius), settings)[0];
}

ModelProblem make_problem(Norm norm, unsigned rules, std::uint64_t seed) {
    ModelProblem plain = make_model_problem(norm, rules, seed);
    if (seed % 3 != 0) return plain;
    // Weights up to 3: few units in all.
    const Ensemble& planes = plain.ensemble;
    return {Ensemble(planes.coef(), planes.intercept(),
                     make_random_weights(planes.n_planes(), 5 * seed + 1)),
            plain.x, plain.model};
}

/// Not a distance between points and planes of small integers.
double make_radius(std::uint64_t seed) {
    return 0.7310585786 * (1.0 + static_cast<double>(seed % 3));
}

/// A move of the threat within the radius: size, rules, and what it says of itself.
void expect_move(const ModelProblem& problem, const AdversaryAnswer& answer, double radius) {
    EXPECT_TRUE(problem.model.allows(problem.x, problem.x + answer.d));
    EXPECT_LE(problem.model.move_size(problem.x, answer.d), radius * (1.0 + 1e-11));
    EXPECT_LE(answer.objective, answer.bound);
}

class ThreatInNorm : public ::testing::TestWithParam<Norm> {};

TEST_P(ThreatInNorm, ExactAdversariesAgree) {
    for (unsigned rules = 0; rules < kAllRules; ++rules) {
        for (std::uint64_t seed = 0; seed < n_seeds(8); ++seed) {
            for (int y : {-1, 1}) {
                SCOPED_TRACE(rules_text(rules) + " seed " + std::to_string(seed) + " y " +
                             std::to_string(y));
                const ModelProblem problem = make_problem(GetParam(), rules, seed);
                const double radius = make_radius(seed);
                const Attack native = attack_natively(problem, Adversary::Exact, y, radius);
                const double size = problem.model.move_size(problem.x, native.d);
                for (Solver solver : solvers_for(rules, seed)) {
                    SCOPED_TRACE(std::string(to_string(solver)));
                    const AdversaryAnswer answer =
                        attack_by(solver, Adversary::Exact, problem.ensemble, problem.model,
                                  problem.x, y, radius);
                    EXPECT_EQ(answer.status, Status::Optimal);
                    expect_move(problem, answer, radius);
                    EXPECT_EQ(problem.ensemble.weight_unit() *
                                  static_cast<double>(
                                      weight_fooled(problem.ensemble, problem.x, answer.d, y)),
                              answer.objective);
                    EXPECT_LE(answer.objective, native.bound);
                    EXPECT_GE(answer.bound, native.objective);
                    // Where planes and ends touch, rounding decides what a double reaches.
                    if (is_on_grid(seed)) continue;
                    EXPECT_EQ(answer.objective, native.objective);
                    EXPECT_EQ(answer.bound, native.objective);
                    EXPECT_NEAR(problem.model.move_size(problem.x, answer.d), size,
                                kThreatTolerance);
                }
            }
        }
    }
}

TEST_P(ThreatInNorm, RelaxedAdversariesAgree) {
    for (unsigned rules = 0; rules < kAllRules; ++rules) {
        for (std::uint64_t seed = 0; seed < n_seeds(8); ++seed) {
            const int y = (seed + rules) % 2 == 0 ? 1 : -1;
            SCOPED_TRACE(rules_text(rules) + " seed " + std::to_string(seed));
            const ModelProblem problem = make_problem(GetParam(), rules, seed);
            const double radius = make_radius(seed);
            const Attack native = attack_natively(problem, Adversary::Relaxed, y, radius);
            for (Solver solver : solvers_for(rules, seed)) {
                SCOPED_TRACE(std::string(to_string(solver)));
                const double room = (solver == Solver::Mip ? kThreatTolerance : 1e-10);
                const AdversaryAnswer answer =
                    attack_by(solver, Adversary::Relaxed, problem.ensemble, problem.model,
                              problem.x, y, radius);
                EXPECT_EQ(answer.status, Status::Optimal);
                expect_move(problem, answer, radius);
                EXPECT_NEAR(answer.objective, native.objective, room * (1.0 + native.objective));
                EXPECT_NEAR(answer.bound, native.objective, room * (1.0 + native.objective));
                EXPECT_NEAR(hinge_sum(problem.ensemble, problem.x, answer.d, y), answer.objective,
                            1e-12 * (1.0 + answer.objective));
            }
        }
    }
}

/// The farthest moves along any direction, by a search that knows the rules and nothing else.
TEST_P(ThreatInNorm, NothingSampledDoesMore) {
    for (unsigned rules = 0; rules < kAllRules; ++rules) {
        for (std::uint64_t seed = 20; seed < 24; ++seed) {
            SCOPED_TRACE(rules_text(rules) + " seed " + std::to_string(seed));
            const ModelProblem problem = make_problem(GetParam(), rules, seed);
            const Ensemble& ensemble = problem.ensemble;
            const int y = seed % 2 == 0 ? 1 : -1;
            const double radius = make_radius(seed);
            const AdversaryAnswer exact = attack_by(Solver::Enumerate, Adversary::Exact, ensemble,
                                                    problem.model, problem.x, y, radius);
            const AdversaryAnswer relaxed =
                attack_by(Solver::Enumerate, Adversary::Relaxed, ensemble, problem.model, problem.x,
                          y, radius);
            Random random(seed, rules);
            for (int trial = 0; trial < 20; ++trial) {
                Vector g(problem.x.size());
                for (double& value : g) value = random.normal();
                if (trial % 2 == 0) {
                    g.setZero();
                    for (Index i = 0; i < ensemble.n_planes(); ++i)
                        g -= y * random.uniform() * ensemble.coef().row(i).transpose();
                }
                const Vector d = worst_move(problem.model, problem.x, g, radius * (1.0 - 1e-9));
                const auto weight = static_cast<double>(weight_fooled(ensemble, problem.x, d, y));
                ASSERT_LE(ensemble.weight_unit() * weight, exact.objective);
                ASSERT_LE(hinge_sum(ensemble, problem.x, d, y), relaxed.objective * (1.0 + 1e-12));
            }
        }
    }
}

/// Whatever the threat, a flip comes with a move that shows it.
TEST_P(ThreatInNorm, FlipsHaveWitnesses) {
    int n_without = 0;
    int n_finite = 0;
    for (unsigned rules = 0; rules < kAllRules; ++rules) {
        for (std::uint64_t seed = 40; seed < 44; ++seed) {
            for (Solver solver : solvers_for(rules, seed)) {
                SCOPED_TRACE(rules_text(rules) + " seed " + std::to_string(seed) + " " +
                             std::string(to_string(solver)));
                const ModelProblem problem = make_problem(GetParam(), rules, seed);
                const int label = problem.ensemble.predict(problem.x);
                const Flip flip =
                    reference_flip(solver, problem.ensemble, problem.model, problem.x, label, {});
                EXPECT_EQ(flip.status, Status::Optimal);
                EXPECT_LE(flip.lower, flip.upper);
                if (std::isinf(flip.lower)) continue;
                ++n_finite;
                if (flip.d.size() == 0) {
                    EXPECT_TRUE(is_on_grid(seed));
                    ++n_without;
                    continue;
                }
                const Vector moved = problem.x + flip.d;
                EXPECT_NE(problem.ensemble.predict(moved), label);
                EXPECT_TRUE(problem.model.allows(problem.x, moved));
                EXPECT_EQ(flip.fooled, fooled_planes(problem.ensemble, moved, label));
                const double size = problem.model.move_size(problem.x, flip.d);
                EXPECT_NEAR(flip.upper, size, 1e-14 * (1.0 + size));
                if (is_on_grid(seed)) continue;
                EXPECT_NEAR(flip.upper, flip.lower, kThreatTolerance * (1.0 + flip.lower));
            }
        }
    }
    EXPECT_LE(n_without, 4);
    EXPECT_GT(n_finite, 100);
}

INSTANTIATE_TEST_SUITE_P(Norms, ThreatInNorm, ::testing::ValuesIn(kAllNorms),
                         [](const auto& norm) { return std::string(to_string(norm.param)); });

/// Planes on a line that answer -1 left of `places` and +1 from there on.
Ensemble line(const std::vector<double>& places) {
    const auto k = static_cast<Index>(places.size());
    Vector b(k);
    for (Index i = 0; i < k; ++i) b[i] = -places[static_cast<std::size_t>(i)];
    return Ensemble(Matrix::Ones(k, 1), b);
}

class ThreatByHand : public ::testing::TestWithParam<Solver> {
protected:
    void SetUp() override {
        if (GetParam() == Solver::Mip && !have_highs()) GTEST_SKIP();
    }

    static AdversaryAnswer attack_at(double radius, const Ensemble& ensemble,
                                     const AttackModel& threat, const Vector& x, int y,
                                     Adversary adversary = Adversary::Exact) {
        return attack_by(GetParam(), adversary, ensemble, threat, x, y, radius);
    }
};

TEST_P(ThreatByHand, IntegersJumpOverPlanes) {
    AttackModel threat;
    threat.integers.push_back({0, 0.0, 1.0});
    const Ensemble ensemble = line({0.5, 2.5, 2.75});
    const Vector x = Vector::Zero(1);
    const auto at = [&](double radius) { return attack_at(radius, ensemble, threat, x, -1); };
    EXPECT_EQ(at(0.0).objective, 0.0);
    EXPECT_EQ(at(0.9).objective, 0.0);
    EXPECT_EQ(at(1.0).objective, 1.0);
    EXPECT_EQ(at(2.9).objective, 1.0);
    EXPECT_EQ(at(2.9).d[0], 1.0);
    EXPECT_EQ(at(3.5).objective, 3.0);
    EXPECT_EQ(at(3.5).d[0], 3.0);
    const Flip flip = reference_flip(GetParam(), ensemble, threat, x, -1, {});
    EXPECT_NEAR(flip.lower, 3.0, kThreatTolerance);
    ASSERT_EQ(flip.d.size(), 1);
    EXPECT_EQ(flip.d[0], 3.0);
    EXPECT_EQ(flip.upper, 3.0);
    EXPECT_EQ(flip.fooled, (std::vector<int>{0, 1, 2}));
    // The hinges at 3, 2 and, where the radius ends, at no integer: [1 + 3 - 0.5]_+ and so on.
    const AdversaryAnswer relaxed = attack_at(3.7, ensemble, threat, x, -1, Adversary::Relaxed);
    EXPECT_EQ(relaxed.d[0], 3.0);
    EXPECT_NEAR(relaxed.objective, 3.5 + 1.5 + 1.25, 1e-12);
}

/// A switch costs what it costs, and what it reaches is reached also where the radius ends on it.
TEST_P(ThreatByHand, SwitchesAtTheEdgeCount) {
    AttackModel threat;
    threat.norm = Norm::L1;
    OneHotGroup group;
    group.features = {0, 1, 2};
    group.switch_cost = 0.5;
    threat.one_hot.push_back(group);
    Matrix W(2, 4);
    W << 1.0, -1.0, 0.5, 1.0, 1.0, 0.5, -1.0, 1.0;
    const Ensemble ensemble(W, Vector::Zero(2));
    const Vector x{{1.0, 0.0, 0.0, 0.25}};
    const auto at = [&](double radius) { return attack_at(radius, ensemble, threat, x, 1); };
    EXPECT_EQ(at(0.49).objective, 0.0);
    // Member 2 is on: -1 + 0.25 < 0.
    EXPECT_EQ(at(0.5).objective, 1.0);
    EXPECT_EQ(at(0.5).d[3], 0.0);
    // Both need member 2 or 3 and the last feature below -0.5: strictly, so not at 1.25 itself.
    EXPECT_EQ(at(1.25).objective, 1.0);
    EXPECT_EQ(at(1.26).objective, 2.0);
    const Flip flip = reference_flip(GetParam(), ensemble, threat, x, 1, {});
    EXPECT_NEAR(flip.lower, 1.25, kThreatTolerance);
    EXPECT_NEAR(flip.upper, 1.25, kThreatTolerance);
    EXPECT_GT(flip.upper, 1.25);
}

TEST_P(ThreatByHand, FreeSwitchesNeedNoRadius) {
    AttackModel threat;
    OneHotGroup group;
    group.features = {0, 1};
    group.switch_cost = 0.0;
    threat.one_hot.push_back(group);
    Matrix W(1, 2);
    W << 1.0, -1.0;
    const Ensemble ensemble(W, Vector::Zero(1));
    const Vector x{{1.0, 0.0}};
    EXPECT_EQ(attack_at(0.0, ensemble, threat, x, 1).objective, 1.0);
    EXPECT_EQ(attack_at(0.0, ensemble, threat, x, 1, Adversary::Relaxed).objective, 2.0);
    const Flip flip = reference_flip(GetParam(), ensemble, threat, x, 1, {});
    EXPECT_EQ(flip.lower, 0.0);
    EXPECT_EQ(flip.upper, 0.0);
    ASSERT_EQ(flip.d.size(), 2);
    EXPECT_EQ(flip.d[0], -1.0);
}

/// Both features must move, one of them ends before the ball does.
TEST_P(ThreatByHand, RangesBend) {
    Matrix W(1, 2);
    W << 1.0, 1.0;
    const Ensemble ensemble(W, Vector::Constant(1, -3.0));
    const Vector x = Vector::Zero(2);
    AttackModel threat;
    threat.upper = Vector{{1.0, HUGE_VAL}};
    const double wanted[] = {3.0, std::hypot(1.0, 2.0), 2.0};
    for (Norm norm : kAllNorms) {
        threat.norm = norm;
        const Flip flip = reference_flip(GetParam(), ensemble, threat, x, -1, {});
        EXPECT_NEAR(flip.lower, wanted[static_cast<int>(norm)], kThreatTolerance);
        EXPECT_NEAR(flip.upper, wanted[static_cast<int>(norm)], kThreatTolerance);
        ASSERT_EQ(flip.d.size(), 2);
        EXPECT_LE(flip.d[0], 1.0);
        const AdversaryAnswer relaxed = attack_at(2.5, ensemble, threat, x, -1, Adversary::Relaxed);
        const double second[] = {1.5, std::sqrt(2.5 * 2.5 - 1.0), 2.5};
        EXPECT_NEAR(relaxed.objective, second[static_cast<int>(norm)] - 1.0, kThreatTolerance);
    }
    // Down only: never.
    threat.direction = {Direction::Down, Direction::Down};
    const Flip none = reference_flip(GetParam(), ensemble, threat, x, -1, {});
    EXPECT_EQ(none.status, Status::Optimal);
    EXPECT_EQ(none.lower, HUGE_VAL);
    EXPECT_EQ(none.upper, HUGE_VAL);
    EXPECT_EQ(none.d.size(), 0);
}

TEST_P(ThreatByHand, FrozenFeaturesStay) {
    AttackModel threat;
    threat.scale = Vector{{0.0, 2.0}};
    Matrix W(1, 2);
    W << 10.0, 1.0;
    const Ensemble ensemble(W, Vector::Constant(1, -3.0));
    const Flip flip = reference_flip(GetParam(), ensemble, threat, Vector::Zero(2), -1, {});
    EXPECT_NEAR(flip.lower, 1.5, kThreatTolerance);
    ASSERT_EQ(flip.d.size(), 2);
    EXPECT_EQ(flip.d[0], 0.0);
    // Nothing moves at all.
    threat.scale.setZero();
    EXPECT_EQ(reference_flip(GetParam(), ensemble, threat, Vector::Zero(2), -1, {}).lower,
              HUGE_VAL);
    EXPECT_EQ(attack_at(9.0, ensemble, threat, Vector::Zero(2), -1).objective, 0.0);
    const AdversaryAnswer relaxed =
        attack_at(9.0, ensemble, threat, Vector::Zero(2), 1, Adversary::Relaxed);
    EXPECT_EQ(relaxed.objective, 4.0);
    EXPECT_NEAR(relaxed.bound, 4.0, 1e-9);
}

/// What is known when nothing was computed is true.
TEST_P(ThreatByHand, AnswersAreValidWhenALimitStrikes) {
    const std::atomic<bool> raised{true};
    PointLimits limits;
    limits.stop = &raised;
    for (unsigned rules = 0; rules < kAllRules; ++rules) {
        SCOPED_TRACE(rules_text(rules));
        const ModelProblem problem = make_problem(Norm::L2, rules, 5);
        const int y = problem.ensemble.predict(problem.x);
        const Flip least =
            reference_flip(Solver::Enumerate, problem.ensemble, problem.model, problem.x, y, {});
        const Flip flip =
            reference_flip(GetParam(), problem.ensemble, problem.model, problem.x, y, limits);
        EXPECT_EQ(flip.status, Status::Interrupted);
        EXPECT_LE(flip.lower, least.lower);
        EXPECT_GE(flip.upper, least.lower * (1.0 - 1e-12));
        for (Adversary adversary : {Adversary::Exact, Adversary::Relaxed}) {
            const AdversaryAnswer best = attack_by(Solver::Enumerate, adversary, problem.ensemble,
                                                   problem.model, problem.x, y, 1.3);
            const AdversaryAnswer answer = attack_by(GetParam(), adversary, problem.ensemble,
                                                     problem.model, problem.x, y, 1.3, limits);
            EXPECT_EQ(answer.status, Status::Interrupted);
            EXPECT_LE(answer.objective, best.objective);
            EXPECT_GE(answer.bound, best.objective);
            expect_move(problem, answer, 1.3);
        }
    }
}

/// By name, from the public function.
TEST_P(ThreatByHand, AttackAcceptsEverySolver) {
    AttackSettings settings;
    for (unsigned rules = 1; rules < kAllRules; rules += 7) {
        SCOPED_TRACE(rules_text(rules));
        const ModelProblem problem = make_problem(Norm::LInf, rules, 6);
        settings.attack_model = problem.model;
        for (Adversary adversary : {Adversary::Exact, Adversary::Relaxed}) {
            settings.adversary = adversary;
            settings.solver = GetParam();
            const Attack found = attack(problem.ensemble, problem.x.transpose(), Vector::Ones(1),
                                        Vector::Constant(1, 0.9), settings)[0];
            const Attack native = attack_natively(problem, adversary, 1, 0.9);
            EXPECT_EQ(found.status, Status::Optimal);
            EXPECT_NEAR(found.objective, native.objective, kThreatTolerance);
            EXPECT_NEAR(found.bound, native.objective, kThreatTolerance);
            EXPECT_TRUE(problem.model.allows(problem.x, problem.x + found.d));
        }
        // A class that does not attack stays.
        settings.attack_model.attacking_class = -1;
        const Attack none = attack(problem.ensemble, problem.x.transpose(), Vector::Ones(1),
                                   Vector::Constant(1, 0.9), settings)[0];
        EXPECT_EQ(none.d, Vector::Zero(problem.x.size()));
    }
}

/// What cannot be asked is refused before anything moves, under rules as in a ball.
TEST(ThreatMistakes, AreNamed) {
    AttackModel threat;
    threat.upper = Vector::Constant(1, 4.0);
    AttackSettings settings;
    settings.attack_model = threat;
    const auto message = [&](const Ensemble& ensemble, double x) -> std::string {
        try {
            attack(ensemble, Matrix::Constant(1, 1, x), Vector::Ones(1), Vector::Ones(1), settings);
        } catch (const InvalidInput& error) {
            return error.what();
        }
        return "accepted";
    };
    const Ensemble many = line(std::vector<double>(17, 1.0));
    settings.solver = Solver::Enumerate;
    for (Adversary adversary : {Adversary::Exact, Adversary::Relaxed}) {
        settings.adversary = adversary;
        EXPECT_EQ(message(many, 0.0), "solver: expected at most 16 planes to enumerate, got 17");
        EXPECT_EQ(message(line({1.0}), 0.0), "accepted");
    }
    EXPECT_NE(message(line({1.0}), 5.0).find("range"), std::string::npos);
    if (!have_highs()) return;
    settings.solver = Solver::Mip;
    const Ensemble fine(Matrix::Ones(2, 1), Vector::Zero(2), Vector{{1.0, std::sqrt(2.0)}});
    EXPECT_EQ(message(fine, 0.0), "accepted");  // the relaxed adversary does not count weights
    settings.adversary = Adversary::Exact;
    EXPECT_EQ(message(fine, 0.0),
              "solver: expected 'native' or 'enumerate' for weights that are not multiples of a "
              "common unit, 10000 of it in all, got 'mip'");
    EXPECT_EQ(message(many, 0.0), "accepted");
    EXPECT_THROW(
        attack_by(Solver::Mip, Adversary::Heuristic, many, threat, Vector::Zero(1), 1, 1.0),
        std::logic_error);
}

INSTANTIATE_TEST_SUITE_P(Solvers, ThreatByHand, ::testing::Values(Solver::Enumerate, Solver::Mip),
                         [](const auto& solver) { return std::string(to_string(solver.param)); });

}  // namespace
}  // namespace redoubt::testing
