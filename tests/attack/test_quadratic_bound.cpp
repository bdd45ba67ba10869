#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "attack/quadratic_bound.hpp"

namespace redoubt {
namespace {

struct QuadraticProblem {
    Matrix gram;
    Vector c;
    Vector z;
    double s;
    double radius;
    double size;
};

QuadraticProblem make_problem(std::uint64_t seed) {
    std::mt19937_64 rng(seed);
    std::normal_distribution<double> normal;
    const auto k = static_cast<Index>(1 + seed % 9);
    const auto n = static_cast<Index>(1 + (seed / 9) % 12);
    const Matrix A = Matrix::NullaryExpr(k, n, [&] { return normal(rng); });
    const Vector u = Vector::NullaryExpr(n, [&] { return normal(rng); });
    QuadraticProblem problem{A * A.transpose(),     Vector(k), A * u, u.squaredNorm(),
                             std::exp(normal(rng)), u.norm()};
    for (Index i = 0; i < k; ++i) {
        problem.c[i] = normal(rng);
        problem.size += A.row(i).norm();
    }
    return problem;
}

double value(const QuadraticProblem& problem, const Vector& v) {
    const double square = problem.s + 2.0 * problem.z.dot(v) + v.dot(problem.gram * v);
    return problem.radius * std::sqrt(std::max(0.0, square)) + problem.c.dot(v);
}

/// The bound, and the bound of each half with one v_i set, hold for every v; and from any start.
TEST(QuadraticBound, HoldsForEveryChoice) {
    std::mt19937_64 rng(3);
    std::uniform_real_distribution<double> uniform;
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        const QuadraticProblem problem = make_problem(seed);
        const Index k = problem.c.size();
        QuadraticBound bound;
        bound.prepare(problem.gram, problem.radius, problem.c, 12);
        std::vector<int> free(static_cast<std::size_t>(k));
        std::iota(free.begin(), free.end(), 0);
        Vector start = Vector::NullaryExpr(k, [&] { return uniform(rng); });
        const double most = bound.evaluate(free, problem.z, problem.s, 0.0, problem.size, start);
        if (!std::isfinite(most)) continue;
        for (std::uint32_t choice = 0; choice < (std::uint32_t{1} << k); ++choice) {
            const Vector v = Vector::NullaryExpr(k, [&](Index i) { return (choice >> i) & 1U; });
            const double reached = value(problem, v);
            const double tolerance = 1e-12 * problem.radius * problem.size;
            ASSERT_LE(reached, most + tolerance) << "seed " << seed;
            for (Index i = 0; i < k; ++i) {
                const double slope = bound.slope()[i];
                const double loss = std::max(0.0, v[i] == 1.0 ? -slope : slope);
                ASSERT_LE(reached, most - loss + tolerance) << "seed " << seed;
            }
        }
    }
}

/// Orthogonal rows of equal length: ||A'v|| = sqrt(|v|), and the bound is the optimum.
TEST(QuadraticBound, IsExactForOrthogonalRows) {
    const Index k = 9;
    const Vector c = Vector::Constant(k, -0.1);
    QuadraticBound bound;
    bound.prepare(Matrix::Identity(k, k), 1.0, c, k);
    std::vector<int> free(static_cast<std::size_t>(k));
    std::iota(free.begin(), free.end(), 0);
    Vector start = Vector::Constant(k, 0.5);
    const double most = bound.evaluate(free, Vector::Zero(k), 0.0, 0.0, 9.0, start);
    EXPECT_NEAR(most, 3.0 - 0.9, 1e-6);  // all nine rows
}

TEST(QuadraticBound, SaysNothingWhereSquaresVanish) {
    QuadraticBound bound;
    bound.prepare(Matrix::Constant(1, 1, 1e-300), 1.0, Vector::Zero(1), 1);
    Vector start = Vector::Constant(1, 0.5);
    EXPECT_EQ(bound.evaluate({0}, Vector::Zero(1), 0.0, 0.0, 1.0, start), HUGE_VAL);
}

}  // namespace
}  // namespace redoubt
