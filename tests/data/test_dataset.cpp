#include <gtest/gtest.h>

#include <algorithm>

#include <functional>
#include <limits>

#include "redoubt/dataset.hpp"
#include "support/file_helpers.hpp"

namespace redoubt {
namespace {

using test::message_of;

Dataset base() {
    Matrix X(3, 2);
    X << 1, 2, 3, 4, 5, 6;
    return make_dataset(X, std::vector<std::string>{"a", "b", "a"});
}

std::string error_after(const std::function<void(Dataset&)>& change) {
    Dataset data = base();
    data.check();
    change(data);
    return message_of<InvalidInput>([&] { data.check(); });
}

Matrix with(Matrix X, Index i, Index j, double value) {
    X(i, j) = value;
    return X;
}

TEST(Dataset, CheckNamesWhatIsWrong) {
    const double inf = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(error_after([](Dataset& d) { d.X = Matrix(d.X.dense().topRows(1)); }),
              "X: expected at least 2 rows, got 1");
    EXPECT_EQ(error_after([](Dataset& d) { d.X = Matrix(3, 0); }),
              "X: expected at least 1 column, got none");
    EXPECT_EQ(error_after([](Dataset& d) { d.y.conservativeResize(2); }),
              "y: expected one label per row of X (3), got 2");
    EXPECT_EQ(error_after([](Dataset& d) { d.feature_names = {"one"}; }),
              "feature_names: expected one name per column of X (2), got 1");
    EXPECT_EQ(error_after([&](Dataset& d) { d.X = with(d.X.dense(), 2, 1, inf); }),
              "X: expected finite numbers, got inf in row 3, column 2");
    EXPECT_EQ(error_after([&](Dataset& d) { d.X = with(d.X.dense(), 0, 0, nan); }),
              "X: expected finite numbers, got nan in row 1, column 1");
    EXPECT_EQ(error_after([](Dataset& d) { d.y[1] = 0.0; }),
              "y: expected labels -1 and +1, got 0 in row 2");
    EXPECT_EQ(error_after([&](Dataset& d) { d.y[1] = nan; }),
              "y: expected labels -1 and +1, got nan in row 2");
    EXPECT_EQ(error_after([](Dataset& d) { d.y[1] = -1.0; }),
              "y: expected two classes, got only 'a'");
}

TEST(Dataset, SubsetKeepsOrderAndRepeats) {
    const Dataset part = base().subset({2, 0, 2});
    EXPECT_EQ(part.X, (Matrix(3, 2) << 5, 6, 1, 2, 5, 6).finished());
    EXPECT_EQ(part.y, Vector::Constant(3, -1.0));
    EXPECT_EQ(part.classes, base().classes);
    EXPECT_EQ(message_of<InvalidInput>([] {
                  base().subset({0, 3});
              }),
              "rows: expected numbers from 0 to 2, got 3");
    EXPECT_EQ(message_of<InvalidInput>([] { base().subset({-1}); }),
              "rows: expected numbers from 0 to 2, got -1");
}

using Classes = ClassNames;

Dataset labelled(const std::vector<std::string>& labels, std::string_view positive = {}) {
    return make_dataset(Matrix::Ones(Index(labels.size()), 1), labels, positive);
}

TEST(MakeDataset, LargerNumberOrLaterTextIsPositive) {
    EXPECT_EQ(labelled({"10", "9"}).classes, (Classes{"9", "10"}));
    EXPECT_EQ(labelled({"10", "9"}).y, (Vector(2) << 1, -1).finished());
    EXPECT_EQ(labelled({"-1", "-2"}).classes, (Classes{"-2", "-1"}));
    EXPECT_EQ(labelled({"yes", "no"}).classes, (Classes{"no", "yes"}));
    EXPECT_EQ(labelled({"b10", "b9"}).classes, (Classes{"b10", "b9"}));
    EXPECT_EQ(labelled({"9", "10 or more"}).classes, (Classes{"10 or more", "9"}));
}

TEST(MakeDataset, EqualNumbersAreOneClass) {
    const Dataset data = labelled({"1", "0", "1.0", "+1", "0e5"});
    EXPECT_EQ(data.classes, (Classes{"0", "1"}));
    EXPECT_EQ(data.y, (Vector(5) << 1, -1, 1, 1, -1).finished());
    EXPECT_EQ(data.class_of(data.y[1]), "0");
    EXPECT_EQ(data.class_of(data.y[2]), "1");
}

TEST(MakeDataset, PositiveCanBeChosen) {
    EXPECT_EQ(labelled({"yes", "no"}, "no").classes, (Classes{"yes", "no"}));
    EXPECT_EQ(labelled({"1", "0"}, "0.0").classes, (Classes{"1", "0"}));
    EXPECT_EQ(labelled({"1", "0"}, "0").y, (Vector(2) << -1, 1).finished());
    EXPECT_EQ(message_of<InvalidInput>([] {
                  labelled({"yes", "no"}, "maybe");
              }),
              "positive: expected 'no' or 'yes', got 'maybe'");
}

TEST(MakeDataset, NumericLabels) {
    const Vector labels = (Vector(3) << 2, 0.5, 2).finished();
    const Dataset data = make_dataset(Matrix::Ones(3, 1), labels);
    EXPECT_EQ(data.classes, (Classes{"0.5", "2"}));
    EXPECT_EQ(data.y, (Vector(3) << 1, -1, 1).finished());
    EXPECT_EQ(make_dataset(Matrix::Ones(3, 1), labels, 0.5).classes, (Classes{"2", "0.5"}));
    const Vector bad = (Vector(2) << 1, std::numeric_limits<double>::quiet_NaN()).finished();
    EXPECT_EQ(message_of<InvalidInput>([&] { make_dataset(Matrix::Ones(2, 1), bad); }),
              "labels: expected finite numbers, got nan in row 2");
}

TEST(MakeDataset, RefusesOtherNumbersOfClasses) {
    EXPECT_EQ(message_of<InvalidInput>([] {
                  labelled({"a", "a"});
              }),
              "labels: expected two classes, got one: 'a'");
    EXPECT_EQ(message_of<InvalidInput>([] {
                  labelled({"a", "b", "c"});
              }),
              "labels: expected two classes, got 3: 'a', 'b', 'c'");
    EXPECT_EQ(message_of<InvalidInput>([] { labelled({}); }),
              "labels: expected two classes, got none");
    EXPECT_EQ(message_of<InvalidInput>(
                  [] { make_dataset(Matrix::Ones(2, 1), std::vector<std::string>{"a"}); }),
              "labels: expected one per row of X (2), got 1");
}

TEST(HoldOut, TakesTheShareOfEachClass) {
    Vector y = Vector::Constant(100, -1.0);
    y.head(20).setOnes();
    const Split split = hold_out(y, 0.25, 3);
    EXPECT_EQ(split.test.size(), 25);
    EXPECT_EQ(std::count_if(split.test.begin(), split.test.end(), [](Index j) { return j < 20; }),
              5);
    std::vector<Index> all = split.train;
    all.insert(all.end(), split.test.begin(), split.test.end());
    std::sort(all.begin(), all.end());
    for (Index j = 0; j < 100; ++j) EXPECT_EQ(all[static_cast<std::size_t>(j)], j);
    EXPECT_TRUE(std::is_sorted(split.train.begin(), split.train.end()));
    EXPECT_TRUE(std::is_sorted(split.test.begin(), split.test.end()));
    EXPECT_EQ(hold_out(y, 0.25, 3).test, split.test);
    EXPECT_NE(hold_out(y, 0.25, 4).test, split.test);
}

TEST(HoldOut, LeavesBothPartsBothClasses) {
    const Vector y = (Vector(4) << -1, -1, 1, 1).finished();
    for (double share : {0.01, 0.99}) {
        const Split split = hold_out(y, share, 0);
        EXPECT_EQ(split.train.size(), 2);
        EXPECT_EQ(split.test.size(), 2);
    }
}

TEST(HoldOut, RefusesWhatCannotBeParted) {
    const Vector y = (Vector(3) << -1, -1, 1).finished();
    EXPECT_EQ(message_of<InvalidInput>([&] { hold_out(y, 0.5, 0); }),
              "y: expected at least 2 points of each class, got 1");
    const Vector good = (Vector(4) << -1, -1, 1, 1).finished();
    EXPECT_EQ(message_of<InvalidInput>([&] { hold_out(good, 1.0, 0); }),
              "share: expected a number above 0 and below 1, got 1");
    EXPECT_EQ(message_of<InvalidInput>([&] { hold_out(Vector::Zero(4), 0.5, 0); }),
              "y: expected labels -1 and +1, got 0 at [0]");
}

}  // namespace
}  // namespace redoubt
