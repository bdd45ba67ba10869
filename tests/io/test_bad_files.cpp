#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/file_helpers.hpp"

/// Each test starts from a file that works, changes one thing and expects one message.

namespace redoubt {
namespace {

using test::error_of_text;
using test::message_of;
using test::TemporaryFolder;

constexpr std::string_view kBase = "a,b,l\n1,2,x\n3,4,y\n5,6,x\n";

/// The message after replacing the first `from` of the base by `to`.
std::string changed(std::string_view from, std::string_view to, const ReadSettings& settings = {}) {
    EXPECT_EQ(error_of_text(kBase), "nothing was thrown");
    std::string text(kBase);
    const std::size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos);
    text.replace(place, from.size(), to);
    return error_of_text(text, settings);
}

std::string path_error(const std::string& path) {
    return message_of<ParseError>([&] { read_dataset(path); });
}

TEST(BadFile, Empty) {
    EXPECT_EQ(changed(kBase, ""), "<text>: the file is empty");
    EXPECT_EQ(changed(kBase, " \n\r\n\t\n"), "<text>: the file is empty");
    EXPECT_EQ(changed(kBase, "\xef\xbb\xbf"), "<text>: the file is empty");
    const TemporaryFolder folder;
    const std::string path = folder.write("empty.csv", "");
    EXPECT_EQ(path_error(path), path + ": the file is empty");
}

TEST(BadFile, TooFewRows) {
    EXPECT_EQ(changed("1,2,x\n3,4,y\n5,6,x\n", ""),
              "<text>: expected at least 2 rows of data, found none");
    EXPECT_EQ(changed("3,4,y\n5,6,x\n", ""), "<text>: expected at least 2 rows of data, found 1");
    EXPECT_EQ(changed("5,6,x\n", ""), "nothing was thrown");
}

TEST(BadFile, RaggedRows) {
    EXPECT_EQ(changed("3,4,y", "3,4"), "<text>:3: expected 3 fields, found 2");
    EXPECT_EQ(changed("3,4,y", "3,4,5,6,y"), "<text>:3: expected 3 fields, found 5");
    EXPECT_EQ(changed("3,4,y", "3,4,y,"), "<text>:3: expected 3 fields, found 4");
    EXPECT_EQ(changed("a,b,l", "a,b,c,l"), "<text>:2: expected 4 fields, found 3");
    EXPECT_EQ(changed("a,b,l", "a,b,l,"), "<text>:2: expected 4 fields, found 3");
    EXPECT_EQ(changed("\n3,4,y", "\n\n\n3,4"), "<text>:5: expected 3 fields, found 2");
}

TEST(BadFile, TextInANumber) {
    EXPECT_EQ(changed("4", "abc"), "<text>:3:2: expected a number, found 'abc' in column 'b'");
    EXPECT_EQ(changed("4", "0x1A"), "<text>:3:2: expected a number, found '0x1A' in column 'b'");
    EXPECT_EQ(changed("4", "4 4"), "<text>:3:2: expected a number, found '4 4' in column 'b'");
    EXPECT_EQ(changed("4", "\"4,5\""),
              "<text>:3:2: expected a number with a decimal point, found '4,5' with a decimal "
              "comma in column 'b'");
    EXPECT_EQ(error_of_text("1,5;2;x\n3;4;y\n"),
              "<text>:1:1: expected a number with a decimal point, found '1,5' with a decimal "
              "comma");
}

ParseError error_in(const std::string& text, const ReadSettings& settings = {}) {
    try {
        read_dataset(DataSource::text(text), settings);
    } catch (const ParseError& error) {
        return error;
    }
    return {"", 0, 0, "nothing was thrown"};
}

TEST(BadFile, StrayTextIsNoCategory) {
    const auto text = [](int n_numbers, int n_texts) {
        std::string lines = "a,l\n";
        for (int i = 0; i < n_numbers; ++i) lines += std::to_string(i) + ",x\n";
        for (int i = 0; i < n_texts; ++i) lines += "about 3,y\n";
        return lines;
    };
    const ReadSettings one_hot{.text = TextColumns::OneHot};
    const ParseError error = error_in(text(199, 1), one_hot);
    EXPECT_STREQ(error.what(),
                 "<text>:201:1: expected a number, found 'about 3' in column 'a', where 199 of 200 "
                 "values are numbers");
    EXPECT_EQ(error.cause(), ParseCause::StrayText);
    EXPECT_EQ(error.columns(), std::vector<std::string>{"a"});
    // One in ten is a stray, more are categories; and so are all of a column that is named.
    EXPECT_EQ(error_in(text(9, 1), one_hot).cause(), ParseCause::StrayText);
    EXPECT_STREQ(error_in(text(8, 1), one_hot).what(), ": nothing was thrown");
    EXPECT_STREQ(error_in(text(199, 1), {.text_columns = {"a"}}).what(), ": nothing was thrown");
}

TEST(BadFile, CausesThatASettingCanCure) {
    const auto cause = [](const std::string& text) { return error_in(text).cause(); };
    EXPECT_EQ(cause("a,l\nred,x\n2,y\n"), ParseCause::Text);
    EXPECT_EQ(cause("a,l\n,x\n2,y\n"), ParseCause::MissingFeature);
    EXPECT_EQ(cause("a,l\n1,\n2,y\n"), ParseCause::MissingLabel);
    EXPECT_EQ(cause("a,l\n1,x\n2,y\n3,z\n"), ParseCause::Classes);
    EXPECT_EQ(cause("a,l\n1,x\n2\n"), ParseCause::Other);
    using Names = std::vector<std::string>;
    EXPECT_EQ(error_in("a,b,c,l\n1,1,1,x\n1,2,2,y\n1,2,3,z\n").columns(), Names{"b"});
    EXPECT_EQ(error_in("a,l\nno,1\nyes,2\nno,3\n").columns(), Names{"a"});
    EXPECT_EQ(error_in("a,l\nno,1\nyes,2\nno,3\n", {.label = "l"}).columns(), Names{});
    EXPECT_EQ(error_in("a,l\nno,1\nyes,2\nno,\"3\n").columns(), Names{});
    // A later file is read as the first one was.
    const TableCoding coding = TableCoding::numeric(1, {"x", "y"});
    try {
        read_dataset(DataSource::text("red,x\n"), coding, {.header = Header::No});
        FAIL();
    } catch (const ParseError& error) {
        EXPECT_EQ(error.cause(), ParseCause::Other);
    }
}

TEST(BadFile, LinesCountInsideQuotes) {
    EXPECT_EQ(changed("1,2,x\n3,4,y", "1,2,\"x\n\n\"\n3,abc,y"),
              "<text>:5:2: expected a number, found 'abc' in column 'b'");
}

TEST(BadFile, NotFinite) {
    EXPECT_EQ(changed("4", "inf"),
              "<text>:3:2: expected a finite number, found 'inf' in column 'b'");
    EXPECT_EQ(changed("4", "-Infinity"),
              "<text>:3:2: expected a finite number, found '-Infinity' in column 'b'");
    EXPECT_EQ(changed("4", "NaN"),
              "<text>:3:2: expected a number, found a missing value 'NaN' in column 'b'");
    EXPECT_EQ(changed("4", "1e999"),
              "<text>:3:2: expected a number of at most 1.7e308 in size, found '1e999' in column "
              "'b'");
    EXPECT_EQ(changed("4", "1e300"), "nothing was thrown");
    EXPECT_EQ(changed("4", "1e-320"), "nothing was thrown");
}

TEST(BadFile, NumberOfClasses) {
    EXPECT_EQ(changed("y", "x"),
              "<text>: expected two classes in the label column 'l', found one: 'x'");
    EXPECT_EQ(changed("5,6,x", "5,6,z"),
              "<text>: expected two classes in the label column 'l', found 3: 'x', 'y', 'z'");
    std::string many = "a,l\n";
    for (int i = 0; i < 2000; ++i) many += "1," + std::to_string(i) + "\n";
    EXPECT_EQ(error_of_text(many),
              "<text>: expected two classes in the label column 'l', found 1000 or more: '0', '1', "
              "'2', '3', '4', '5', '6', '7', '8', '9', ...");
}

TEST(BadFile, LabelColumnMissing) {
    EXPECT_EQ(changed("l", "l", {.label = "class"}),
              "<text>:1: label column 'class' not found; the columns are 'a', 'b', 'l'");
    EXPECT_EQ(changed("l", "l", {.label = "4"}),
              "<text>:1: label column '4' not found; the columns are 'a', 'b', 'l'");
    EXPECT_EQ(changed("l", "l", {.label = "0"}),
              "<text>:1: label column '0' not found; the columns are 'a', 'b', 'l'");
    EXPECT_EQ(changed("l", "l", {.label = "-4"}),
              "<text>:1: label column '-4' not found; the columns are 'a', 'b', 'l'");
    EXPECT_EQ(changed("a,b,l\n", "", {.label = "l"}),
              "<text>: label column 'l' not found; the columns are 'x1', 'x2', 'x3'");
    EXPECT_EQ(changed("a,b,l", "l,b,l", {.label = "l"}),
              "<text>:1: the column name 'l' occurs more than once");
    EXPECT_EQ(changed("a,b,l", "a,a,l"), "<text>:1: the column name 'a' occurs more than once");
    EXPECT_EQ(changed("a,b,l", "a,a,l", {.ignore_columns = {"2"}}),
              "<text>:1: the column name 'a' occurs more than once");
    EXPECT_EQ(error_of_text("a,b,b,l\n1,2,2,x\n3,4,4,y\n", {.ignore_columns = {"2", "3"}}),
              "nothing was thrown");
    EXPECT_EQ(changed("a,b,l", ",x1,l"), "<text>:1: the column name 'x1' occurs more than once");
    EXPECT_EQ(changed("l", "l", {.ignore_columns = {"id"}}),
              "<text>:1: ignored column 'id' not found; the columns are 'a', 'b', 'l'");
    EXPECT_EQ(changed("l", "l", {.text_columns = {"id"}}),
              "<text>:1: text column 'id' not found; the columns are 'a', 'b', 'l'");
}

TEST(BadFile, NoFeatures) {
    EXPECT_EQ(error_of_text("l\nx\ny\n"),
              "<text>: expected at least one feature column besides the label, found none");
}

TEST(BadFile, Quotes) {
    EXPECT_EQ(changed("4", "\"4"), "<text>:3:2: the quoted field is not closed");
    EXPECT_EQ(changed("4", "\"4\"5"),
              "<text>:3:2: expected a separator after the closing quote, found '5'");
}

TEST(BadFile, NotText) {
    EXPECT_EQ(changed("4", std::string_view("\0", 1)), "<text>:3: expected text, found a NUL byte");
    EXPECT_EQ(changed("a,b", "\xff\xfe"),
              "<text>: expected UTF-8 text, found UTF-16; convert it with iconv -f utf-16 -t utf-8 "
              "FILE");
    EXPECT_EQ(changed("4", "\xe9"),
              "<text>:3: expected UTF-8 text, found the byte '\\xe9'; if it is Latin-1, convert it "
              "with iconv -f latin1 -t utf-8 FILE");
    EXPECT_EQ(changed(kBase, "PAR1\x15PAR1"),
              "<text>: expected text, found a Parquet file; python -m redoubt.stream takes it for "
              "predict, certify, attack and evaluate, redoubt.scale.fit trains from it, or convert "
              "it to CSV, in Python with pandas.read_parquet(..).to_csv(.., index=False)");
    // A column may be called so.
    EXPECT_EQ(changed("a,b", "PAR1,b"), "nothing was thrown");
    const std::string_view workbook("PK\x03\x04\x14\0xl", 8);
    EXPECT_EQ(
        changed(kBase, workbook),
        "<text>: expected text, found a zip archive, such as an Excel workbook; save the sheet "
        "as CSV, in Python with pandas.read_excel(..).to_csv(.., index=False)");
    const std::string_view old_workbook("\xd0\xcf\x11\xe0\0", 5);
    EXPECT_EQ(changed(kBase, old_workbook),
              "<text>: expected text, found a workbook of an old Excel; save the sheet as CSV");
    EXPECT_EQ(changed("4", "\x01\x02"),
              "<text>:3:2: expected a number, found '\\x01\\x02' in column 'b'");
}

TEST(BadFile, TooLargeForMemory) {
    ReadSettings settings;
    settings.dialect.max_bytes = 24;
    EXPECT_EQ(changed("l", "l", settings),
              "<text>: 3 rows of 2 numbers need more than the limit of 24 bytes");
    settings.dialect.max_bytes = 3 * 2 * 8;
    EXPECT_EQ(changed("l", "l", settings), "nothing was thrown");
}

TEST(BadFile, TooManyCategoriesForMemory) {
    std::string text = std::string(1000, 'n') + ",l\n";
    for (int i = 0; i < 100; ++i) text += "c" + std::to_string(i) + "," + "xy"[i % 2] + "\n";
    ReadSettings settings;
    settings.text = TextColumns::OneHot;
    settings.dialect.max_bytes = 100 * 100 * 8 - 1;
    EXPECT_EQ(error_of_text(text, settings),
              "<text>: 100 rows of 100 numbers need more than the limit of 79999 bytes");
    // The name of the column occurs in the name of each of its features.
    settings.dialect.max_bytes = 100 * 100 * 8;
    EXPECT_EQ(error_of_text(text, settings),
              "<text>: the names of 100 features need more than the limit of 80000 bytes");
    settings.dialect.max_bytes = 100 * (1000 + 100);
    EXPECT_EQ(error_of_text(text, settings), "nothing was thrown");
}

TEST(BadFile, BadSeparator) {
    ReadSettings settings;
    for (char separator : {'"', '\n', '1', '.', '-'}) {
        settings.dialect.separator = separator;
        EXPECT_THROW(test::from_text(kBase, settings), InvalidInput) << separator;
    }
    settings.dialect.separator = '.';
    EXPECT_EQ(message_of<InvalidInput>([&] { test::from_text(kBase, settings); }),
              "separator: expected a character that is no part of a number, quote or line end, "
              "got '.'");
}

TEST(BadFile, MissingFileOrDirectory) {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "none.csv").string();
    EXPECT_EQ(path_error(path), path + ": no such file");
    const std::string directory = folder.path().string();
    EXPECT_EQ(path_error(directory), directory + ": expected a file, found a directory");
    const std::string below = folder.write("file", kBase) + "/a.csv";
    EXPECT_EQ(path_error(below), below + ": cannot read the file: Not a directory");
}

