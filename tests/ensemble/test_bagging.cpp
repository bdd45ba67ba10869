#include <gtest/gtest.h>

#include "redoubt/bagging.hpp"
#include "redoubt/error.hpp"
#include "support/random_problems.hpp"

namespace redoubt::testing {
namespace {

TEST(Bagging, PlanesAreTheSvmsOfTheirBags) {
    const RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 1);
    BaggingSettings settings;
    settings.n_planes = 4;
    settings.seed = 11;
    settings.C = 0.5;
    const BaggingResult result = train_bagged_svms(problem.data(), settings);
    const Matrix bags = draw_bags(problem.data(), 4, 11);
    ASSERT_EQ(result.planes.size(), 4U);
    EXPECT_EQ(result.status, Status::Optimal);
    for (Index i = 0; i < 4; ++i) {
        EXPECT_EQ(bags.row(i).sum(), static_cast<double>(problem.X.rows()));
        SvmData data = problem.data();
        data.weights = bags.row(i).transpose();
        if (problem.weights.size() > 0) data.weights.array() *= problem.weights.array();
        SvmSettings svm;
        svm.C = 0.5;
        EXPECT_EQ(result.planes[static_cast<std::size_t>(i)].w, train_svm(data, svm).plane.w);
    }
    settings.bags = bags;
    settings.seed = 0;
    EXPECT_EQ(train_bagged_svms(problem.data(), settings).ensemble().coef(),
              result.ensemble().coef());
}

TEST(Bagging, BagsDependOnTheSeedAndNotOnTheirNumber) {
    const RandomProblem problem = make_random_problem(ProblemKind::Unbalanced, 2);
    const Matrix few = draw_bags(problem.data(), 3, 5);
    const Matrix many = draw_bags(problem.data(), 9, 5);
    EXPECT_EQ(few, many.topRows(3));
    EXPECT_NE(few, draw_bags(problem.data(), 3, 6));
    // The one point of its class is in every bag.
    const bool is_plus_alone = (problem.y.array() > 0.0).count() == 1;
    Index lonely = 0;
    (is_plus_alone ? Vector(problem.y) : Vector(-problem.y)).maxCoeff(&lonely);
    EXPECT_GE(many.col(lonely).minCoeff(), 1.0);
}

TEST(Bagging, RejectsBadInput) {
    const RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 4);
    const auto message = [&](const BaggingSettings& settings) -> std::string {
        try {
            train_bagged_svms(problem.data(), settings);
        } catch (const InvalidInput& error) {
            return error.what();
        }
        return "no error";
    };
    BaggingSettings settings;
    settings.n_planes = 0;
    EXPECT_EQ(message(settings), "n_planes: expected an integer >= 1, got 0");
    settings.n_planes = 2;
    settings.bags = Matrix::Ones(3, problem.X.rows());
    EXPECT_EQ(message(settings), "bags: expected 2 rows, got 3");
    settings.bags = Matrix::Ones(2, 1);
    EXPECT_EQ(message(settings).substr(0, 5), "bags:");
    settings.bags = -Matrix::Ones(2, problem.X.rows());
    EXPECT_EQ(message(settings).substr(0, 5), "bags:");
    settings.bags = Matrix::Zero(2, problem.X.rows());
    EXPECT_EQ(message(settings), "bags: expected both classes in every bag, got one in bag 0");
}

}  // namespace
}  // namespace redoubt::testing
