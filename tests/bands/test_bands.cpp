#include "redoubt/bands.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "redoubt/error.hpp"

namespace redoubt {
namespace {

constexpr double kUnit = 0x1p-50;
constexpr Index kRows = 500;
constexpr Index kFeatures = 3;

struct Problem {
    Matrix X = Matrix::Random(kRows, kFeatures);
    Vector y{kRows};
    Vector weights = Vector::Random(kRows).cwiseAbs();
    Vector radii = Vector::Random(kRows).cwiseAbs();
    BandQuery query;

    Problem() {
        for (Index j = 0; j < kRows; ++j) y[j] = j % 3 == 0 ? 1.0 : -1.0;
        weights[7] = 0.0;
        query.w = Vector::Random(kFeatures);
        query.b = 0.3;
        query.size = 0.7;
        query.moves = 0.1 * Matrix::Random(4, kFeatures + 1);
        query.size_moves = 0.1 * Vector::Random(4);
        query.reach = 10.0;
        query.density = std::numeric_limits<double>::infinity();
        query.feature_units = Vector::Constant(kFeatures, kUnit);
        query.radius_unit = query.hinge_unit = query.weight_unit = kUnit;
    }

    BandRows rows(Index begin, Index end) const {
        return {X.middleRows(begin, end - begin), y.segment(begin, end - begin),
                weights.segment(begin, end - begin), radii.segment(begin, end - begin)};
    }

    double t(Index j) const {
        return 1.0 - y[j] * (X.row(j).dot(query.w) + query.b) + radii[j] * query.size;
    }

