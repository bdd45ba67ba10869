#include <gtest/gtest.h>

#include "io/libsvm_reader.hpp"
#include "support/file_helpers.hpp"

namespace redoubt {
namespace {

using test::error_of_text;
using test::from_text;
using test::message_of;

using Names = std::vector<std::string>;
using Classes = ClassNames;

TEST(Libsvm, ReadsSparseRows) {
    const Dataset data = from_text("+1 1:0.5 3:-2\n-1 2:1e-3 # a remark\n\n# another\n+1\n");
    EXPECT_EQ(data.X, (Matrix(3, 3) << 0.5, 0, -2, 0, 1e-3, 0, 0, 0, 0).finished());
    EXPECT_EQ(data.y, (Vector(3) << 1, -1, 1).finished());
    EXPECT_EQ(data.classes, (Classes{"-1", "+1"}));
    EXPECT_EQ(data.feature_names, (Names{"x1", "x2", "x3"}));
}

TEST(Libsvm, StaysSparse) {
    // 10^5 features of 2,000 rows would be 1.6 GB.
    std::string text;
    for (int row = 0; row < 2000; ++row)
        text += (row % 2 == 0 ? "1 " : "-1 ") + std::to_string(row + 1) + ":1 100000:0.5\n";
    ReadSettings settings;
    settings.dialect.max_bytes = std::size_t{32} << 20;
    const TrainingData train = read_training_data(DataSource::text(text), settings);
    ASSERT_TRUE(train.data.X.is_sparse());
    EXPECT_EQ(train.data.X.sparse()->n_entries(), 4000);
    EXPECT_EQ(train.data.X(1999, 1999), 1.0);
    EXPECT_EQ(train.data.X(1999, 2000), 0.0);
    EXPECT_EQ(train.data.X(0, 99999), 0.5);
    const Dataset part = train.data.subset({7, 3});
    ASSERT_TRUE(part.X.is_sparse());
    EXPECT_EQ(part.X(0, 7), 1.0);
    EXPECT_EQ(part.X(1, 3), 1.0);
    const PointData points = read_points(DataSource::text("5:2\n"), train.coding);
    ASSERT_TRUE(points.X.is_sparse());
    EXPECT_EQ(points.X.cols(), 100000);
    const FeatureData features = read_features(DataSource::text("5:2\n"), train.coding);
    EXPECT_TRUE(features.X.is_sparse());
}

TEST(Libsvm, EmptyRowsAndColumns) {
    const Dataset data = from_text("-1 3:0 5:1\n1\n1 2:0\n");
    EXPECT_EQ(data.X, (Matrix(3, 5) << 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0).finished());
    data.check();
}

TEST(Libsvm, RowsWithoutALabelCanBeDropped) {
    ReadSettings settings;
    settings.missing = MissingValues::Drop;
    const Dataset data = from_text("1 1:1\n2:5\n-1 3:2\n", settings);
    EXPECT_TRUE(data.X.is_sparse());
    EXPECT_EQ(data.X, (Matrix(2, 3) << 1, 0, 0, 0, 0, 2).finished());
}

TEST(Libsvm, MediansCountTheZeros) {
    ReadSettings settings;
    settings.missing = MissingValues::Median;
    const std::string rows[] = {"1 1:4 2:-3 3:5", "-1 1:2 2:-1", "1 1:8 3:1", "-1 1:6 2:-2 3:3"};
    std::string text;
    std::string table;
    Matrix X(4, 3);
    X << 4, -3, 5, 2, -1, 0, 8, 0, 1, 6, -2, 3;
    for (int row = 0; row < 4; ++row) {
        text += rows[row] + "\n";
        for (int l = 0; l < 3; ++l) table += std::to_string(static_cast<int>(X(row, l))) + ",";
        table += rows[row].substr(0, rows[row].find(' ')) + "\n";
        // An odd number of rows, then an even one.
        if (row < 2) continue;
        const TrainingData sparse = read_training_data(DataSource::text(text), settings);
        const TrainingData dense = read_training_data(DataSource::text(table), settings);
        for (std::size_t l = 0; l < 3; ++l)
            EXPECT_EQ(sparse.coding.columns[l + 1].fill, dense.coding.columns[l].fill) << row << l;
    }
}

TEST(Libsvm, ToleratesTheUsualOddities) {
    const Matrix X = (Matrix(2, 2) << 1, 2, 3, 4).finished();
    EXPECT_EQ(from_text("1 1:1 2:2\r\n0 1:3 2:4\r\n").X, X);
    EXPECT_EQ(from_text("  1\t1:1   2:2  \n0 1:3 2:4").X, X);
    EXPECT_EQ(from_text("\xef\xbb\xbf"
                        "1 1:1 2:2\n0 1:3 2:4\n")
                  .X,
              X);
}

TEST(Libsvm, NumberOfFeaturesCanBeGiven) {
    ReadSettings settings;
    settings.n_features = 4;
    EXPECT_EQ(from_text("1 1:1\n0 2:1\n", settings).n_features(), 4);
    settings.n_features = 1;
    EXPECT_EQ(error_of_text("1 1:1\n0 2:1\n", settings),
              "<text>:2:2: expected an index of at most 1, found 2");
    settings.n_features = -1;
    EXPECT_EQ(message_of<InvalidInput>([&] { from_text("1 1:1\n0 2:1\n", settings); }),
              "n_features: expected >= 0, got -1");
}

TEST(Libsvm, LaterFilesHaveTheTrainingFeatures) {
    const TrainingData train = read_training_data(DataSource::text("1 1:1 3:1\n0 2:1\n"));
    const Dataset test = read_dataset(DataSource::text("0 1:5\n"), train.coding);
    EXPECT_EQ(test.X, (Matrix(1, 3) << 5, 0, 0).finished());
    EXPECT_EQ(test.y, -Vector::Ones(1));
    // Rows without a label are fine where no label is needed.
    EXPECT_EQ(read_features(DataSource::text("1:5 2:6\n7 3:1\n"), train.coding).X,
              (Matrix(2, 3) << 5, 6, 0, 0, 0, 1).finished());
    EXPECT_EQ(
        message_of<ParseError>([&] { read_dataset(DataSource::text("0 4:5\n"), train.coding); }),
        "<text>:1:2: expected an index of at most 3, found 4");
    // As CSV the training file would have had the label first.
    EXPECT_EQ(read_dataset(DataSource::text("1,7,8,9\n"), train.coding).X,
              (Matrix(1, 3) << 7, 8, 9).finished());
}

TEST(Libsvm, RefusesTextOfTheTrainingFile) {
    ReadSettings settings;
    settings.text = TextColumns::OneHot;
    const TrainingData train =
        read_training_data(DataSource::text("c,l\nred,1\nblue,0\n"), settings);
    EXPECT_EQ(
        message_of<ParseError>([&] { read_features(DataSource::text("0 1:5\n"), train.coding); }),
        "<text>: LIBSVM text holds numbers only, but the training file had text in column "
        "'c'");
}

std::string changed(const std::string& second_line) {
    EXPECT_EQ(error_of_text("1 1:1 2:2\n-1 1:3 2:4\n"), "nothing was thrown");
    return error_of_text("1 1:1 2:2\n" + second_line + "\n");
}

TEST(Libsvm, BadInput) {
    EXPECT_EQ(changed("-1 2:3 1:4"), "<text>:2:3: expected an index above 2, found 1");
    EXPECT_EQ(changed("-1 2:3 2:4"), "<text>:2:3: expected an index above 2, found 2");
    EXPECT_EQ(changed("-1 0:3"), "<text>:2:2: expected an index from 1 upward, found 0");
    EXPECT_EQ(changed("-1 -2:3"), "<text>:2:2: expected an index from 1 upward, found -2");
    EXPECT_EQ(changed("-1 a:3"), "<text>:2:2: expected index:value, found 'a:3'");
    EXPECT_EQ(changed("-1 1.5:3"), "<text>:2:2: expected index:value, found '1.5:3'");
    EXPECT_EQ(changed("-1 3"), "<text>:2:2: expected index:value, found '3'");
    EXPECT_EQ(changed("-1 99999999999999999999:3"),
              "<text>:2:2: expected index:value, found '99999999999999999999:3'");
    EXPECT_EQ(changed("-1 2147483648:3"),
              "<text>:2:2: expected an index of at most 2147483647, found 2147483648");
    EXPECT_EQ(changed("-1 9223372036854775807:3"),
              "<text>:2:2: expected an index of at most 2147483647, found 9223372036854775807");
    EXPECT_EQ(changed("-1 1:abc"), "<text>:2:2: expected a number, found 'abc'");
    EXPECT_EQ(changed("-1 1:"), "<text>:2:2: expected a number, found a missing value ''");
    EXPECT_EQ(changed("-1 1:nan"), "<text>:2:2: expected a number, found a missing value 'nan'");
    EXPECT_EQ(changed("-1 1:inf"), "<text>:2:2: expected a finite number, found 'inf'");
    EXPECT_EQ(changed("-1 1:1e999"),
              "<text>:2:2: expected a number of at most 1.7e308 in size, found '1e999'");
    EXPECT_EQ(changed("-1 qid:3 1:2"),
              "<text>:2:2: expected index:value, found a ranking query (qid)");
    EXPECT_EQ(changed("1:3 2:4"), "<text>:2:1: expected a label, found a missing value");
    EXPECT_EQ(changed("1 1:3"),
              "<text>: expected two classes in the label column 'label', found one: '1'");
    EXPECT_EQ(changed("# only a remark"), "<text>: expected at least 2 rows of data, found 1");
}

TEST(Libsvm, WithoutFeatures) {
    ReadSettings settings;
    settings.dialect.format = FileFormat::Libsvm;
    EXPECT_EQ(error_of_text("1\n-1\n", settings),
              "<text>: expected at least one feature column besides the label, found none");
}

TEST(Libsvm, MemoryIsLimited) {
    EXPECT_EQ(error_of_text("1 1:1\n-1 2000000000:1\n"),
              "<text>: 2000000000 features need more than the limit of 8589934592 bytes");
    // For each feature 256 bytes for its name and all that, however many rows there are.
    ReadSettings settings;
    settings.dialect.max_bytes = 2 * 256;
    EXPECT_EQ(from_text("1 1:1\n-1 2:1\n", settings).n_features(), 2);
    EXPECT_EQ(error_of_text("1 1:1\n-1 3:1\n", settings),
              "<text>: 3 features need more than the limit of 512 bytes");
}

TEST(Libsvm, IsToldFromCsv) {
    EXPECT_TRUE(io::looks_like_libsvm("# remark\n1 3:4\n"));
    EXPECT_TRUE(io::looks_like_libsvm("3:4 5:6\n"));
    EXPECT_TRUE(io::looks_like_libsvm("1 qid:4 5:6\n"));
    EXPECT_FALSE(io::looks_like_libsvm("1 3 4\n"));
    EXPECT_FALSE(io::looks_like_libsvm("1,3:4\n"));
    EXPECT_FALSE(io::looks_like_libsvm("time a:b\n"));
    const test::TemporaryFolder folder;
    // The extension decides before the content does.
    EXPECT_EQ(message_of<ParseError>([&] {
                  read_dataset(folder.write("a.csv", "1 1:1\n-1 1:2\n"),
                               {.label = "1", .text = TextColumns::OneHot});
              }),
              "nothing was thrown");
    EXPECT_EQ(read_dataset(folder.write("a.svm", "1 1:1\n-1 1:2\n")).n_features(), 1);
    EXPECT_EQ(read_dataset(folder.write("a.dat", "1 1:1\n-1 1:2\n")).n_features(), 1);
}

}  // namespace
}  // namespace redoubt
