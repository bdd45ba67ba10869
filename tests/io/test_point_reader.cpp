#include <gtest/gtest.h>

#include <random>

#include "redoubt/error.hpp"
#include "redoubt/point_reader.hpp"
#include "support/file_helpers.hpp"

namespace redoubt {
namespace {

using test::message_of;

/// Two numbers, a text with three categories, and the label.
TableCoding mixed_coding() {
    TableCoding coding;
    coding.columns = {{.name = "a"},
                      {.name = "b"},
                      {.name = "job", .categories = {"cook", "line\nbreak", "say \"hi\""}},
                      {.name = "class", .role = ColumnRole::Label}};
    coding.has_header = true;
    coding.classes = {"down", "up"};
    coding.missing = MissingValues::Median;
    return coding;
}

/// All blocks below each other.
PointData joined(PointReader reader, std::size_t* n_blocks = nullptr) {
    PointData all;
    std::vector<PointData> parts;
    while (std::optional<PointData> part = reader.next()) {
        EXPECT_GT(part->X.rows(), 0);
        parts.push_back(*std::move(part));
    }
    EXPECT_TRUE(reader.is_at_end());
    if (n_blocks != nullptr) *n_blocks = parts.size();
    all = parts.at(0);
    for (std::size_t k = 1; k < parts.size(); ++k) {
        const PointData& part = parts[k];
        const Index n = all.X.rows();
        all.X.append(part.X);
        EXPECT_EQ(part.y.has_value(), all.y.has_value());
        if (all.y) {
            all.y->conservativeResize(n + part.X.rows());
            all.y->tail(part.X.rows()) = *part.y;
        }
        if (all.radii.size() > 0) {
            all.radii.conservativeResize(n + part.X.rows());
            all.radii.tail(part.X.rows()) = part.radii;
        }
        // No list at all stands for rows without gaps.
        if (!all.missing.empty() || !part.missing.empty()) {
            all.missing.resize(static_cast<std::size_t>(n));
            for (Index i = 0; i < part.X.rows(); ++i) {
                all.missing.push_back(part.missing.empty()
                                          ? std::vector<int>{}
                                          : part.missing[static_cast<std::size_t>(i)]);
            }
        }
        EXPECT_EQ(part.reordered, all.reordered);
    }
    return all;
}

void expect_same(const PointData& found, const PointData& expected, const std::string& where) {
    ASSERT_EQ(found.X.rows(), expected.X.rows()) << where;
    EXPECT_TRUE(found.X == expected.X) << where;
    ASSERT_EQ(found.y.has_value(), expected.y.has_value()) << where;
    EXPECT_TRUE(!found.y || *found.y == *expected.y) << where;
    EXPECT_TRUE(found.radii == expected.radii) << where;
    EXPECT_EQ(found.missing, expected.missing) << where;
    EXPECT_EQ(found.reordered, expected.reordered) << where;
}

/// Every block size from a byte to all of it gives what the whole text gives, errors included.
void expect_any_split(const std::string& text, const TableCoding& coding,
                      const PointColumns& columns = {}) {
    const DataSource source = DataSource::text(text, "rows");
    std::optional<PointData> expected;
    std::string problem;
    try {
        expected = read_points(source, coding, {}, columns);
    } catch (const ParseError& error) {
        problem = error.what();
    }
    for (std::size_t size = 1; size <= text.size() + 1; ++size) {
        const std::string where = "blocks of " + std::to_string(size) + ":\n" + text;
        if (expected) {
            expect_same(joined(PointReader(source, coding, {}, columns, size)), *expected, where);
        } else {
            const auto read = [&] { joined(PointReader(source, coding, {}, columns, size)); };
            EXPECT_EQ(message_of<ParseError>(read), problem) << where;
        }
    }
}

/// Rows enough that there is more than one block: the separator takes twenty lines to show.
std::string with_many_rows(const std::string& head, const std::string& row) {
    std::string text = head;
    for (int i = 0; i < 30; ++i) text += row;
    return text;
}

TEST(PointReader, GivesTheSameRowsForAnyBlockSize) {
    const TableCoding coding = mixed_coding();
    const std::string head = "a,b,job,class\n";
    for (const std::string& row :
         {std::string("1,2,cook,up\n"), std::string("1.5,-2e-3,\"line\nbreak\",down\n"),
          std::string("1,\" 2 \",\"say \"\"hi\"\"\",up\n"), std::string("1,2,cook,up\r\n"),
          std::string("\n1,,cook,up\n  \n"), std::string("1,2,,up\n")}) {
        const std::string text = with_many_rows(head, row);
        expect_any_split(text, coding);
        expect_any_split(text + "3,4,cook,down", coding);
        expect_any_split("\xef\xbb\xbf" + text + "3,4,\"say \"\"hi\"\"\"", coding);
        expect_any_split(text + "\n\n\n   ", coding);
    }
    expect_any_split(with_many_rows("class\tjob\tb\ta\tmore\n", "up\tcook\t1\t2\t\"x\ty\"\n"),
                     coding);
    expect_any_split(with_many_rows("a;b;job\n", "1;2;cook\n"), coding);
    expect_any_split(with_many_rows("a b job class\n", "1  2 cook \t up\n"), coding);
    expect_any_split(with_many_rows("", "1,2,cook,up\n"), coding);
    expect_any_split(with_many_rows("a,b,job,class,r\n", "1,2,cook,up,0.5\n"), coding,
                     {.radius_column = "r"});
}

TEST(PointReader, RowsThatEndInASeparator) {
    const TableCoding coding = mixed_coding();
    const std::string text = with_many_rows("a,b,job,class,\n", "1,2,cook,up,\n");
    expect_any_split(text, coding);
    // One row does not, after many that do: the whole file decides.
    expect_any_split(text + "1,2,cook,up,5\n", coding);
    expect_any_split(text + "1,2,cook,up\n", coding);
}

TEST(PointReader, NamesTheSameLineForAnyBlockSize) {
    const TableCoding coding = mixed_coding();
    const std::string text = with_many_rows("a,b,job,class\n", "1,2,\"line\nbreak\",up\n");
    for (const char* row : {"1,x,cook,up\n", "1,2,cook\n", "1,2,cook,up,3\n", "1,2,pilot,up\n",
                            "1,2,cook,sideways\n", "1,\"2,cook,up\n", "1,\"2\"x,cook,up\n",
                            "1,1e999,cook,up\n", "1,2,cook,\n", "1,\xff,cook,up\n"}) {
        expect_any_split(text + row, coding);
        expect_any_split(text + row + "4,5,cook,up", coding);
    }
    TableCoding strict = coding;
    strict.missing = MissingValues::Error;
    expect_any_split(text + "1,,cook,up\n", strict);
    expect_any_split("a,b,job,class\n", coding);
    expect_any_split("  \n\n", coding);
    expect_any_split("", coding);
    expect_any_split("a,job,class\n1,cook,up\n", coding);
}

TEST(PointReader, ReadsLibsvmForAnyBlockSize) {
    const TableCoding coding = TableCoding::numeric(3);
    for (const char* row : {"+1 1:0.5 3:2 # note\n", "-1\r\n", "\n1 2:1e-3\n", "1 1:1 2:2 3:3\n"}) {
        expect_any_split(with_many_rows("1 1:1\n", row), coding);
        expect_any_split(with_many_rows("1 1:1\n", row) + "-1 3:7", coding);
    }
    expect_any_split(with_many_rows("1:1\n", "1:0.5 3:2\n"), coding);
    expect_any_split(with_many_rows("1 1:1\n", "1 1:0.5 3:2\n") + "1 4:1\n", coding);
    expect_any_split(with_many_rows("1 1:1\n", "1 1:0.5 3:2\n") + "1:1\n", coding);
}

TEST(PointReader, LibsvmLabelsAreInAllRowsOrInNone) {
    const std::string text = with_many_rows("1:1\n", "1:0.5 3:2\n") + "1 1:1\n";
    const auto read = [&] {
        joined(
            PointReader(DataSource::text(text, "rows.svm"), TableCoding::numeric(3), {}, {}, 16));
    };
    EXPECT_EQ(message_of<ParseError>(read),
              "rows.svm:32:1: expected no label, as in the rows before, found '1'");
}

TEST(PointReader, RandomTables) {
    std::mt19937 random(7);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const std::vector<std::string> numbers{"0", "-1.25", "1e-300", "\"7\"", " 3 ", "", "NA", "+4."};
    const std::vector<std::string> jobs{"cook", "\"line\nbreak\"", "\"say \"\"hi\"\"\"", "\"cook\"",
                                        "?"};
    for (int repeat = 0; repeat < 40; ++repeat) {
        std::string text = below(2) == 0 ? "a,b,job,class\n" : "class,\"b\",a,job\r\n";
        const bool is_turned = text[0] == 'c';
        const int n_rows = 1 + below(40);
        for (int i = 0; i < n_rows; ++i) {
            const std::string a = numbers[static_cast<std::size_t>(below(8))];
            const std::string b = numbers[static_cast<std::size_t>(below(8))];
            const std::string job = jobs[static_cast<std::size_t>(below(5))];
            const std::string label = below(2) == 0 ? "up" : "\"down\"";
            text += is_turned ? label + "," + b + "," + a + "," + job
                              : a + "," + b + "," + job + "," + label;
            text += below(3) == 0 ? "\r\n" : "\n";
            if (below(9) == 0) text += " \n";
        }
        if (below(2) == 0) text.pop_back();
        expect_any_split(text, mixed_coding());
    }
}

TEST(PointReader, BlocksAreAsLongAsAsked) {
    const std::string text = with_many_rows("a,b,job,class\n", "1,2,cook,up\n");
    std::size_t n_blocks = 0;
    const DataSource source = DataSource::text(text, "rows");
    joined(PointReader(source, mixed_coding(), {.separator = ','}, {}, 120), &n_blocks);
    EXPECT_EQ(n_blocks, 4U);
    PointReader reader(source, mixed_coding(), {.separator = ','}, {}, 120);
    EXPECT_EQ(reader.share_read(), 0.0);
    reader.next();
    EXPECT_GT(reader.share_read().value(), 0.2);
    EXPECT_LT(reader.share_read().value(), 0.5);
    EXPECT_FALSE(reader.is_at_end());
}

}  // namespace
}  // namespace redoubt
