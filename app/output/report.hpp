#pragma once

/// Results: facts and tables, as aligned text, CSV or JSON.
///
/// Text is for reading: numbers are rounded. CSV and JSON have enough digits to read a number back
/// exactly. CSV holds only the main table; JSON holds everything.

#include <deque>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redoubt/atomic_file.hpp"
#include "redoubt/types.hpp"
#include "shell/cli_forward.hpp"

namespace redoubt::app {

enum class OutputFormat { Text, Csv, Json };

/// The shortest text that reads back as exactly this number.
std::string exact_text(double value);

/// How the numbers of a column appear in aligned text.
enum class Look {
    Rounded,  ///< six digits
    Percent,  ///< of a share: two digits after the point
};
std::string shown_text(double value, Look look = Look::Rounded);

struct Column {
    Column(std::string its_name, Look its_look = Look::Rounded)
        : name(std::move(its_name)), look(its_look) {}
    Column(const char* its_name, Look its_look = Look::Rounded) : name(its_name), look(its_look) {}

    std::string name;
    Look look;
};

/// Grows cell by cell; a row ends with its last column.
class Table {
public:
    Table(OutputFormat format, std::string name, std::string title, std::vector<Column> columns);

    Table& add(std::string_view text);
    Table& add(const char* text) { return add(std::string_view(text)); }
    /// Infinite numbers are inf and -inf, in JSON as texts; NaN is a missing value.
    Table& add(double number);
    Table& add(Index number);
    Table& add_missing();
    /// One cell per number.
    Table& add_all(const VectorRef& numbers);

    const std::string& name() const { return name_; }
    /// In the report's format.
    std::string text() const;
    /// CSV and JSON: the rows since the last call, which are not kept.
    std::string take_rows() { return std::exchange(text_, {}); }
    std::size_t n_rows() const noexcept { return n_rows_; }

private:
    /// A finished cell, already in the syntax of the format.
    void put(std::string cell, bool is_number);
    std::string aligned() const;

    OutputFormat format_;
    std::string name_;
    std::string title_;
    std::vector<Column> columns_;
    std::size_t next_ = 0;
    std::size_t n_rows_ = 0;
    /// CSV and JSON: all rows so far, or since they were taken.
    std::string text_;
    /// JSON: the names of the columns as they appear before their values.
    std::vector<std::string> keys_;
    /// Text: all cells so far, and whether each column holds numbers only.
    std::vector<std::string> cells_;
    std::vector<char> is_numeric_;
};

class Report {
public:
    explicit Report(OutputFormat format) : format_(format) {}

    /// A line "name  value" above the tables. JSON has the name with underscores for blanks.
    void add_fact(const std::string& name, std::string_view value);
    void add_fact(const std::string& name, const char* value) {
        add_fact(name, std::string_view(value));
    }
    /// Several lines below each other; in JSON a list of texts.
    void add_fact(const std::string& name, const std::vector<std::string>& lines);
    void add_fact(const std::string& name, double value);
    void add_fact(const std::string& name, Index value);

    /// `name` is that of the list in JSON; `title` stands above the text and may be empty. The
    /// first table is the main one. The reference stays valid.
    Table& add_table(std::string name, std::string title, std::vector<Column> columns);

    std::string text() const;

    /// For a report of a single table that grows long: the text added since the last call, and the
    /// rest of it. Aligned text can only come at the end.
    std::string take_text();
    std::string take_rest();

private:
    std::string json_facts() const;
    std::string json_text() const;
    std::string plain_text() const;

    struct Fact {
        std::string name;
        std::string plain;
        std::string json;
    };

    OutputFormat format_;
    bool is_begun_ = false;
    std::vector<Fact> facts_;
    std::deque<Table> tables_;
};

/// Standard output, or a file that is written completely or not at all.
class ReportSink {
public:
    /// An empty path is standard output. Throws WriteError.
    explicit ReportSink(const std::string& path);

    /// False if standard output accepts no more; for a file WriteError is thrown.
    bool write(std::string_view text);
    void finish();

private:
    std::unique_ptr<AtomicFile> file_;
};

/// --format and --out.
struct OutputOptions {
    /// The format without --format: text if standard output is a terminal, else CSV; or always
    /// text.
    enum class Usual { TextOnTerminal, Text };

    explicit OutputOptions(Usual usual) : usual_(usual) {}

    void add_to(CLI::App& command);
    /// Throws WriteError if the file cannot be written: now, not after the work.
    void check() const;
    /// --format; without it a file is JSON if its name ends in .json, else CSV.
    OutputFormat format() const;
    /// To standard output or, completely or not at all, to the file. Throws WriteError.
    void write(const Report& report) const;
    /// The destination of a report that arrives in parts.
    ReportSink open() const;

private:
    bool is_file() const { return !path_.empty() && path_ != "-"; }

    Usual usual_;
    std::string format_;
    std::string path_;
};

}  // namespace redoubt::app
