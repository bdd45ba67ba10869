#include <gtest/gtest.h>

#include "redoubt/bands.hpp"

namespace redoubt {
namespace {

TEST(BandThreads, AnyNumberGivesTheSameBits) {
    constexpr Index kRows = 20000;
    constexpr Index kColumns = 4;
    const Matrix X = Matrix::Random(kRows, kColumns);
    const Vector y = X.col(0).unaryExpr([](double value) { return value > 0.0 ? 1.0 : -1.0; });
    const Vector weights = Vector::Random(kRows).cwiseAbs();
    const Vector radii = Vector::Random(kRows).cwiseAbs();
    const BandRows rows{X, y, weights, radii};

    BandQuery query;
    query.w = Vector::Random(kColumns);
    query.size = 0.4;
    query.moves = 0.1 * Matrix::Random(3, kColumns + 1);
    query.size_moves = Vector::Zero(3);
    query.density = 0.5;
    query.feature_units = Vector::Constant(kColumns, 0x1p-50);
    query.radius_unit = query.hinge_unit = query.weight_unit = 0x1p-50;
    const BandSummary one = summarise_bands(rows, query, 1);
    const BandSummary four = summarise_bands(rows, query, 4);
    EXPECT_EQ(one.high, four.high);
    EXPECT_EQ(one.low, four.low);
    EXPECT_EQ(one.kept, four.kept);
    EXPECT_EQ(one.probability, four.probability);

    const Vector units = Vector::Constant(SmoothQuery::n_sums(kColumns), 0x1p-50);
    const SmoothQuery smooth{query.w, 0.1, 0.4, 0.5, units};
    EXPECT_EQ(summarise_smooth(rows, smooth, 1).low, summarise_smooth(rows, smooth, 4).low);
}

}  // namespace
}  // namespace redoubt
