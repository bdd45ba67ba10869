#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "redoubt/scaler.hpp"
#include "support/file_helpers.hpp"

namespace redoubt {
namespace {

using test::message_of;

constexpr double kDenormal = std::numeric_limits<double>::denorm_min();
constexpr double kHuge = std::numeric_limits<double>::max();

Matrix column(std::initializer_list<double> values) {
    Matrix X(Index(values.size()), 1);
    Index i = 0;
    for (double value : values) X(i++, 0) = value;
    return X;
}

Matrix random_matrix(unsigned seed, Index rows, Index columns) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal;
    Matrix X(rows, columns);
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j) {
            X(i, j) = std::pow(10.0, double(j - 3)) * (normal(generator) + double(j));
        }
    }
    return X;
}

TEST(Scaler, StandardHasMeanZeroAndDeviationOne) {
    const Matrix X = random_matrix(1, 200, 8);
    const Matrix Z = Scaler::fit(Scaling::Standard, X).transform(X);
    for (Index j = 0; j < Z.cols(); ++j) {
        EXPECT_NEAR(Z.col(j).mean(), 0.0, 1e-13);
        EXPECT_NEAR(Z.col(j).squaredNorm() / double(Z.rows()), 1.0, 1e-13);
    }
}

TEST(Scaler, StandardByHand) {
    const Scaler scaler = Scaler::fit(Scaling::Standard, column({1, 2, 3, 6}));
    EXPECT_EQ(scaler.offset()[0], 3.0);
    EXPECT_DOUBLE_EQ(scaler.scale()[0], std::sqrt(3.5));
    EXPECT_EQ(scaler.kind(), Scaling::Standard);
}

TEST(Scaler, MinMaxReachesBothEndsExactly) {
    const Matrix X = random_matrix(2, 100, 8);
    const Matrix Z = Scaler::fit(Scaling::MinMax, X).transform(X);
    for (Index j = 0; j < Z.cols(); ++j) {
        EXPECT_EQ(Z.col(j).minCoeff(), 0.0);
        EXPECT_EQ(Z.col(j).maxCoeff(), 1.0);
    }
}

TEST(Scaler, NoneChangesNothing) {
    const Matrix X = random_matrix(3, 5, 4);
    const Scaler scaler = Scaler::fit(Scaling::None, X);
    EXPECT_EQ(scaler.transform(X), X);
    EXPECT_EQ(scaler.offset(), Vector::Zero(4));
    EXPECT_EQ(scaler.scale(), Vector::Ones(4));
}

TEST(Scaler, InverseUndoesTransform) {
    const Matrix X = random_matrix(4, 100, 8);
    for (Scaling kind : {Scaling::None, Scaling::Standard, Scaling::MinMax, Scaling::MaxAbs}) {
        const Scaler scaler = Scaler::fit(kind, X);
        const Matrix back = scaler.inverse_transform(scaler.transform(X));
        const Matrix error = (back - X).array().rowwise() / scaler.scale().transpose().array();
        EXPECT_LT(error.cwiseAbs().maxCoeff(), 1e-12) << to_string(kind);
    }
}

TEST(Scaler, MaxAbsKeepsZerosAndSigns) {
    Matrix X(3, 3);
    X << 0.0, -4.0, 0.0, 2.0, 1.0, 0.0, 1.0, 3.0, 0.0;
    const Scaler scaler = Scaler::fit(Scaling::MaxAbs, X);
    EXPECT_EQ(scaler.offset(), Vector::Zero(3));
    EXPECT_EQ(scaler.scale(), (Vector(3) << 2.0, 4.0, 1.0).finished());
    EXPECT_EQ(scaler.transform(X).row(1), (Eigen::RowVectorXd(3) << 1.0, 0.25, 0.0).finished());
    EXPECT_EQ(Scaler::fit(Scaling::MaxAbs, Matrix::Constant(2, 1, kHuge)).scale()[0], kHuge);
}

TEST(Scaler, ConstantFeatureHasScaleOne) {
    for (double value : {0.0, 0.1, -3.3, 1e300, kHuge, kDenormal, 1e-310}) {
        const Matrix X = Matrix::Constant(7, 1, value);
        for (Scaling kind : {Scaling::Standard, Scaling::MinMax}) {
            const Scaler scaler = Scaler::fit(kind, X);
            EXPECT_EQ(scaler.scale()[0], 1.0) << value;
            EXPECT_EQ(scaler.offset()[0], value);
            EXPECT_EQ(scaler.transform(X), Matrix::Zero(7, 1)) << value;
        }
    }
}

TEST(Scaler, SizeOfNumbersDoesNotMatter) {
    const Scaler usual = Scaler::fit(Scaling::Standard, column({1, 2, 3, 6}));
    for (int exponent : {-1060, -700, -300, 300, 700, 1020}) {
        const double unit = std::ldexp(1.0, exponent);
        const Matrix X = column({1 * unit, 2 * unit, 3 * unit, 6 * unit});
        const Scaler scaler = Scaler::fit(Scaling::Standard, X);
        EXPECT_EQ(scaler.offset()[0], 3 * unit);
        EXPECT_NEAR(scaler.scale()[0] / unit, usual.scale()[0], 1e-4);
        EXPECT_TRUE(scaler.transform(X).isApprox(usual.transform(column({1, 2, 3, 6})), 1e-4));
    }
}