    double distance(Index j) const {
        double sum = 0.0;
        for (Index i = 0; i < query.moves.rows(); ++i) {
            const double change =
                X.row(j).dot(query.moves.row(i).head(kFeatures)) + query.moves(i, kFeatures);
            const double effect = radii[j] * query.size_moves[i] - y[j] * change;
            sum += effect * effect;
        }
        return std::abs(t(j)) / std::sqrt(sum / static_cast<double>(query.moves.rows()));
    }
};

double value(std::int64_t high, std::int64_t low) {
    return (static_cast<double>(high) * 0x1p32 + static_cast<double>(low)) * kUnit;
}

TEST(Bands, EveryRowIsKeptOrInItsCell) {
    const Problem problem;
    const BandSummary found = summarise_bands(problem.rows(0, kRows), problem.query);
    double hinge = 0.0;
    std::vector<std::int64_t> kept;
    Matrix sums = Matrix::Zero(found.high.rows(), found.high.cols());
    for (Index j = 0; j < kRows; ++j) {
        if (problem.weights[j] == 0.0) continue;
        const double t = problem.t(j);
        const double distance = problem.distance(j);
        hinge += problem.weights[j] * std::max(0.0, t);
        if (distance <= problem.query.reach) {
            kept.push_back(j);
            continue;
        }
        Index place = 0;
        for (double end : BandSummary::cell_ends()) place += distance >= end ? 1 : 0;
        const Index group = (problem.y[j] > 0.0 ? 2 : 0) + (t > 0.0 ? 1 : 0);
        auto cell = sums.row(group * BandSummary::n_distances() + place);
        cell[0] += problem.weights[j];
        cell[1] += problem.weights[j] * problem.radii[j];
        cell.tail(kFeatures) += problem.weights[j] * problem.X.row(j);
    }
    EXPECT_EQ(found.kept, kept);
    EXPECT_GT(kept.size(), 10U);
    EXPECT_NEAR(value(found.hinge_high, found.hinge_low), hinge, 1e-10);
    for (Index i = 0; i < sums.rows(); ++i) {
        for (Index l = 0; l < sums.cols(); ++l)
            EXPECT_NEAR(value(found.high(i, l), found.low(i, l)), sums(i, l), 1e-11);
    }
}

TEST(Bands, PartsAddUpToTheSameBits) {
    Problem problem;
    problem.query.density = 0.4;
    problem.query.seed = 5;
    const BandSummary whole = summarise_bands(problem.rows(0, kRows), problem.query);
    BandSummary sum = summarise_bands(problem.rows(0, 123), problem.query);
    const BandSummary rest = summarise_bands(problem.rows(123, kRows), problem.query);
    sum.high += rest.high;
    sum.low += rest.low;
    for (std::int64_t row : rest.kept) sum.kept.push_back(row + 123);
    EXPECT_EQ(sum.high, whole.high);
    EXPECT_EQ(sum.low, whole.low);
    EXPECT_EQ(sum.kept, whole.kept);
    EXPECT_EQ(sum.hinge_low + rest.hinge_low, whole.hinge_low);
    EXPECT_EQ(sum.hinge_high + rest.hinge_high, whole.hinge_high);
}

TEST(Bands, EqualRowsAreOneWithCopies) {
    Problem problem;
    problem.query.density = 0.7;
    problem.query.reach = 1e3;
    for (Index j = 0; j < kRows; ++j) {
        const Index same = j % 10;
        problem.X.row(j) = problem.X.row(same);
        problem.y[j] = problem.y[same];
        problem.weights[j] = problem.weights[same] + 0.01;
        problem.radii[j] = problem.radii[same];
    }
    const BandSummary found = summarise_bands(problem.rows(0, kRows), problem.query);
    ASSERT_GT(found.kept.size(), 1U);
    EXPECT_LT(found.kept.size(), 20U);
    EXPECT_EQ(std::accumulate(found.copies.begin(), found.copies.end(), std::int64_t{0}) +
                  std::accumulate(found.counts.begin(), found.counts.end(), std::int64_t{0}),
              kRows);

    // Said in short, the rows have the same sums to the last bit.
    BandRows distinct = problem.rows(0, 20);
    std::vector<std::int64_t> copies(20, 0);
    for (Index j = 0; j < kRows; ++j) {
        Index first = 0;
        while (!problem.rows(0, kRows).are_equal(first, j)) ++first;
        ++copies[static_cast<std::size_t>(first)];
    }
    distinct.copies = copies;
    const BandSummary brief = summarise_bands(distinct, problem.query);
    EXPECT_EQ(brief.high, found.high);
    EXPECT_EQ(brief.low, found.low);
    EXPECT_EQ(brief.hinge_high, found.hinge_high);
    EXPECT_EQ(brief.hinge_low, found.hinge_low);
    EXPECT_EQ(brief.counts, found.counts);
    EXPECT_EQ(brief.kept, found.kept);
    EXPECT_EQ(brief.copies, found.copies);
}

TEST(Bands, ASmallerShareKeepsFewerOfTheSameRows) {
    Problem problem;
    const BandSummary all = summarise_bands(problem.rows(0, kRows), problem.query);
    problem.query.share = 0.25;
    const BandSummary some = summarise_bands(problem.rows(0, kRows), problem.query);
    EXPECT_TRUE(
        std::includes(all.kept.begin(), all.kept.end(), some.kept.begin(), some.kept.end()));
    EXPECT_NEAR(static_cast<double>(some.kept.size()), 0.25 * static_cast<double>(all.kept.size()),
                0.15 * static_cast<double>(all.kept.size()));
    for (double probability : some.probability) EXPECT_EQ(probability, 0.25);
}

TEST(Bands, DivisionsSplitCellsBySide) {
    Problem problem;
    const BandSummary plain = summarise_bands(problem.rows(0, kRows), problem.query);
    problem.query.divisions = Matrix::Random(2, kFeatures + 1);
    problem.query.division_sizes = Vector::Constant(2, 0.2);
    const BandSummary divided = summarise_bands(problem.rows(0, kRows), problem.query);
    ASSERT_EQ(divided.high.rows(), 4 * plain.high.rows());
    int n_split = 0;
    for (Index i = 0; i < plain.high.rows(); ++i) {
        EXPECT_EQ(divided.low.middleRows(4 * i, 4).colwise().sum().eval(), plain.low.row(i).eval());
        const auto count = [&](Index k) { return divided.counts[static_cast<std::size_t>(k)]; };
        n_split += (count(4 * i) > 0) + (count(4 * i + 1) > 0) + (count(4 * i + 2) > 0) > 1;
    }
    EXPECT_GT(n_split, 0);
}

TEST(Bands, SmoothSumsAreThoseOfTheFormulas) {
    const Problem problem;
    SmoothQuery query{problem.query.w, problem.query.b, problem.query.size, 0.8, {}};
    query.units = Vector::Constant(SmoothQuery::n_sums(kFeatures), kUnit);
    const SmoothSums found = summarise_smooth(problem.rows(0, kRows), query);
    constexpr Index k = kFeatures + 2;
    Vector sums = Vector::Zero(SmoothQuery::n_sums(kFeatures));
    for (Index j = 0; j < kRows; ++j) {
        const double c = problem.weights[j];
        const double y = problem.y[j];
        const double t = problem.t(j);
        const double a = std::clamp(t / 0.8, 0.0, 1.0);
        sums[0] += c * std::max(0.0, t);
        sums[1] += c * (t * a - 0.4 * a * a);
        const Index first = y > 0.0 ? 2 + k : 2;
        sums[first] += c * a;
        sums[first + 1] += c * a * problem.radii[j];
        sums.segment(first + 2, kFeatures) += c * a * problem.X.row(j).transpose();
        if (a <= 0.0 || a >= 1.0) continue;
        Vector g(k);
        g << -y * problem.X.row(j).transpose(), -y, problem.radii[j];
        Index place = 2 + 2 * k;
        for (Index i = 0; i < k; ++i) {
            for (Index l = i; l < k; ++l) sums[place++] += c * g[i] * g[l];
        }
    }
    for (Index i = 0; i < sums.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        EXPECT_NEAR(value(found.high[at], found.low[at]), sums[i], 1e-10) << i;
    }
}

TEST(Bands, MistakesAreNamed) {
    Problem problem;
    problem.query.feature_units[1] = 0.0;
    EXPECT_THROW(summarise_bands(problem.rows(0, 5), problem.query), InvalidInput);
    problem = {};
    problem.query.moves.resize(4, kFeatures);
    EXPECT_THROW(summarise_bands(problem.rows(0, 5), problem.query), InvalidInput);
    problem = {};
    problem.query.divisions = Matrix::Zero(9, kFeatures + 1);
    problem.query.division_sizes = Vector::Zero(9);
    EXPECT_THROW(summarise_bands(problem.rows(0, 5), problem.query), InvalidInput);
}

TEST(Bands, NumbersOfRowsLookUniform) {
    double sum = 0.0;
    for (std::uint64_t row = 0; row < 10000; ++row) {
        const double value_of_row = row_uniform(3, row);
        ASSERT_GE(value_of_row, 0.0);
        ASSERT_LT(value_of_row, 1.0);
        sum += value_of_row;
    }
    EXPECT_NEAR(sum / 10000, 0.5, 0.01);
    EXPECT_NE(row_uniform(3, 1), row_uniform(4, 1));
}

}  // namespace
}  // namespace redoubt
