#include <gtest/gtest.h>

#include <random>

#include "redoubt/error.hpp"
#include "redoubt/svm.hpp"
#include "support/attack_support.hpp"

namespace redoubt::testing {
namespace {

constexpr Norm kNorms[] = {Norm::L1, Norm::L2, Norm::LInf};

/// The points from `first` on make these moves only.
GivenMoves given_from(Index first, const std::vector<std::vector<Vector>>& moves, Index n) {
    GivenMoves given{.first = first, .start = {0}, .moves = {}, .half = {}};
    for (const auto& of_point : moves)
        given.start.push_back(given.start.back() + static_cast<Index>(of_point.size()));
    given.moves.resize(given.start.back(), n);
    Index row = 0;
    for (const auto& of_point : moves) {
        for (const Vector& d : of_point) given.moves.row(row++) = d.transpose();
    }
    return given;
}

SvmResult train_given(const AttackProblem& problem, double regularization, GivenMoves given) {
    RobustSvmSettings settings;
    settings.attack_model = problem.model;
    settings.regularization = regularization;
    settings.given = std::move(given);
    return train_robust_svm({problem.X, problem.y, problem.weights}, problem.radii, settings);
}

TEST(WorstMoves, AreThoseOfTryingEverything) {
    for (const AttackKind kind : all_attack_kinds()) {
        for (const Norm norm : kNorms) {
            const AttackProblem problem = make_attack_problem(kind, norm, 3);
            SCOPED_TRACE(to_string(kind));
            std::mt19937_64 random(1);
            std::normal_distribution<double> normal;
            const Vector w = Vector::NullaryExpr(problem.X.cols(), [&] { return normal(random); });
            const Matrix moves =
                worst_moves({problem.X, problem.y}, problem.radii, problem.model, w, 2);
            for (Index j = 0; j < problem.X.rows(); ++j) {
                const Vector g = -problem.y[j] * w;
                const bool attacks = problem.model.attacks(problem.y[j] > 0.0 ? 1 : -1);
                const Vector x = problem.X.row(j).transpose();
                const double best =
                    attacks ? g.dot(worst_move(problem.model, x, g, problem.radii[j])) : 0.0;
                EXPECT_NEAR(moves.row(j).dot(g), best, 1e-9 * (1.0 + best));
            }
        }
    }
}

// Moves found one by one lead to the optimum of the model, from below.
TEST(GivenMoves, FoundOneByOneTheyLeadToTheOptimum) {
    constexpr double kRegularization = 0.2;
    for (const AttackKind kind : all_attack_kinds()) {
        for (const Norm norm : kNorms) {
            const AttackProblem problem = make_attack_problem(kind, norm, 2);
            if (problem.model.is_plain()) continue;
            SCOPED_TRACE(to_string(kind) + " " + std::string(redoubt::to_string(norm)));
            const double optimum = train_given(problem, kRegularization, {}).primal_value;
            const Index m = problem.X.rows();
            const Index first = m / 2;
            std::vector<std::vector<Vector>> moves(static_cast<std::size_t>(m - first));
            SvmResult result;
            for (int round = 0; round < 300; ++round) {
                result = train_given(problem, kRegularization,
                                     given_from(first, moves, problem.X.cols()));
                ASSERT_EQ(result.status, Status::Optimal);
                EXPECT_LE(result.dual_value, optimum * (1.0 + 1e-7));
                const double proven =
                    result.multipliers - result.distance * result.distance / 2.0 / kRegularization;
                EXPECT_NEAR(proven, result.dual_value, 1e-9 * optimum);
                if (result.primal_value > optimum * (1.0 - 1e-6)) break;
                const Matrix worst = worst_moves({problem.X, problem.y}, problem.radii,
                                                 problem.model, result.plane.w);
                for (Index j = first; j < m; ++j)
                    moves[static_cast<std::size_t>(j - first)].push_back(worst.row(j).transpose());
            }
            EXPECT_NEAR(result.primal_value, optimum, 2e-6 * optimum);
        }
    }
}

TEST(GivenMoves, BoxesAreThoseOfTheModel) {
    AttackProblem problem = make_attack_problem(AttackKind::Range, Norm::LInf, 4);
    problem.model.lower = Vector::Constant(problem.X.cols(), -1e6);
    problem.model.upper = Vector::Constant(problem.X.cols(), 1e6);
    const SvmResult wanted = train_given(problem, 0.1, {});
    const Index first = problem.X.rows() / 2;
    const Index count = problem.X.rows() - first;
    GivenMoves given{.first = first,
                     .start = std::vector<Index>(static_cast<std::size_t>(count + 1), 0),
                     .moves = {},
                     .half = Matrix(count, problem.X.cols())};
    for (Index k = 0; k < count; ++k) {
        const bool attacks = problem.model.attacks(problem.y[first + k] > 0.0 ? 1 : -1);
        given.half.row(k).setConstant(attacks ? problem.radii[first + k] : 0.0);
        if (problem.model.scale.size() > 0)
            given.half.row(k).array() *= problem.model.scale.transpose().array();
    }
    const SvmResult found = train_given(problem, 0.1, given);
    EXPECT_NEAR(found.primal_value, wanted.primal_value, 1e-7 * wanted.primal_value);
    EXPECT_LE((found.plane.w - wanted.plane.w).norm(), 1e-3 * (1.0 + wanted.plane.w.norm()));
}

TEST(GivenMoves, WrongOnesAreNamed) {
    const AttackProblem problem = make_attack_problem(AttackKind::Range, Norm::L2, 1);
    const Index m = problem.X.rows();
    const auto message = [&](GivenMoves given) {
        try {
            train_given(problem, 0.1, std::move(given));
        } catch (const InvalidInput& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const Matrix one = Matrix::Zero(1, problem.X.cols());
    EXPECT_NE(message({.first = m - 1, .start = {0}, .moves = one, .half = {}}).find("given.start"),
              std::string::npos);
    EXPECT_NE(
        message({.first = m - 1, .start = {0, 2}, .moves = one, .half = {}}).find("given.start"),
        std::string::npos);
    EXPECT_NE(message({.first = m - 1, .start = {0, 1}, .moves = Matrix::Zero(1, 9), .half = {}})
                  .find("given.moves"),
              std::string::npos);
    EXPECT_NE(
        message({.first = m - 1, .start = {0, 1}, .moves = one, .half = one}).find("given.half"),
        std::string::npos);
}

}  // namespace
}  // namespace redoubt::testing
