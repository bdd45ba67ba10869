#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "redoubt/bundled_data.hpp"
#include "support/file_helpers.hpp"

namespace redoubt {
namespace {

using test::message_of;

struct Shape {
    const char* name;
    Index rows;
    Index columns;
    Index n_positive;
    ClassNames classes;
    const char* first_feature;
    const char* last_feature;
};

class BundledShape : public ::testing::TestWithParam<Shape> {};

TEST_P(BundledShape, HasItsKnownShape) {
    const Shape& shape = GetParam();
    const Dataset data = load_bundled(shape.name);
    data.check();
    EXPECT_EQ(data.n_samples(), shape.rows);
    EXPECT_EQ(data.n_features(), shape.columns);
    EXPECT_EQ((data.y.array() > 0.0).count(), shape.n_positive);
    EXPECT_EQ(data.classes, shape.classes);
    ASSERT_EQ(Index(data.feature_names.size()), shape.columns);
    EXPECT_EQ(data.feature_names.front(), shape.first_feature);
    EXPECT_EQ(data.feature_names.back(), shape.last_feature);
}

INSTANTIATE_TEST_SUITE_P(
    All, BundledShape,
    ::testing::Values(
        Shape{"gaussian", 200, 5, 100, {"-1", "1"}, "x1", "x5"},
        Shape{"bcw", 699, 9, 241, {"benign", "malignant"}, "ClumpThickness", "Mitoses"},
        Shape{"digits3", 1797, 64, 183, {"not 3", "3"}, "p00", "p63"},
        Shape{"digits7", 1797, 64, 179, {"not 7", "7"}, "p00", "p63"},
        Shape{"breastcancer", 683, 9, 239, {"benign", "malignant"}, "ClumpThickness", "Mitoses"},
        Shape{"diabetes", 768, 8, 500, {"diabetic", "healthy"}, "Pregnancies", "Age"},
        Shape{"heart", 270, 20, 120, {"healthy", "disease"}, "Age", "Thal=7"}),
    [](const auto& shape) { return std::string(shape.param.name); });

TEST(BundledNames, CoverEverySet) {
    const std::vector<std::string_view> names = bundled_names();
    EXPECT_EQ(names, (std::vector<std::string_view>{"gaussian", "bcw", "digits3", "digits7",
                                                    "breastcancer", "diabetes", "heart"}));
}

TEST(BundledData, MatchesTheFiles) {
    ReadSettings last;
    last.dialect.header = Header::Yes;
    const Dataset gaussian = read_dataset(REDOUBT_DATA "/gaussian.csv", last);
    EXPECT_EQ(load_bundled("gaussian").X, gaussian.X);
    EXPECT_EQ(load_bundled("gaussian").y, gaussian.y);
    const Dataset bcw = read_dataset(REDOUBT_DATA "/breast-cancer-wisconsin.csv");
    EXPECT_EQ(load_bundled("bcw").X, bcw.X);
    EXPECT_EQ(load_bundled("bcw").y, bcw.y);
    ReadSettings first;
    first.label = "1";
    first.dialect.header = Header::Yes;
    const Dataset cancer = read_dataset(REDOUBT_DATA "/tabular/breastcancer.csv", first);
    EXPECT_EQ(load_bundled("breastcancer").X, cancer.X);
    EXPECT_EQ(load_bundled("breastcancer").y, cancer.y);
    // Header names that are numbers win over column numbers: '0' is the first column here.
    first.label = "0";
    const Dataset heart = read_dataset(REDOUBT_DATA "/tabular/heart.csv", first);
    EXPECT_EQ(load_bundled("heart").X, heart.X);
    EXPECT_EQ(load_bundled("heart").y, heart.y);
}

TEST(BundledData, DigitsShareTheirPixels) {
    ReadSettings no_label;
    no_label.label = "";
    const Matrix table = read_features(REDOUBT_DATA "/digits.csv", no_label).X.dense();
    for (int digit : {3, 7}) {
        const Dataset data = load_bundled("digits" + std::to_string(digit));
        EXPECT_EQ(data.X, table.leftCols(64));
        for (Index i = 0; i < data.n_samples(); ++i) {
            EXPECT_EQ(data.y[i] > 0, table(i, 64) == digit) << i;
        }
    }
}

TEST(PublishedSplit, IsAPartitionInPublishedOrder) {
    for (const char* name : {"gaussian", "bcw", "digits3", "digits7"}) {
        const Dataset data = load_bundled(name);
        const Split split = published_split(name);
        std::vector<Index> all = split.train;
        all.insert(all.end(), split.test.begin(), split.test.end());
        std::sort(all.begin(), all.end());
        std::vector<Index> expected(static_cast<std::size_t>(data.n_samples()));
        std::iota(expected.begin(), expected.end(), Index{0});
        EXPECT_EQ(all, expected) << name;
    }
    const Split gaussian = published_split("gaussian");
    EXPECT_EQ(gaussian.train.size(), 160U);
    EXPECT_EQ((std::vector<Index>(gaussian.train.begin(), gaussian.train.begin() + 4)),
              (std::vector<Index>{156, 154, 153, 197}));
    EXPECT_EQ(published_split("bcw").test.size(), 140U);
    EXPECT_EQ(published_split("digits3").train.size(), 1437U);
    EXPECT_EQ(published_split("digits3").train, published_split("digits7").train);
}

TEST(PublishedBags, DrawAsManyRowsAsThereAre) {
    for (const char* name : {"gaussian", "bcw", "digits3", "digits7"}) {
        const Matrix bags = published_bags(name);
        const auto n_train = static_cast<Index>(published_split(name).train.size());
        EXPECT_EQ(bags.rows(), 75) << name;
        ASSERT_EQ(bags.cols(), n_train) << name;
        for (Index t = 0; t < bags.rows(); ++t) EXPECT_EQ(bags.row(t).sum(), n_train) << name;
        EXPECT_EQ(bags.minCoeff(), 0.0) << name;
    }
    EXPECT_EQ(published_bags("gaussian").row(0).head(5),
              (Vector(5) << 1, 0, 1, 2, 1).finished().transpose());
    EXPECT_EQ(published_bags("digits3"), published_bags("digits7"));
}

TEST(BundledData, RefusesUnknownNames) {
    EXPECT_EQ(message_of<InvalidInput>([] { load_bundled("iris"); }),
              "name: expected one of gaussian, bcw, digits3, digits7, breastcancer, diabetes, "
              "heart, got 'iris'");
    EXPECT_EQ(message_of<InvalidInput>([] { published_split("heart"); }),
              "name: expected a set with a published split (gaussian, bcw, digits3, digits7), got "
              "'heart'");
    EXPECT_EQ(message_of<InvalidInput>([] { published_bags("diabetes"); }),
              "name: expected a set with a published split (gaussian, bcw, digits3, digits7), got "
              "'diabetes'");
}

}  // namespace
}  // namespace redoubt
