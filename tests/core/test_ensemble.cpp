#include "redoubt/ensemble.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "redoubt/error.hpp"

namespace redoubt::testing {
namespace {

// x_1 >= 0, x_2 >= 0, x_1 + x_2 <= 1.
Ensemble triangle() {
    const Matrix coef = (Matrix(3, 2) << 1.0, 0.0, 0.0, 1.0, -1.0, -1.0).finished();
    return {coef, (Vector(3) << 0.0, 0.0, 1.0).finished()};
}

TEST(Ensemble, VotesByMajority) {
    const Ensemble ensemble = triangle();
    EXPECT_EQ(ensemble.vote((Vector(2) << 0.2, 0.2).finished()), 3);
    EXPECT_EQ(ensemble.vote((Vector(2) << 2.0, 2.0).finished()), 1);
    EXPECT_EQ(ensemble.vote((Vector(2) << -1.0, 0.5).finished()), 1);
    EXPECT_EQ(ensemble.vote((Vector(2) << -1.0, -1.0).finished()), -1);
    EXPECT_EQ(ensemble.predict((Vector(2) << -1.0, -1.0).finished()), -1);
}

TEST(Ensemble, PointsOnAPlaneCountAsPositive) {
    EXPECT_EQ(triangle().vote((Vector(2) << 0.0, 1.0).finished()), 3);
}

TEST(Ensemble, TiesGoToPlusOne) {
    const Ensemble pair(std::vector<Hyperplane>{{Vector::Constant(1, 1.0), 0.0},
                                                {Vector::Constant(1, -1.0), -1.0}});
    EXPECT_EQ(pair.vote((Vector(1) << 0.5).finished()), 0);
    EXPECT_EQ(pair.predict((Vector(1) << 0.5).finished()), 1);
}

TEST(Ensemble, PlanesWithoutDirectionVoteTheirBias) {
    const Ensemble constant(Hyperplane{Vector::Zero(2), -0.5});
    EXPECT_EQ(constant.predict(Vector::Constant(2, 1e300)), -1);
}

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "no error";
}

TEST(EnsembleErrors, NameWhatIsWrong) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(message_of([] { Ensemble(Matrix(0, 2), Vector(0)); }),
              "coef: expected at least one plane (row), got none");
    EXPECT_EQ(message_of([] { Ensemble(Matrix(1, 0), Vector::Zero(1)); }),
              "coef: expected at least one feature (column), got none");
    EXPECT_EQ(message_of([] { Ensemble(Matrix::Ones(2, 2), Vector::Zero(1)); }),
              "intercept: expected length 2, got length 1");
    EXPECT_EQ(message_of([=] { Ensemble(Matrix::Constant(1, 2, nan), Vector::Zero(1)); }),
              "coef: expected finite numbers, got nan at [0, 0]");
    EXPECT_EQ(message_of([=] { Ensemble(Matrix::Ones(1, 2), Vector::Constant(1, nan)); }),
              "intercept: expected finite numbers, got nan at [0]");
    EXPECT_EQ(message_of([] { Ensemble(std::vector<Hyperplane>{}); }),
              "planes: expected at least one plane, got none");
    EXPECT_EQ(message_of([] {
                  Ensemble(std::vector<Hyperplane>{{Vector::Ones(2), 0.0}, {Vector::Ones(3), 0.0}});
              }),
              "planes[1].w: expected length 2, got length 3");
    EXPECT_EQ(message_of([] { triangle().votes(Matrix::Ones(4, 3)); }),
              "X: expected 2 features, got 3");
    EXPECT_EQ(message_of([=] { triangle().votes(Matrix::Constant(1, 2, nan)); }),
              "X: expected finite numbers, got nan at [0, 0]");
}

}  // namespace
}  // namespace redoubt::testing