TEST(Scaler, KeepsSmallSpreadOnLargeMean) {
    const Matrix X = column({1e9, 1e9 + 1, 1e9 + 2, 1e9 + 3});
    const Scaler scaler = Scaler::fit(Scaling::Standard, X);
    EXPECT_DOUBLE_EQ(scaler.scale()[0], std::sqrt(1.25));
    EXPECT_DOUBLE_EQ(scaler.offset()[0], 1e9 + 1.5);
}

TEST(Scaler, ExtremeValuesStayFiniteOrAreRefused) {
    const Matrix wide = column({-1.5e308, 1.5e308});
    const Matrix Z = Scaler::fit(Scaling::Standard, wide).transform(wide);
    EXPECT_EQ(Z, column({-1, 1}));
    EXPECT_EQ(message_of<InvalidInput>([&] { Scaler::fit(Scaling::MinMax, wide); }),
              "X: expected features whose spread a double can hold, got -1.5e+308 to 1.5e+308 in "
              "feature 1");
    Matrix tiny = Matrix::Zero(100, 2);
    tiny(0, 1) = kDenormal;
    EXPECT_EQ(message_of<InvalidInput>([&] { Scaler::fit(Scaling::Standard, tiny); }),
              "X: expected features whose spread a double can hold, got 0 to 5e-324 in feature 2");
}

TEST(Scaler, OverflowOnTheWayIsNoError) {
    // 1.5e308 - (-1e308) overflows, the quotient 2.5 does not; and the way back likewise.
    const Scaler scaler(Scaling::MinMax, Vector::Constant(1, -1e308), Vector::Constant(1, 1e308));
    const Matrix X = column({1.5e308});
    EXPECT_DOUBLE_EQ(scaler.transform(X)(0, 0), 2.5);
    EXPECT_DOUBLE_EQ(scaler.inverse_transform(column({2.5}))(0, 0), 1.5e308);
}

TEST(Scaler, NamesTheFeatureThatOverflows) {
    const Scaler scaler(Scaling::Standard, Vector::Zero(2), (Vector(2) << 1, 1e-10).finished());
    const Matrix X = (Matrix(1, 2) << 1e300, 1e300).finished();
    EXPECT_EQ(message_of<InvalidInput>([&] { scaler.transform(X); }),
              "X: expected numbers that stay finite when scaled, got 1e+300 in row 1, feature 2");
    const Scaler large(Scaling::Standard, Vector::Zero(1), Vector::Constant(1, 1e300));
    EXPECT_EQ(message_of<InvalidInput>([&] {
                  large.inverse_transform(column({1, 1e10}));
              }),
              "Z: expected numbers that stay finite when scaled, got 1e+10 in row 2, feature 1");
}

TEST(Scaler, RefusesBadInput) {
    const Scaler scaler = Scaler::fit(Scaling::Standard, column({1, 2}));
    EXPECT_EQ(message_of<InvalidInput>([&] { scaler.transform(Matrix::Ones(1, 2)); }),
              "X: expected 1 column, got 2");
    EXPECT_EQ(message_of<InvalidInput>([&] { scaler.inverse_transform(Matrix::Ones(1, 3)); }),
              "Z: expected 1 column, got 3");
    EXPECT_EQ(message_of<InvalidInput>([&] {
                  scaler.transform(column({0, std::nan("")}));
              }),
              "X: expected finite numbers, got nan in row 2, feature 1");
    EXPECT_EQ(message_of<InvalidInput>([&] {
                  Scaler::fit(Scaling::None, column({0, INFINITY}));
              }),
              "X: expected finite numbers, got inf in row 2, feature 1");
    EXPECT_EQ(message_of<InvalidInput>([&] { Scaler::fit(Scaling::None, Matrix(0, 2)); }),
              "X: expected at least 1 row, got none");
    const auto build = [](double offset, double scale) {
        return message_of<InvalidInput>([&] {
            Scaler(Scaling::MinMax, Vector::Constant(1, offset), Vector::Constant(1, scale));
        });
    };
    EXPECT_EQ(build(0, 1), "nothing was thrown");
    EXPECT_EQ(build(0, 0), "scale: expected finite numbers above 0, got 0 for feature 1");
    EXPECT_EQ(build(0, -1), "scale: expected finite numbers above 0, got -1 for feature 1");
    EXPECT_EQ(build(INFINITY, 1), "offset: expected finite numbers, got inf for feature 1");
    EXPECT_EQ(
        message_of<InvalidInput>([] { Scaler(Scaling::MinMax, Vector::Zero(2), Vector::Ones(1)); }),
        "scale: expected 2 values, as many as offset, got 1");
}

TEST(Scaling, CustomIsNotLearnt) {
    EXPECT_EQ(message_of<InvalidInput>([] { Scaler::fit(Scaling::Custom, Matrix::Ones(2, 2)); }),
              "kind: expected a scaling that is learnt from data, got 'custom'");
}

TEST(Scaling, NamesRoundTrip) {
    for (Scaling kind :
         {Scaling::None, Scaling::Standard, Scaling::MinMax, Scaling::MaxAbs, Scaling::Custom}) {
        EXPECT_EQ(parse_scaling(to_string(kind)), kind);
    }
    EXPECT_EQ(message_of<InvalidInput>([] { parse_scaling("max"); }),
              "scaling: expected 'none', 'standard', 'minmax', 'maxabs' or 'custom', got 'max'");
}

}  // namespace
}  // namespace redoubt
