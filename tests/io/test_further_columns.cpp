#include <gtest/gtest.h>

#include "support/file_helpers.hpp"

/// Weights and radii beside the features, and how a later file's columns are found.

namespace redoubt {
namespace {

using test::message_of;

using Names = std::vector<std::string>;

constexpr std::string_view kText = "a,w,b,l,r\n1,0.5,2,x,0\n3,2,4,y,1.5\n5,0,6,x,3\n";

/// The settings of `kText` with both columns.
ReadSettings both() {
    return {.label = "l", .weight_column = "w", .radius_column = "r"};
}

TrainingData read_training(std::string_view text, const ReadSettings& settings) {
    return read_training_data(DataSource::text(text), settings);
}

std::string train_error(std::string_view text, const ReadSettings& settings) {
    return message_of<ParseError>([&] { read_training(text, settings); });
}

std::string settings_error(std::string_view text, const ReadSettings& settings) {
    return message_of<InvalidInput>([&] { read_training(text, settings); });
}

/// The message after replacing the first `from` of the base by `to`.
std::string error_after_change(std::string_view from, std::string_view to,
                               MissingValues missing = MissingValues::Error) {
    std::string text(kText);
    text.replace(text.find(from), from.size(), to);
    ReadSettings settings = both();
    settings.missing = missing;
    return train_error(text, settings);
}

PointData points(std::string_view text, const TableCoding& coding,
                 const std::string& radius_column = {}) {
    return read_points(DataSource::text(text), coding, {}, {.radius_column = radius_column});
}

std::string points_error(std::string_view text, const TableCoding& coding,
                         const std::string& radius_column = {}) {
    return message_of<ParseError>([&] { points(text, coding, radius_column); });
}

TEST(WeightAndRadiusColumns, AreReadBesideTheFeatures) {
    const TrainingData data = read_training(kText, both());
    EXPECT_EQ(data.data.X, (Matrix(3, 2) << 1, 2, 3, 4, 5, 6).finished());
    EXPECT_EQ(data.data.y, (Vector(3) << -1, 1, -1).finished());
    EXPECT_EQ(data.data.feature_names, (Names{"a", "b"}));
    EXPECT_EQ(data.weights, (Vector(3) << 0.5, 2, 0).finished());
    EXPECT_EQ(data.radii, (Vector(3) << 0, 1.5, 3).finished());
}

TEST(WeightAndRadiusColumns, AreEmptyUnlessChosen) {
    const TrainingData data = read_training(kText, {.label = "l", .weight_column = "w"});
    EXPECT_EQ(data.data.feature_names, (Names{"a", "b", "r"}));
    EXPECT_EQ(data.weights.size(), 3);
    EXPECT_EQ(data.radii.size(), 0);
    EXPECT_EQ(read_training(kText, {.label = "l"}).weights.size(), 0);
}

TEST(WeightAndRadiusColumns, AreChosenByNumber) {
    const ReadSettings settings{.label = "4", .weight_column = "2", .radius_column = "-1"};
    const std::string text(kText.substr(kText.find('\n') + 1));
    const TrainingData data = read_training(text, settings);
    EXPECT_EQ(data.data.X, (Matrix(3, 2) << 1, 2, 3, 4, 5, 6).finished());
    EXPECT_EQ(data.weights, (Vector(3) << 0.5, 2, 0).finished());
    EXPECT_EQ(data.radii, (Vector(3) << 0, 1.5, 3).finished());
}

TEST(WeightAndRadiusColumns, GoWithTextColumns) {
    const ReadSettings settings{
        .label = "l", .weight_column = "w", .radius_column = "r", .text = TextColumns::OneHot};
    const TrainingData data = read_training("c,w,l,r\nred,1,x,4\nblue,2,y,5\n", settings);
    EXPECT_EQ(data.data.X, (Matrix(2, 2) << 0, 1, 1, 0).finished());
    EXPECT_EQ(data.weights, (Vector(2) << 1, 2).finished());
    EXPECT_EQ(data.radii, (Vector(2) << 4, 5).finished());
    // They never become text themselves.
    EXPECT_EQ(train_error("c,w,l,r\nred,1,x,4\nblue,two,y,5\n", settings),
              "<text>:3:2: expected a number, found 'two' in column 'w'");
}

TEST(WeightAndRadiusColumns, HoldFiniteNumbersFromZeroUpward) {
    EXPECT_EQ(error_after_change("0.5", "-0.5"),
              "<text>:2:2: expected a weight >= 0, found -0.5 in column 'w'");
    EXPECT_EQ(error_after_change("1.5", "-1e-300"),
              "<text>:3:5: expected a radius >= 0, found -1e-300 in column 'r'");
    EXPECT_EQ(error_after_change("1.5", "inf"),
              "<text>:3:5: expected a finite number, found 'inf' in column 'r'");
    EXPECT_EQ(error_after_change("0.5", "heavy"),
              "<text>:2:2: expected a number, found 'heavy' in column 'w'");
    EXPECT_EQ(error_after_change("0.5", "\"0.5\""), "nothing was thrown");
    EXPECT_EQ(error_after_change("0.5", "-0"), "nothing was thrown");
    EXPECT_EQ(train_error("1,-2,x\n1,2,y\n", {.weight_column = "2"}),
              "<text>:1:2: expected a weight >= 0, found -2");
}

TEST(WeightAndRadiusColumns, OneWeightMustCount) {
    EXPECT_EQ(train_error("a,w,l\n1,0,x\n2,0,y\n", {.weight_column = "w"}),
              "<text>: expected a weight above 0, found none");
    EXPECT_EQ(train_error("a,r,l\n1,0,x\n2,0,y\n", {.radius_column = "r"}), "nothing was thrown");
}

TEST(WeightAndRadiusColumns, MissingOnesAreNeverFilled) {
    EXPECT_EQ(error_after_change("0.5", "?"),
              "<text>:2:2: expected a number, found a missing value '?' in column 'w'");
    EXPECT_EQ(error_after_change("0.5", "?", MissingValues::Median),
              "<text>:2:2: expected a weight, found a missing value");
    EXPECT_EQ(error_after_change("1.5", "", MissingValues::Median),
              "<text>:3:5: expected a radius, found a missing value");
}

TEST(WeightAndRadiusColumns, AreDroppedWithTheirRows) {
    const ReadSettings settings{
        .label = "l", .weight_column = "w", .radius_column = "r", .missing = MissingValues::Drop};
    const TrainingData data =
        read_training("a,w,l,r\n1,1,x,10\n?,2,y,20\n3,,y,30\n4,4,x,NA\n5,5,y,50\n", settings);
    EXPECT_EQ(data.data.X, (Matrix(2, 1) << 1, 5).finished());
    EXPECT_EQ(data.weights, (Vector(2) << 1, 5).finished());
    EXPECT_EQ(data.radii, (Vector(2) << 10, 50).finished());
}

TEST(WeightAndRadiusColumns, ServeNothingElse) {
    ReadSettings settings = both();
    settings.weight_column = "l";
    EXPECT_EQ(settings_error(kText, settings),
              "weight_column: expected a column other than the label, got 'l'");
    settings = both();
    settings.radius_column = "2";
    EXPECT_EQ(settings_error(kText, settings),
              "radius_column: expected a column other than the weights, got '2'");
    settings = both();
    settings.ignore_columns = {"r"};
    EXPECT_EQ(settings_error(kText, settings),
              "radius_column: expected a column other than the ignored ones, got 'r'");
    settings = both();
    settings.text_columns = {"w"};
    EXPECT_EQ(settings_error(kText, settings),
              "weight_column: expected a column other than the text columns, got 'w'");
}

TEST(WeightAndRadiusColumns, MustBeThere) {
    ReadSettings settings = both();
    settings.weight_column = "heft";
    EXPECT_EQ(train_error(kText, settings),
              "<text>:1: weight column 'heft' not found; the columns are 'a', 'w', 'b', 'l', 'r'");
}

TEST(WeightAndRadiusColumns, LibsvmHasNone) {
    const std::string_view text = "1 1:2\n-1 1:3\n";
    EXPECT_EQ(settings_error(text, {.weight_column = "w"}),
              "weight_column: LIBSVM text has no such column: 'w'");
    EXPECT_EQ(settings_error(text, {.radius_column = "2"}),
              "radius_column: LIBSVM text has no such column: '2'");
    const TableCoding coding = read_training(kText, both()).coding;
    EXPECT_EQ(message_of<InvalidInput>([&] { points("1:2\n", coding, "r"); }),
              "radius_column: LIBSVM text has no such column: 'r'");
}

TEST(WeightAndRadiusColumns, CountInTheMemoryLimit) {
    ReadSettings settings = both();
    settings.dialect.max_bytes = 3 * 4 * 8;
    EXPECT_EQ(train_error(kText, settings), "nothing was thrown");
    settings.dialect.max_bytes -= 1;
    EXPECT_EQ(train_error(kText, settings),
              "<text>: 3 rows of 4 numbers need more than the limit of 95 bytes");
}

TEST(WeightAndRadiusColumns, AreLeftOutOfATableOfFeatures) {
    const FeatureData data =
        read_features(DataSource::text("a,w,l\n1,-2,x\n"), {.label = "l", .weight_column = "w"});
    EXPECT_EQ(data.X, Matrix::Ones(1, 1));
    EXPECT_EQ(data.feature_names, (Names{"a"}));
}

TEST(WeightAndRadiusColumns, AreIgnoredInLaterFiles) {
    const TableCoding coding = read_training(kText, both()).coding;
    const Matrix X = (Matrix(1, 2) << 7, 8).finished();
    // By name they may be absent or hold anything.
    EXPECT_EQ(points("a,b\n7,8\n", coding).X, X);
    EXPECT_EQ(points("a,w,b,l,r\n7,,8,x,none\n", coding).X, X);
    EXPECT_EQ(points("a,b\n7,8\n", coding).radii.size(), 0);
    // By position they count.
    EXPECT_EQ(points("7,?,8,x,?\n", coding).X, X);
    EXPECT_EQ(points("7,?,8,?\n", coding).X, X);
    EXPECT_EQ(
        points_error("7,8\n", coding),
        "<text>: expected 5 columns as in the training file, or 4 without the label, found 2");
}

TEST(LaterRadii, AreReadByName) {
    const TableCoding coding = read_training("a,b,l\n1,2,no\n3,4,yes\n", {}).coding;
    const PointData data = points("b,reach,a\n6,0.5,5\n8,0,7\n", coding, "reach");
    EXPECT_EQ(data.X, (Matrix(2, 2) << 5, 6, 7, 8).finished());
    EXPECT_EQ(data.radii, (Vector(2) << 0.5, 0).finished());
    EXPECT_FALSE(data.y.has_value());
    const PointData labelled = points("l,reach,a,b\nyes,0.5,5,6\n", coding, "2");
    EXPECT_EQ(*labelled.y, Vector::Ones(1));
    EXPECT_EQ(labelled.radii, Vector::Constant(1, 0.5));
    EXPECT_EQ(points_error("a,b\n5,6\n", coding, "reach"),
              "<text>:1: radius column 'reach' not found; the columns are 'a', 'b'");
    EXPECT_EQ(points_error("a,b,r\n5,6,1\n5,6,-1\n", coding, "r"),
              "<text>:3:3: expected a radius >= 0, found -1 in column 'r'");
}

TEST(LaterRadii, AreNoFeatureAndNoLabel) {
    const TableCoding coding = read_training("a,b,l\n1,2,no\n3,4,yes\n", {}).coding;
    for (const char* column : {"a", "l", "-1"}) {
        EXPECT_EQ(
            message_of<InvalidInput>([&] { points("a,b,l\n5,6,no\n", coding, column); }),
            std::string("radius_column: expected a column other than the features and the label, "
                        "got '") +
                column + "'");
    }
}

TEST(LaterRadii, StandBesideColumnsMatchedByPosition) {
    const TableCoding coding = read_training("1,2,no\n3,4,yes\n", {}).coding;
    const Matrix X = (Matrix(1, 2) << 5, 6).finished();
    for (const auto& [text, column, has_label] : {std::tuple{"9,5,6\n", "1", false},
                                                  {"5,9,6\n", "2", false},
                                                  {"5,6,9\n", "3", false},
                                                  {"9,5,6,no\n", "1", true},
                                                  {"5,6,no,9\n", "-1", true}}) {
        const PointData data = points(text, coding, column);
        EXPECT_EQ(data.X, X) << text;
        EXPECT_EQ(data.radii, Vector::Constant(1, 9)) << text;
        EXPECT_EQ(data.y.has_value(), has_label) << text;
    }
    EXPECT_EQ(message_of<InvalidInput>([&] { points("5,6\n", coding, "1"); }),
              "radius_column: expected a column other than the features and the label, got '1'");
    EXPECT_EQ(points_error("5,6,7,8,9\n", coding, "1"),
              "<text>: expected 3 columns as in the training file, or 2 without the label, and "
              "perhaps one of radii, found 5");
}

TEST(LaterRadii, MayBeTheTrainingFilesOwn) {
    const TableCoding coding =
        read_training("1,0.5,2,no\n3,0.5,4,yes\n", {.radius_column = "2"}).coding;
    const Matrix X = (Matrix(1, 2) << 5, 6).finished();
    const PointData labelled = points("5,9,6,no\n", coding, "2");
    EXPECT_EQ(labelled.X, X);
    EXPECT_EQ(labelled.radii, Vector::Constant(1, 9));
    EXPECT_EQ(*labelled.y, -Vector::Ones(1));
    const PointData unlabelled = points("5,9,6\n", coding, "2");
    EXPECT_EQ(unlabelled.X, X);
    EXPECT_FALSE(unlabelled.y.has_value());
}

TEST(LaterRadii, AreNeverMissing) {
    for (MissingValues missing : {MissingValues::Drop, MissingValues::Median}) {
        const TableCoding coding = read_training("a,l\n1,no\n3,yes\n", {.missing = missing}).coding;
        EXPECT_EQ(points_error("a,r\n1,2\n3,?\n", coding, "r"),
                  "<text>:3:2: expected a radius, found a missing value");
    }
}

TEST(LaterColumns, AllMissingOnesAreNamed) {
    const TableCoding coding = read_training("a,b,c,l\n1,2,3,no\n3,4,5,yes\n", {}).coding;
    EXPECT_EQ(points_error("a,c\n5,6\n", coding),
              "<text>:1: column 'b' of the training file not found; the columns are 'a', 'c'");
    EXPECT_EQ(points_error("d,b\n5,6\n", coding),
              "<text>:1: 2 columns of the training file not found: 'a', 'c'; the columns are 'd', "
              "'b'");
    std::string header;
    std::string row;
    for (int j = 0; j < 30; ++j) {
        header += "f" + std::to_string(j) + ",";
        row += "1,";
    }
    const TableCoding wide =
        read_training(header + "l\n" + row + "no\n" + row + "yes\n", {}).coding;
    EXPECT_EQ(points_error("d\n5\n", wide),
              "<text>:1: 30 columns of the training file not found: 'f0', 'f1', 'f2', 'f3', 'f4', "
              "'f5', 'f6', 'f7', 'f8', 'f9', ...; the columns are 'd'");
}

TEST(LaterColumns, ReorderedOnesAreNamed) {
    const TableCoding coding = read_training("a,b,c,l\n1,2,3,no\n3,4,5,yes\n", {}).coding;
    EXPECT_EQ(points("a,b,c,l\n1,2,3,no\n", coding).reordered, Names{});
    EXPECT_EQ(points("l,a,more,b,c\nno,1,0,2,3\n", coding).reordered, Names{});
    EXPECT_EQ(points("c,b,a\n3,2,1\n", coding).reordered, (Names{"a", "c"}));
    EXPECT_EQ(points("a,more,c,b\n1,x,3,2\n", coding).reordered, (Names{"b", "c"}));
    EXPECT_EQ(points("3,2,1\n", coding).reordered, Names{});
    EXPECT_EQ(points("no 1:2\n", coding).reordered, Names{});
    // The radii are no feature.
    EXPECT_EQ(points("r,a,b,c\n0,1,2,3\n", coding, "r").reordered, Names{});
}

TEST(LaterColumns, TextColumnsAreNamedOnce) {
    const TableCoding coding =
        read_training("a,colour,l\n1,red,no\n3,blue,yes\n", {.text = TextColumns::OneHot}).coding;
    EXPECT_EQ(points("colour,a\nred,1\n", coding).reordered, (Names{"a", "colour"}));
}

}  // namespace
}  // namespace redoubt
