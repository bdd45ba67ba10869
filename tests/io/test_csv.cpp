#include <gtest/gtest.h>

#include <cmath>

#include "io/csv_reader.hpp"
#include "support/file_helpers.hpp"

namespace redoubt {
namespace {

using test::from_text;
using test::message_of;

using Names = std::vector<std::string>;
using Classes = ClassNames;

const Matrix kX = (Matrix(3, 2) << 1, 2, 3, 4, 5, 6).finished();
const Vector kY = (Vector(3) << 1, -1, 1).finished();

void expect_base(std::string_view text, const ReadSettings& settings = {}) {
    const Dataset data = from_text(text, settings);
    EXPECT_EQ(data.X, kX) << text;
    EXPECT_EQ(data.y, kY) << text;
}

TEST(Csv, ReadsWithAndWithoutHeader) {
    expect_base("1,2,1\n3,4,-1\n5,6,1\n");
    expect_base("a,b,label\n1,2,1\n3,4,-1\n5,6,1\n");
    EXPECT_EQ(from_text("a,b,label\n1,2,1\n3,4,-1\n").feature_names, (Names{"a", "b"}));
    EXPECT_EQ(from_text("1,2,1\n3,4,-1\n").feature_names, (Names{"x1", "x2"}));
}

TEST(Csv, ToleratesTheUsualOddities) {
    expect_base("a,b,l\r\n1,2,1\r\n3,4,-1\r\n5,6,1\r\n");
    expect_base(
        "\xef\xbb\xbf"
        "a,b,l\n1,2,1\n3,4,-1\n5,6,1\n");
    expect_base("1,2,1\n3,4,-1\n5,6,1");
    expect_base("1,2,1\r\n3,4,-1\r\n5,6,1\r");
    expect_base("1,2,1\n3,4,-1\n5,6,1\n\n\r\n  \n");
    expect_base("\n1,2,1\n\n3,4,-1\n5,6,1\n");
    expect_base(" 1 ,\t2, 1\n3 , 4,-1 \n5,6,1\n");
    expect_base("+1,2e0,+1\n3.0,.4e1,-1\n5.,6,1\n");
    expect_base("\"a,1\",\"b \"\"q\"\"\",\"l\"\n1,2,1\n3,4,-1\n5,6,1\n");
    expect_base("\"1\",\"2\",\"1\"\n\"3\" , \"4\",\"-1\"\n5,6,1\n");
    expect_base("a,b,l\n1,2,1\n3,4,\"-1\n\"\n5,6,1\n");
}

TEST(Csv, QuotedHeaderKeepsItsText) {
    const Dataset data = from_text("\"size, in mm\",\"say \"\"x\"\"\",l\n1,2,1\n3,4,-1\n");
    EXPECT_EQ(data.feature_names, (Names{"size, in mm", "say \"x\""}));
}

TEST(Csv, DropsTheColumnBehindTrailingSeparators) {
    expect_base("1,2,1,\n3,4,-1,\n5,6,1,\n");
    expect_base("a;b;l;\r\n1;2;1;\r\n3;4;-1; \r\n5;6;1;");
    ReadSettings drop;
    drop.missing = MissingValues::Drop;
    drop.label = "1";
    // Not every row ends in nothing, so the last column counts.
    const Dataset data = from_text("1,2,\n-1,4,5\n1,6,7\n", drop);
    EXPECT_EQ(data.X, (Matrix(2, 2) << 4, 5, 6, 7).finished());
    drop.label = "3";
    EXPECT_EQ(from_text("1,2,\n3,4,1\n5,6,-1\n", drop).X, (Matrix(2, 2) << 3, 4, 5, 6).finished());
}

TEST(Csv, DetectsTheSeparator) {
    for (char separator : {',', ';', '\t', '|', ' '}) {
        std::string text = "1,2,1\n3,4,-1\n5,6,1\n";
        std::replace(text.begin(), text.end(), ',', separator);
        EXPECT_EQ(io::detect_separator(text), separator);
        expect_base(text);
        ReadSettings given;
        given.dialect.separator = separator;
        expect_base(text, given);
    }
    EXPECT_EQ(io::detect_separator("1,5;2,5;1\n1,5;2,5;1\n"), ';');
    EXPECT_EQ(io::detect_separator("a b, c d, e\n1, 2, 3\n"), ',');
    EXPECT_EQ(io::detect_separator("\"a;b\",c\n\"a;b\",c\n"), ',');
    EXPECT_EQ(io::detect_separator("note; more,b,c\n1,2,3\n"), ',');
    EXPECT_EQ(io::detect_separator("1,2,3\n1,2\n"), ',');
    EXPECT_EQ(io::detect_separator("1\n2\n"), ',');
}

TEST(Csv, RunsOfBlanksSeparate) {
    expect_base("  1   2  1\n 3 \t 4 -1  \n5 6 1\n");
    expect_base("a b l\n1 2 1\n3 4 -1\n5 6 1\n");
}

TEST(Csv, HeaderCanBeForcedAndForbidden) {
    ReadSettings yes;
    yes.dialect.header = Header::Yes;
    expect_base("0,1,2\n1,2,1\n3,4,-1\n5,6,1\n", yes);
    EXPECT_EQ(from_text("0,,2\n1,2,1\n3,4,-1\n", yes).feature_names, (Names{"0", "x2"}));
    ReadSettings no;
    no.dialect.header = Header::No;
    no.text = TextColumns::OneHot;
    EXPECT_EQ(from_text("a,yes\nb,no\n", no).feature_names, (Names{"x1=a", "x1=b"}));
}

TEST(Csv, TakesARowWithANumberForData) {
    EXPECT_EQ(test::error_of_text("a,1,l\n1,2,1\n3,4,-1\n"),
              "<text>:1:1: expected a number, found 'a'");
}

TEST(Csv, FindsTheLabelByNameAndNumber) {
    ReadSettings settings;
    for (const char* label : {"kind", "2", "-2"}) {
        settings.label = label;
        expect_base("a,kind,b\n1,1,2\n3,-1,4\n5,1,6\n", settings);
    }
    // A name wins over a number.
    settings.label = "1";
    settings.dialect.header = Header::Yes;
    expect_base("2,3,1\n1,2,1\n3,4,-1\n5,6,1\n", settings);
}

TEST(Csv, RemembersTheClasses) {
    EXPECT_EQ(from_text("1,yes\n2,no\n").classes, (Classes{"no", "yes"}));
    EXPECT_EQ(from_text("1,+1\n2,0\n3,1.0\n").classes, (Classes{"0", "+1"}));
    ReadSettings settings;
    settings.positive = "no";
    const Dataset data = from_text("1,yes\n2,no\n", settings);
    EXPECT_EQ(data.classes, (Classes{"yes", "no"}));
    EXPECT_EQ(data.y, (Vector(2) << -1, 1).finished());
    settings.positive = "maybe";
    EXPECT_EQ(message_of<InvalidInput>([&] { from_text("1,yes\n2,no\n", settings); }),
              "positive: expected 'no' or 'yes', got 'maybe'");
}

TEST(Csv, IgnoresColumnsOfAnyContent) {
    ReadSettings settings;
    settings.ignore_columns = {"id", "-2"};
    expect_base("id,a,b,note,l\nu1,1,2,,1\nu2,3,4,\"x,y\",-1\nu3,5,6,NA,1\n", settings);
    settings.ignore_columns = {"l"};
    EXPECT_EQ(message_of<InvalidInput>([&] { from_text("a,l\n1,1\n2,-1\n", settings); }),
              "ignore_columns: expected columns other than the label, got 'l'");
}

TEST(Csv, ExtremeNumbersAreRead) {
    const Dataset data = from_text("1e300,5e-324,1\n-1e300,2.5e-310,-1\n");
    EXPECT_EQ(data.X, (Matrix(2, 2) << 1e300, 5e-324, -1e300, 2.5e-310).finished());
}

TEST(Csv, ReadsFromAFileAndFromAPipe) {
    const test::TemporaryFolder folder;
    const std::string path = folder.write("points.csv", "1,2,1\n3,4,-1\n5,6,1\n");
    EXPECT_EQ(read_dataset(path).X, kX);
    // A device: no size, no map.
    FILE* const pipe = ::popen(("cat " + path).c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    const std::string device = "/dev/fd/" + std::to_string(::fileno(pipe));
    EXPECT_EQ(read_dataset(device).X, kX);
    ::pclose(pipe);
}

TEST(Csv, ReadsStandardInput) {
    const test::TemporaryFolder folder;
    const std::string path = folder.write("points", "1,2,1\n3,4,-1\n5,6,1\n");
    ASSERT_NE(std::freopen(path.c_str(), "r", stdin), nullptr);
    EXPECT_EQ(read_dataset("-").X, kX);
    ASSERT_NE(std::freopen("/dev/null", "r", stdin), nullptr);
    EXPECT_EQ(message_of<ParseError>([] { read_dataset("-"); }), "<stdin>: the file is empty");
}

}  // namespace
}  // namespace redoubt
