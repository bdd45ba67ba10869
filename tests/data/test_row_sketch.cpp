#include "redoubt/row_sketch.hpp"

#include <gtest/gtest.h>

#include <random>

#include "redoubt/error.hpp"

namespace redoubt {
namespace {

Matrix random_rows(Index m, Index n, unsigned seed) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    return Matrix::NullaryExpr(m, n, [&] { return normal(engine); });
}

TEST(RowSketch, KnowsEveryRowOfASmallTable) {
    const Matrix X = random_rows(300, 4, 1);
    const RowSketch sketch = RowSketch::of(X);
    EXPECT_EQ(sketch.hashes.size(), 300);
    EXPECT_FALSE(sketch.is_sample);
    EXPECT_EQ(sketch.repeated_share, 0.0);
    const SeenRows seen = sketch.look_up(X.topRows(7));
    EXPECT_EQ(seen.n_rows, 7);
    EXPECT_EQ(seen.n_looked_up, 7);
    EXPECT_EQ(seen.n_seen, 7);
    EXPECT_TRUE(seen.is_suspicious);
    const SeenRows fresh = sketch.look_up(random_rows(300, 4, 2));
    EXPECT_EQ(fresh.n_looked_up, 300);
    EXPECT_EQ(fresh.n_seen, 0);
    EXPECT_FALSE(fresh.is_suspicious);
}

TEST(RowSketch, PartsAddUp) {
    const Matrix X = random_rows(5000, 3, 4);
    const RowSketch sketch = RowSketch::of(X);
    Matrix mixed(900, 3);
    mixed << X.topRows(400), random_rows(500, 3, 5);
    SeenRows parts;
    for (Index row = 0; row < mixed.rows(); row += 300) {
        parts = sketch.look_up(mixed.middleRows(row, 300), parts);
    }
    const SeenRows whole = sketch.look_up(mixed);
    EXPECT_EQ(parts.n_rows, whole.n_rows);
    EXPECT_EQ(parts.n_looked_up, whole.n_looked_up);
    EXPECT_EQ(parts.n_seen, whole.n_seen);
    EXPECT_EQ(parts.is_suspicious, whole.is_suspicious);
    EXPECT_GT(parts.n_seen, 0);
}

TEST(RowSketch, OneTrainingRowAmongManyIsEnough) {
    const Matrix X = random_rows(300, 4, 1);
    Matrix mixed = random_rows(300, 4, 2);
    mixed.row(17) = X.row(5);
    const SeenRows seen = RowSketch::of(X).look_up(mixed);
    EXPECT_EQ(seen.n_seen, 1);
    EXPECT_TRUE(seen.is_suspicious);
}

TEST(RowSketch, RowsCountAsNumbersAndInTheirOrder) {
    const Matrix X = (Matrix(2, 2) << 0.0, 1.0, 2.0, 3.0).finished();
    const RowSketch sketch = RowSketch::of(X);
    EXPECT_EQ(sketch.look_up((Matrix(1, 2) << -0.0, 1.0).finished()).n_seen, 1);
    EXPECT_EQ(sketch.look_up((Matrix(1, 2) << 1.0, 0.0).finished()).n_seen, 0);
    EXPECT_EQ(sketch.look_up((Matrix(1, 2) << 2.0, std::nextafter(3.0, 4.0)).finished()).n_seen, 0);
}

/// Rows of a few values repeat each other, so some of any new rows are like training rows.
TEST(RowSketch, ExpectsRepetitionWhereTheTrainingDataRepeatThemselves) {
    std::mt19937_64 engine(3);
    const auto draw = [&](Index m) {
        return Matrix(Matrix::NullaryExpr(m, 3, [&] { return static_cast<double>(engine() % 6); }));
    };
    const Matrix X = draw(200);
    const RowSketch sketch = RowSketch::of(X);
    EXPECT_GT(sketch.repeated_share, 0.4);
    int n_false_alarms = 0;
    for (int trial = 0; trial < 200; ++trial) {
        const SeenRows fresh = sketch.look_up(draw(100));
        EXPECT_GT(fresh.n_seen, 0);
        if (fresh.is_suspicious) ++n_false_alarms;
    }
    // Three standard deviations: one in 700 by chance.
    EXPECT_LE(n_false_alarms, 4);
    EXPECT_TRUE(sketch.look_up(X).is_suspicious);
}

TEST(RowSketch, KeepsAFairSampleOfALargeTable) {
    const Matrix X = random_rows(20000, 2, 4);
    const RowSketch sketch = RowSketch::of(X);
    EXPECT_EQ(sketch.hashes.size(), RowSketch::kMaxHashes);
    EXPECT_TRUE(sketch.is_sample);
    sketch.check();
    Matrix mixed = random_rows(20000, 2, 5);
    mixed.topRows(10000) = X.topRows(10000);
    const SeenRows seen = sketch.look_up(mixed);
    EXPECT_NEAR(static_cast<double>(seen.n_looked_up), 2048.0, 200.0);
    EXPECT_NEAR(static_cast<double>(seen.n_seen) / static_cast<double>(seen.n_looked_up), 0.5,
                0.05);
    EXPECT_EQ(sketch.look_up(random_rows(20000, 2, 6)).n_seen, 0);
}

TEST(RowSketch, AnEmptyOneKnowsNothing) {
    const SeenRows seen = RowSketch().look_up(random_rows(5, 2, 1));
    EXPECT_EQ(seen.n_rows, 5);
    EXPECT_EQ(seen.n_looked_up, 0);
    EXPECT_FALSE(seen.is_suspicious);
}

TEST(RowSketch, RefusesWhatNoTableGives) {
    RowSketch sketch;
    sketch.hashes = {3, 3};
    EXPECT_THROW(sketch.check(), InvalidInput);
    sketch.hashes = {3, 2};
    EXPECT_THROW(sketch.check(), InvalidInput);
    sketch.hashes = {2, 3};
    sketch.check();
    sketch.is_sample = true;
    EXPECT_THROW(sketch.check(), InvalidInput);
    sketch.is_sample = false;
    sketch.repeated_share = 1.5;
    EXPECT_THROW(sketch.check(), InvalidInput);
    sketch.repeated_share = 0.0;
    sketch.hashes.resize(RowSketch::kMaxHashes + 1);
    for (std::size_t i = 0; i < sketch.hashes.size(); ++i) sketch.hashes[i] = i;
    EXPECT_THROW(sketch.check(), InvalidInput);
}

}  // namespace
}  // namespace redoubt