/// Another user for a while, because nothing is unreadable to root.
class AsNobody {
public:
    AsNobody() {
        if (::geteuid() == 0) changed_ = ::seteuid(65534) == 0;
    }
    ~AsNobody() {
        if (changed_ && ::seteuid(0) != 0) std::abort();
    }
    AsNobody(const AsNobody&) = delete;
    AsNobody& operator=(const AsNobody&) = delete;

private:
    bool changed_ = false;
};

TEST(BadFile, Unreadable) {
    const TemporaryFolder folder;
    const std::string path = folder.write("secret.csv", kBase);
    EXPECT_EQ(path_error(path), "nothing was thrown");
    ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
    ASSERT_EQ(::chmod(path.c_str(), 0), 0);
    std::string message;
    {
        const AsNobody nobody;
        message = path_error(path);
    }
    EXPECT_EQ(message, path + ": cannot read the file: Permission denied");
}

TEST(BadFile, FailsWhileReading) {
    // Opens well; reading its unmapped first page fails.
    if (!std::filesystem::exists("/proc/self/mem")) GTEST_SKIP() << "needs a /proc";
    EXPECT_EQ(path_error("/proc/self/mem"),
              "/proc/self/mem: cannot read the file: Input/output error");
}

TEST(BadFile, ErrorCarriesItsPlace) {
    try {
        test::from_text("a,l\n1,x\nabc,y\n");
        FAIL() << "nothing was thrown";
    } catch (const ParseError& error) {
        EXPECT_EQ(error.path(), "<text>");
        EXPECT_EQ(error.line(), 3);
        EXPECT_EQ(error.column(), 1);
    }
}

}  // namespace
}  // namespace redoubt
