#include "linalg/kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "redoubt/types.hpp"

namespace redoubt::testing {
namespace {

TEST(Kernels, MultiplyRowsOfAnyLength) {
    for (Index n = 1; n <= 40; ++n) {
        const Matrix wide = Matrix::Random(9, n + 2);
        const Vector w = Vector::Random(n);
        Vector out = Vector::Constant(9, -7.0);
        kernels::multiply_rows({wide.data(), n + 2, n}, w.data(), 2, 8, out.data());
        const Vector expected = wide.leftCols(n) * w;
        EXPECT_LT((out.segment(2, 6) - expected.segment(2, 6)).norm(), 1e-14);
        EXPECT_EQ(out[1], -7.0);
        EXPECT_EQ(out[8], -7.0);
    }
}

TEST(Kernels, AddWeightedRows) {
    const Matrix X = Matrix::Random(20, 13);
    const std::vector<int> rows{3, 3, 19, 0};
    const std::vector<double> coef{1.0, -2.0, 0.5, 4.0};
    Vector out = Vector::Ones(13);
    kernels::add_weighted_rows({X.data(), 13, 13}, rows.data(), coef.data(), 4, out.data());
    const Vector expected =
        (Vector::Ones(13).transpose() - X.row(3) + 0.5 * X.row(19) + 4.0 * X.row(0)).transpose();
    EXPECT_LT((out - expected).norm(), 1e-14);
}

TEST(Kernels, SumClipped) {
    const Vector weight = Vector::Random(41);
    const Vector centre = Vector::Random(41);
    const Vector t = 2.0 * Vector::Random(41);
    const Vector dt = Vector::Random(41);
    for (Index end = 3; end <= 41; ++end) {
        double expected = 0.0;
        for (Index j = 3; j < end; ++j) {
            expected += weight[j] * std::clamp(centre[j] + (t[j] + 0.7 * dt[j]) * 1.5, 0.0, 1.0);
        }
        const double sum = kernels::sum_clipped(
            {weight.data(), centre.data(), t.data(), dt.data(), 0.7, 1.5}, 3, end);
        EXPECT_NEAR(sum, expected, 1e-14);
    }
}

TEST(Kernels, AddGramOnAndAboveTheDiagonal) {
    for (Index width : {8, 16, 40}) {
        const Matrix panel = Matrix::Random(23, width);
        Matrix H = Matrix::Identity(width, width);
        kernels::add_gram(panel.data(), 23, width, H.data());
        const Matrix expected = Matrix::Identity(width, width) + panel.transpose() * panel;
        for (Index a = 0; a < width; ++a) {
            for (Index b = a; b < width; ++b) ASSERT_NEAR(H(a, b), expected(a, b), 1e-13);
        }
    }
}

}  // namespace
}  // namespace redoubt::testing
