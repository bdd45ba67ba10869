#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "redoubt/bagging.hpp"
#include "redoubt/error.hpp"
#include "redoubt/svm.hpp"
#include "support/random_problems.hpp"
#include "support/seeds.hpp"
#include "support/sparse_copies.hpp"
#include "support/svm_optimality.hpp"
#include "svm/merged_columns.hpp"

namespace redoubt::testing {
namespace {

const std::uint64_t kSeeds = n_seeds(12);

enum class Shape { Wide, Tall, Duplicated, BadlyScaled, Separable };

/// Word counts, with empty rows and columns, columns that are copies of others, and weights 0.
RandomProblem words(Shape shape, std::uint64_t seed) {
    std::mt19937_64 random(100 * static_cast<std::uint64_t>(shape) + seed);
    const bool is_tall = shape == Shape::Tall;
    const Index m = is_tall ? 300 : 60;
    const Index n = is_tall ? 30 : 250;
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    RandomProblem problem;
    problem.X = Matrix::Zero(m, n);
    problem.y.resize(m);
    problem.weights.resize(m);
    problem.radii.resize(m);
    for (Index j = 0; j < m; ++j) {
        problem.y[j] = j < 2                   ? 2.0 * static_cast<double>(j) - 1.0
                       : uniform(random) < 0.4 ? 1.0
                                               : -1.0;
        problem.weights[j] = j >= 2 && uniform(random) < 0.1 ? 0.0 : 0.5 + uniform(random);
        problem.radii[j] = 0.02 + 0.1 * uniform(random);
        if (j == 4) continue;  // an empty row
        for (int i = 0; i < 12; ++i) {
            const auto l =
                static_cast<Index>(uniform(random) * uniform(random) * static_cast<double>(n));
            if (l % 10 == 7) continue;  // an empty column
            problem.X(j, l) += 1.0 + (problem.y[j] > 0.0 && l % 3 == 0 ? 1.0 : 0.0);
        }
        if (shape == Shape::Separable && !is_tall) problem.X(j, j % 2) = 6.0 * problem.y[j];
    }
    if (shape == Shape::Duplicated) {
        for (Index l = 0; l + 1 < n; l += 2) problem.X.col(l + 1) = problem.X.col(l);
    }
    if (shape == Shape::BadlyScaled) {
        for (Index l = 0; l < n; ++l)
            problem.X.col(l) *= std::pow(10.0, 3.0 * uniform(random) - 1.5);
    }
    return problem;
}

void expect_plain_optimum(const RandomProblem& problem, const PointsRef& X, double C) {
    const SvmResult result = train_svm({X, problem.y, problem.weights}, {.C = C});
    ASSERT_EQ(result.status, Status::Optimal) << result.relative_gap;
    const double primal = svm_objective(problem, C, result.plane);
    const double dual = svm_lower_bound(problem, C, result.dual_ratio);
    const double scale = C * problem.weights.sum();
    EXPECT_LE(primal - dual, 1.01e-8 * std::max(primal, kGapFloor * scale) + 1e-13);
    const SvmResult dense = train_svm(problem.data(), {.C = C});
    EXPECT_NEAR(primal, dense.primal_value, 2e-8 * std::max(primal, kGapFloor * scale));
}

void expect_robust_optimum(const RandomProblem& problem, const PointsRef& X, Norm norm) {
    RobustSvmSettings settings;
    settings.attack_model = AttackModel::ball(norm);
    const SvmResult result =
        train_robust_svm({X, problem.y, problem.weights}, problem.radii, settings);
    ASSERT_EQ(result.status, Status::Optimal) << result.relative_gap;
    const double floor = kGapFloor * problem.weights.sum();
    const double primal = robust_objective(problem, problem.radii, norm, 0.0, result.plane);
    const double size = 2.0 * norm_value(dual(norm), result.plane.w);
    const double bound = robust_lower_bound(problem, problem.radii, norm, size, result.dual_ratio);
    EXPECT_LE(primal - bound, 1.01e-8 * std::max(primal, floor) + 1e-13);
    const SvmResult dense = train_robust_svm(problem.data(), problem.radii, settings);
    EXPECT_NEAR(primal, dense.primal_value, 2e-8 * std::max(primal, floor));
}

void expect_optima(const RandomProblem& problem) {
    const SparseCopy<std::int32_t, std::int32_t> narrow(problem.X, 5);
    const SparseCopy<std::int64_t, std::int64_t> wide(problem.X);
    for (double C : {0.1, 10.0}) expect_plain_optimum(problem, narrow.view(), C);
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        SCOPED_TRACE(::testing::Message() << to_string(norm));
        expect_robust_optimum(problem, wide.view(), norm);
    }
}

TEST(SparseSvm, ClosesTheGapRecomputedFromTheWords) {
    for (Shape shape :
         {Shape::Wide, Shape::Tall, Shape::Duplicated, Shape::BadlyScaled, Shape::Separable}) {
        for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
            SCOPED_TRACE(::testing::Message() << static_cast<int>(shape) << " seed " << seed);
            expect_optima(words(shape, seed));
        }
    }
}

TEST(SparseSvm, ClosesTheGapOnEveryKindOfProblem) {
    for (ProblemKind kind : all_problem_kinds()) {
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            SCOPED_TRACE(::testing::Message() << to_string(kind) << " seed " << seed);
            expect_optima(make_random_problem(kind, seed));
        }
    }
}

