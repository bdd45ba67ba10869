#include <gtest/gtest.h>

#include "support/file_helpers.hpp"

/// Missing values, text columns, and later files read the way the training file was.

namespace redoubt {
namespace {

using test::error_of_text;
using test::from_text;
using test::message_of;

using Names = std::vector<std::string>;

ReadSettings with(MissingValues missing) {
    ReadSettings settings;
    settings.missing = missing;
    return settings;
}

ReadSettings one_hot(MissingValues missing = MissingValues::Error) {
    ReadSettings settings = with(missing);
    settings.text = TextColumns::OneHot;
    return settings;
}

TrainingData train(std::string_view text, const ReadSettings& settings = {}) {
    return read_training_data(DataSource::text(text), settings);
}

Matrix features(std::string_view text, const TableCoding& coding) {
    return read_features(DataSource::text(text), coding).X.to_dense();
}

std::string later_error(std::string_view text, const TableCoding& coding) {
    return message_of<ParseError>([&] { features(text, coding); });
}

TEST(MissingValues, AreAnErrorByDefault) {
    for (std::string missing : {"", "NA", "N/A", "NaN", "nan", "?", "null", " "}) {
        const std::string shown = missing == " " ? "" : missing;
        EXPECT_EQ(
            error_of_text("a,b,l\n1,2,1\n3," + missing + ",-1\n"),
            "<text>:3:2: expected a number, found a missing value '" + shown + "' in column 'b'");
        EXPECT_EQ(
            error_of_text("a,l,b\n1,1,2\n3," + missing + ",-1\n", {.label = "l"}),
            "<text>:3:2: expected a value, found a missing value '" + shown + "' in column 'l'");
    }
}

TEST(MissingValues, DropLeavesRowsOut) {
    const Dataset data =
        from_text("1,2,a\n?,4,b\n5,NA,c\n7,8,b\n9,1,\n", with(MissingValues::Drop));
    EXPECT_EQ(data.X, (Matrix(2, 2) << 1, 2, 7, 8).finished());
    EXPECT_EQ(data.y, (Vector(2) << -1, 1).finished());
    EXPECT_EQ(error_of_text("1,2,a\n?,4,b\n", with(MissingValues::Drop)),
              "<text>: expected at least 2 rows of data, found 1 without missing values");
}

TEST(MissingValues, MedianOfTheTrainingFileFillsEveryFile) {
    const TrainingData odd = train("1,a\n?,b\n9,a\n2,b\n", with(MissingValues::Median));
    EXPECT_EQ(odd.data.X, (Matrix(4, 1) << 1, 2, 9, 2).finished());
    const TrainingData even = train("1,a\n?,b\n9,a\n2,b\n4,a\n", with(MissingValues::Median));
    EXPECT_EQ(even.data.X(1, 0), 3.0);
    // The later file's own median would be 100.
    EXPECT_EQ(features("100\n?\n", even.coding), (Matrix(2, 1) << 100, 3).finished());
    const TrainingData huge = train("1.5e308,a\n?,b\n1.7e308,a\n", with(MissingValues::Median));
    EXPECT_DOUBLE_EQ(huge.data.X(1, 0), 1.6e308);
}

TEST(MissingValues, LabelsAreNeverFilled) {
    EXPECT_EQ(error_of_text("1,a\n2,b\n3,?\n", with(MissingValues::Median)),
              "<text>:3:2: expected a label, found a missing value");
}

TEST(MissingValues, AColumnWithoutValuesHasNoMedian) {
    EXPECT_EQ(error_of_text("1,?,a\n2,?,b\n", with(MissingValues::Median)),
              "<text>: column 2 has no value at all");
    ReadSettings settings = one_hot(MissingValues::Median);
    settings.text_columns = {"2"};
    EXPECT_EQ(error_of_text("1,?,a\n2,?,b\n", settings), "<text>: column 2 has no value at all");
}

TEST(MissingValues, DropCannotAnswerForARow) {
    const TrainingData data = train("1,2,a\n3,4,b\n", with(MissingValues::Drop));
    EXPECT_EQ(later_error("1,2\n3,?\n", data.coding),
              "<text>:2:2: expected a number, found a missing value");
}

TEST(TextColumns, AreAnErrorByDefault) {
    EXPECT_EQ(error_of_text("a,b,l\n1,red,1\n3,blue,-1\n"),
              "<text>:2:2: expected a number, found 'red' in column 'b'");
}

TEST(TextColumns, BecomeOneFeaturePerCategory) {
    const Dataset data = from_text("color,a,l\nred,1,x\nblue,2,y\nred,3,y\n", one_hot());
    EXPECT_EQ(data.feature_names, (Names{"color=blue", "color=red", "a"}));
    EXPECT_EQ(data.X, (Matrix(3, 3) << 0, 1, 1, 1, 0, 2, 0, 1, 3).finished());
}

TEST(TextColumns, OneTextFieldMakesTheWholeColumnText) {
    const Dataset data = from_text("7,1,x,p\n8,1.0,y,q\n9,one,x,p\n", one_hot());
    EXPECT_EQ(data.feature_names, (Names{"x1", "x2=1", "x2=1.0", "x2=one", "x3=x", "x3=y"}));
    EXPECT_EQ(data.X, (Matrix(3, 6) << 7, 1, 0, 0, 1, 0,  //
                       8, 0, 1, 0, 0, 1,                  //
                       9, 0, 0, 1, 1, 0)
                          .finished());
}

TEST(TextColumns, TextMayShowInAnyRow) {
    constexpr Index kRows = 250;
    for (Index place : {1, 98, 99, 100, 101, 200}) {
        std::string text;
        for (Index i = 0; i < kRows; ++i) {
            text += (i >= place ? "one" : "1") + std::string(",7,") + (i % 2 == 0 ? "p" : "q");
            // Another column shows its text elsewhere.
            text += i >= 5 ? ",two\n" : ",2\n";
        }
        ReadSettings settings = one_hot();
        settings.label = "3";
        const Dataset data = from_text(text, settings);
        EXPECT_EQ(data.feature_names, (Names{"x1=1", "x1=one", "x2", "x4=2", "x4=two"})) << place;
        EXPECT_EQ(data.X.dense().col(1).sum(), static_cast<double>(kRows - place));
        EXPECT_EQ(data.X(place - 1, 1), 0.0);
        EXPECT_EQ(data.X(place, 1), 1.0);
        EXPECT_EQ(data.X(4, 4), 0.0);
        EXPECT_EQ(data.X(5, 4), 1.0);
        EXPECT_EQ(data.X.dense().col(2), Vector::Constant(kRows, 7.0));
    }
}

TEST(TextColumns, NumbersAreTextOnRequest) {
    ReadSettings settings;
    settings.text_columns = {"code"};
    const TrainingData data = train("code,l\n3,x\n1,y\n", settings);
    EXPECT_EQ(data.data.feature_names, (Names{"code=1", "code=3"}));
    EXPECT_EQ(features("code\n1\n", data.coding), (Matrix(1, 2) << 1, 0).finished());
}

TEST(TextColumns, InfinityIsNoCategory) {
    EXPECT_EQ(error_of_text("1,p\ninf,q\nred,p\n", one_hot()),
              "<text>:2:1: expected a finite number, found 'inf'");
    EXPECT_EQ(error_of_text("1,p\nred,q\ninf,p\n", one_hot()),
              "<text>:3:1: expected a finite number, found 'inf'");
}

TEST(TextColumns, MissingTextIsFilledWithTheMostFrequent) {
    const TrainingData data =
        train("c,l\nred,x\nblue,y\n?,x\nred,y\n", one_hot(MissingValues::Median));
    EXPECT_EQ(data.data.X.dense().row(2), data.data.X.dense().row(0));
    EXPECT_EQ(features("c\nNA\nblue\n", data.coding), (Matrix(2, 2) << 0, 1, 1, 0).finished());
}

TEST(TextColumns, CategoriesOfDroppedRowsDoNotCount) {
    const Dataset data = from_text("red,1,x\nblue,2,y\ngreen,?,x\n", one_hot(MissingValues::Drop));
    EXPECT_EQ(data.feature_names, (Names{"x1=blue", "x1=red", "x2"}));
}

TEST(TextColumns, UnseenCategoriesAreAnErrorOrZeros) {
    ReadSettings settings = one_hot();
    const std::string_view text = "c,l\nred,x\nblue,y\n";
    EXPECT_EQ(
        later_error("c\nred\ngreen\n", train(text, settings).coding),
        "<text>:3:1: expected a category of the training file ('blue', 'red'), found 'green'");
    settings.unseen = UnseenCategory::Zeros;
    EXPECT_EQ(features("c\nred\ngreen\n", train(text, settings).coding),
              (Matrix(2, 2) << 0, 1, 0, 0).finished());
}

TEST(LaterFile, IsMatchedByName) {
    const TableCoding coding = train("a,b,l\n1,2,no\n3,4,yes\n").coding;
    EXPECT_EQ(features("a,b\n5,6\n", coding), (Matrix(1, 2) << 5, 6).finished());
    EXPECT_EQ(features("extra,b,a\ntext,6,5\n", coding), (Matrix(1, 2) << 5, 6).finished());
    const Dataset data = read_dataset(DataSource::text("l,b,a\nyes,6,5\n"), coding);
    EXPECT_EQ(data.X, (Matrix(1, 2) << 5, 6).finished());
    EXPECT_EQ(data.y, Vector::Ones(1));
    EXPECT_EQ(data.feature_names, (Names{"a", "b"}));
    EXPECT_EQ(later_error("a,c\n5,6\n", coding),
              "<text>:1: column 'b' of the training file not found; the columns are 'a', 'c'");
    EXPECT_EQ(later_error("a,b,a\n5,6,7\n", coding),
              "<text>:1: the column name 'a' occurs more than once");
}

TEST(LaterFile, IsMatchedByPosition) {
    ReadSettings settings;
    settings.label = "2";
    settings.ignore_columns = {"1"};
    const TableCoding coding = train("9,no,1,2\n9,yes,3,4\n", settings).coding;
    const Matrix expected = (Matrix(1, 2) << 5, 6).finished();
    EXPECT_EQ(features("0,no,5,6\n", coding), expected);
    EXPECT_EQ(features("0,anything,5,6\n", coding), expected);
    EXPECT_EQ(features("0,5,6\n", coding), expected);
    EXPECT_EQ(features("id,a,b\n0,5,6\n", coding), expected);
    EXPECT_EQ(
        later_error("5,6\n", coding),
        "<text>: expected 4 columns as in the training file, or 3 without the label, found 2");
}

TEST(LaterFile, MayUseAnotherDialectAndFormat) {
    const TableCoding coding = train("a,b,l\n1,2,no\n3,4,yes\n").coding;
    EXPECT_EQ(features("b\ta\n6\t5\n", coding), (Matrix(1, 2) << 5, 6).finished());
    const Dataset data = read_dataset(DataSource::text("yes 2:6\nno 1:5\n"), coding);
    EXPECT_EQ(data.X, (Matrix(2, 2) << 0, 6, 5, 0).finished());
    EXPECT_EQ(data.y, (Vector(2) << 1, -1).finished());
}

TEST(LaterFile, MayHoldOneClassButNoOther) {
    const TableCoding coding = train("1,0\n2,1\n").coding;
    const auto labels = [&](std::string_view text) {
        return read_dataset(DataSource::text(text), coding).y;
    };
    EXPECT_EQ(labels("5,1.0\n6,1\n"), Vector::Ones(2));
    EXPECT_EQ(message_of<ParseError>([&] { labels("5,1\n6,2\n"); }),
              "<text>:2:2: expected a label '0' or '1', found '2'");
    EXPECT_EQ(message_of<ParseError>([&] { labels("5\n6\n"); }),
              "<text>: expected a label column, found features only");
}

TEST(LaterFile, NeedsARow) {
    EXPECT_EQ(later_error("a\n", train("a,l\n1,0\n2,1\n").coding),
              "<text>: expected at least 1 row of data, found none");
}

TEST(TableCoding, ForModelsFromMemory) {
    const TableCoding coding = TableCoding::numeric(2, {"no", "yes"});
    EXPECT_EQ(coding.feature_names(), (Names{"x1", "x2"}));
    EXPECT_EQ(features("5,6\n", coding), (Matrix(1, 2) << 5, 6).finished());
    EXPECT_EQ(read_dataset(DataSource::text("5,6,no\n"), coding).y, -Vector::Ones(1));
    EXPECT_EQ(message_of<InvalidInput>([] { TableCoding::numeric(0); }),
              "n_features: expected >= 1, got 0");
}

TEST(ReadFeatures, NeedsNoLabelAtAll) {
    ReadSettings settings;
    settings.label = "";
    const FeatureData data = read_features(DataSource::text("a,b\n1,2\n"), settings);
    EXPECT_EQ(data.X, (Matrix(1, 2) << 1, 2).finished());
    EXPECT_EQ(data.feature_names, (Names{"a", "b"}));
    EXPECT_EQ(message_of<InvalidInput>([&] { from_text("1,2\n", settings); }),
              "label: expected the name or number of a column, got none");
}

TEST(LaterPoints, HaveLabelsIfTheFileDoes) {
    const TableCoding coding = train("a,l,b\n1,no,2\n3,yes,4\n", {.label = "l"}).coding;
    const auto points = [&](std::string_view text) {
        return read_points(DataSource::text(text), coding);
    };
    const Matrix X = (Matrix(2, 2) << 5, 6, 7, 8).finished();
    const PointData labelled = points("l,b,extra,a\nyes,6,x,5\nyes,8,y,7\n");
    EXPECT_EQ(labelled.X, X);
    ASSERT_TRUE(labelled.y.has_value());
    EXPECT_EQ(*labelled.y, Vector::Ones(2));
    EXPECT_EQ(labelled.feature_names, (Names{"a", "b"}));
    for (std::string_view text : {"b,a\n6,5\n8,7\n", "5,6\n7,8\n", "1:5 2:6\n1:7 2:8\n"}) {
        EXPECT_EQ(points(text).X, X) << text;
        EXPECT_FALSE(points(text).y.has_value()) << text;
    }
    EXPECT_EQ(*points("5,no,6\n7,yes,8\n").y, (Vector(2) << -1, 1).finished());
    EXPECT_EQ(*points("no 1:5 2:6\nyes 1:7 2:8\n").y, (Vector(2) << -1, 1).finished());
    // Labels for some rows only are a mistake.
    const auto error = [&](std::string_view text) {
        return message_of<ParseError>([&] { points(text); });
    };
    EXPECT_EQ(error("no 1:5\n1:7\n"), "<text>:2:1: expected a label, found a missing value");
    EXPECT_EQ(error("a,b,l\n1,2,no\n1,2,maybe\n"),
              "<text>:3:3: expected a label 'no' or 'yes', found 'maybe'");
}

TEST(LaterPoints, AreNeverDropped) {
    const TableCoding coding = train("a,l\n1,no\n3,yes\n", with(MissingValues::Drop)).coding;
    EXPECT_EQ(message_of<ParseError>(
                  [&] { read_points(DataSource::text("a,l\n1,no\n?,yes\n"), coding); }),
              "<text>:3:1: expected a number, found a missing value");
}

}  // namespace
}  // namespace redoubt
