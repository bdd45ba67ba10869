#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "core/text_tools.hpp"
#include "support/file_helpers.hpp"

/// Random tables, written in every dialect and read back: the same bits.

namespace redoubt {
namespace {

using Generator = std::mt19937_64;

/// Any finite double: half of them from all bit patterns, the rest of everyday size.
double random_number(Generator& generator) {
    for (;;) {
        const std::uint64_t bits = generator();
        if (generator() % 2 == 0) return double(std::int64_t(bits % 2000001) - 1000000) / 1000.0;
        const double value = std::bit_cast<double>(bits);
        if (std::isfinite(value)) return value;
    }
}

struct RandomTable {
    Matrix X;
    std::vector<std::string> labels;
};

RandomTable random_table(Generator& generator) {
    const auto rows = static_cast<Index>(2 + generator() % 30);
    const auto columns = static_cast<Index>(1 + generator() % 8);
    RandomTable table{Matrix(rows, columns), {"yes", "no"}};
    for (Index i = 0; i < rows; ++i) {
        for (Index j = 0; j < columns; ++j) table.X(i, j) = random_number(generator);
    }
    while (Index(table.labels.size()) < rows) {
        table.labels.emplace_back(generator() % 2 == 0 ? "yes" : "no");
    }
    return table;
}

struct Style {
    char separator;
    bool header;
    bool crlf;
    bool final_newline;
    bool trailing;
    bool quotes;
    bool mark;
    bool padding;
    bool label_first;
};

Style random_style(Generator& generator) {
    const auto coin = [&] { return generator() % 2 == 0; };
    constexpr std::string_view kSeparators = ",;\t| ";
    Style style{kSeparators[generator() % kSeparators.size()],
                coin(),
                coin(),
                coin(),
                coin(),
                coin(),
                coin(),
                coin(),
                coin()};
    // A run of blanks is one separator, so nothing can stand behind the last.
    if (style.separator == ' ') style.trailing = false;
    return style;
}

std::string write_csv(const RandomTable& table, const Style& style, Generator& generator) {
    std::string text = style.mark ? "\xef\xbb\xbf" : "";
    const std::string line_end = style.crlf ? "\r\n" : "\n";
    const auto write_row = [&](std::vector<std::string> fields, const std::string& label) {
        fields.insert(style.label_first ? fields.begin() : fields.end(), label);
        for (std::size_t i = 0; i < fields.size(); ++i) {
            if (i > 0) text += style.separator;
            if (style.padding && generator() % 3 == 0) text += ' ';
            text += style.quotes && generator() % 2 == 0 ? '"' + fields[i] + '"' : fields[i];
            if (style.padding && generator() % 3 == 0) text += ' ';
        }
        if (style.trailing) text += style.separator;
        text += line_end;
    };
    if (style.header) {
        std::vector<std::string> names;
        for (Index j = 0; j < table.X.cols(); ++j) names.push_back("name" + std::to_string(j));
        write_row(names, "label");
    }
    for (Index i = 0; i < table.X.rows(); ++i) {
        std::vector<std::string> fields;
        for (double value : table.X.row(i)) fields.push_back(shortest(value));
        write_row(fields, table.labels[std::size_t(i)]);
    }
    if (!style.final_newline) text.resize(text.size() - line_end.size());
    return text;
}

std::string write_libsvm(const RandomTable& table) {
    std::string text;
    for (Index i = 0; i < table.X.rows(); ++i) {
        text += table.labels[std::size_t(i)];
        for (Index j = 0; j < table.X.cols(); ++j) {
            if (table.X(i, j) == 0.0 && !std::signbit(table.X(i, j))) continue;
            text += " " + std::to_string(j + 1) + ":" + shortest(table.X(i, j));
        }
        text += "\n";
    }
    return text;
}

void expect_same(const Dataset& data, const RandomTable& table, const std::string& text) {
    ASSERT_EQ(data.X.rows(), table.X.rows()) << text;
    ASSERT_EQ(data.X.cols(), table.X.cols()) << text;
    const Matrix X = data.X.to_dense();
    for (Index i = 0; i < X.size(); ++i) {
        ASSERT_EQ(std::bit_cast<std::uint64_t>(X.data()[i]),
                  std::bit_cast<std::uint64_t>(table.X.data()[i]))
            << text;
    }
    for (Index i = 0; i < data.y.size(); ++i) {
        ASSERT_EQ(data.class_of(data.y[i]), table.labels[std::size_t(i)]) << text;
    }
}

class RoundTrip : public ::testing::TestWithParam<unsigned> {};

TEST_P(RoundTrip, EveryCsvDialect) {
    Generator generator(GetParam());
    const test::TemporaryFolder folder;
    for (int repeat = 0; repeat < 250; ++repeat) {
        const RandomTable table = random_table(generator);
        const Style style = random_style(generator);
        const std::string text = write_csv(table, style, generator);
        ReadSettings settings;
        settings.label = style.label_first ? "1" : "-1";
        expect_same(test::from_text(text, settings), table, text);
        settings.dialect.separator = style.separator;
        settings.dialect.header = style.header ? Header::Yes : Header::No;
        // Room for text and for missing values changes nothing where there are none.
        settings.text = TextColumns::OneHot;
        settings.missing = repeat % 2 == 0 ? MissingValues::Drop : MissingValues::Median;
        expect_same(read_dataset(folder.write("table", text), settings), table, text);
        if (HasFatalFailure()) return;
    }
}

TEST_P(RoundTrip, LaterFilesInAnyOrderOfColumns) {
    Generator generator(GetParam());
    for (int repeat = 0; repeat < 100; ++repeat) {
        const RandomTable table = random_table(generator);
        Style style = random_style(generator);
        style.header = true;
        ReadSettings settings;
        settings.label = "label";
        const TrainingData train =
            read_training_data(DataSource::text(write_csv(table, style, generator)), settings);
        style.label_first = !style.label_first;
        const std::string text = write_csv(table, style, generator);
        expect_same(read_dataset(DataSource::text(text), train.coding), table, text);
        if (HasFatalFailure()) return;
    }
}

TEST_P(RoundTrip, Libsvm) {
    Generator generator(GetParam());
    for (int repeat = 0; repeat < 100; ++repeat) {
        const RandomTable table = random_table(generator);
        const std::string text = write_libsvm(table);
        ReadSettings settings;
        settings.dialect.format = FileFormat::Libsvm;
        settings.n_features = table.X.cols();
        expect_same(test::from_text(text, settings), table, text);
        if (HasFatalFailure()) return;
    }
}

/// Whatever the bytes, the reader returns a sound table or throws ParseError.
TEST_P(RoundTrip, DamagedFilesNeverCrash) {
    Generator generator(GetParam());
    constexpr std::string_view kBytes = ",;\"\n\r \t0:#eE+-.x\0|";
    int n_read = 0;
    for (int repeat = 0; repeat < 1500; ++repeat) {
        const RandomTable table = random_table(generator);
        std::string text = repeat % 3 == 0 ? write_libsvm(table)
                                           : write_csv(table, random_style(generator), generator);
        for (std::uint64_t n = generator() % 4 + 1; n > 0; --n) {
            text[generator() % text.size()] = kBytes[generator() % kBytes.size()];
        }
        ReadSettings settings;
        settings.text = repeat % 2 == 0 ? TextColumns::OneHot : TextColumns::Error;
        settings.missing = static_cast<MissingValues>(repeat % 3);
        try {
            test::from_text(text, settings).check();
            ++n_read;
        } catch (const ParseError& error) {
            EXPECT_EQ(error.path(), "<text>");
        }
    }
    EXPECT_GT(n_read, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RoundTrip, ::testing::Range(1U, 4U));

}  // namespace
}  // namespace redoubt