TEST(SparseSvm, TrainsAgainstAttackModels) {
    const RandomProblem problem = words(Shape::Tall, 1);
    const SparseMatrix X = compressed(problem.X);
    RobustSvmSettings settings;
    settings.attack_model = AttackModel::ball(Norm::LInf);
    settings.attack_model.lower = Vector::Zero(problem.X.cols());
    settings.attack_model.upper = Vector::Constant(problem.X.cols(), HUGE_VAL);
    const SvmResult sparse =
        train_robust_svm({X, problem.y, problem.weights}, problem.radii, settings);
    const SvmResult dense = train_robust_svm(problem.data(), problem.radii, settings);
    EXPECT_EQ(sparse.status, Status::Optimal);
    EXPECT_NEAR(sparse.primal_value, dense.primal_value, 2e-8 * dense.primal_value);
}

TEST(SparseSvm, MergesColumnsThatAreAlikeAndSkipsEmptyOnes) {
    const RandomProblem data = words(Shape::Duplicated, 3);
    const SparseMatrix X = compressed(data.X);
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        HingeProblem problem({X, data.y, data.weights});
        problem.set_threat(AttackModel::ball(norm), data.radii);
        const std::optional<MergedColumns> merged = MergedColumns::of(problem);
        ASSERT_TRUE(merged.has_value());
        Index n_live = 0;
        for (Index l = 0; l < data.X.cols(); ++l) n_live += data.X.col(l).any() ? 1 : 0;
        if (norm == Norm::L2) {
            EXPECT_LE(2 * merged->problem().n(), n_live);
        } else {
            EXPECT_EQ(merged->problem().n(), n_live);
        }
        // Products and lengths of planes with equal weights on equal columns stay what they are.
        Vector u = Vector::Random(merged->problem().n());
        const Vector w = merged->expand(u);
        EXPECT_NEAR(w.norm(), u.norm(), 1e-12 * u.norm());
        EXPECT_LT((merged->merge(w) - u).norm(), 1e-12 * u.norm());
        for (Index j = 0; j < data.X.rows(); ++j)
            EXPECT_NEAR(data.X.row(j).dot(w), merged->problem().rows.dot(j, u.data()), 1e-11);
    }
}

TEST(SparseSvm, SameBitsForEveryFormAndNumberOfThreads) {
    const RandomProblem problem = words(Shape::Wide, 2);
    const SparseCopy<std::int32_t, std::int32_t> narrow(problem.X);
    const SparseCopy<std::int64_t, std::int64_t> wide(problem.X);
    const SparseMatrix own = compressed(problem.X);
    const SvmResult first = train_svm({narrow.view(), problem.y, problem.weights});
    for (const PointsRef& X : {PointsRef(wide.view()), PointsRef(own)}) {
        const SvmResult other = train_svm({X, problem.y, problem.weights}, {.n_threads = 4});
        EXPECT_EQ(first.plane.w, other.plane.w);
        EXPECT_EQ(first.plane.b, other.plane.b);
    }
    BaggingSettings bagging;
    bagging.n_planes = 3;
    const BaggingResult bags = train_bagged_svms({own, problem.y, problem.weights}, bagging);
    EXPECT_EQ(bags.status, Status::Optimal);
    const BaggingResult dense = train_bagged_svms(problem.data(), bagging);
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_LT((bags.planes[i].w - dense.planes[i].w).norm(), 1e-3 * dense.planes[i].w.norm());
}

std::string complaint(const SparseView& X) {
    try {
        train_svm({X, Vector{{1.0, -1.0}}, {}});
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "none";
}

TEST(SparseSvm, NamesWhatIsWrong) {
    Matrix good(2, 3);
    good << 1.0, 2.0, 0.0, 0.0, -1.0, 3.0;
    using Copy = SparseCopy<std::int64_t, std::int64_t>;
    EXPECT_EQ(complaint(Copy(good).view()), "none");
    Copy copy(good);
    copy.columns = {1, 0, 1, 2};
    EXPECT_EQ(complaint(copy.view()),
              "X: expected columns that ascend within a row, each at most once, got 0 after 1 in "
              "row 0");
    copy.columns = {0, 1, 2, 2};
    EXPECT_EQ(complaint(copy.view()),
              "X: expected columns that ascend within a row, each at most once, got 2 after 2 in "
              "row 1");
    copy.columns = {0, 1, -1, 2};
    EXPECT_EQ(complaint(copy.view()), "X: expected columns 0 to 2, got -1 in row 1");
    copy.columns = {0, 1, 1, std::int64_t{1} << 40};
    EXPECT_EQ(complaint(copy.view()), "X: expected columns 0 to 2, got 1099511627776 in row 1");
    copy = Copy(good);
    copy.values[2] = NAN;
    EXPECT_EQ(complaint(copy.view()),
              "X: expected finite numbers of magnitude at most 1e+100, got nan at [1, 1]");
    copy = Copy(good);
    copy.starts = {0, 5, 4};
    EXPECT_EQ(complaint(copy.view()),
              "X: expected row starts that ascend to 4, the number of entries, got 5 after row 0");
    copy.starts = {1, 2, 4};
    EXPECT_EQ(complaint(copy.view()), "X: expected row starts that begin with 0, got 1");
}

}  // namespace
}  // namespace redoubt::testing
