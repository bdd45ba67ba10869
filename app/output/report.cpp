#include "output/report.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace redoubt::app {
namespace {

std::string printed(double value, const char* form) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), form, value);
    return text.data();
}

/// A blank at either end would be trimmed by readers.
bool needs_quotes(std::string_view field) {
    return field.find_first_of(",;|\"\t\r\n") != std::string_view::npos || field.starts_with(' ') ||
           field.ends_with(' ');
}

std::string csv_text(std::string_view field) {
    if (!needs_quotes(field)) return std::string(field);
    std::string text = "\"";
    for (char c : field) {
        if (c == '"') text += '"';
        text += c;
    }
    return text + '"';
}

/// Bytes that are not UTF-8 cannot stand in JSON: they become the sign for unknown characters.
std::string json_string(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_number(double value) {
    if (std::isnan(value)) return "null";
    if (std::isinf(value)) return value > 0.0 ? "\"inf\"" : "\"-inf\"";
    return exact_text(value);
}

/// Characters as a terminal counts them, if the text is UTF-8: all bytes but continuations.
std::size_t width_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

/// A line break within a cell would break the table, and other control characters the terminal.
std::string printable(std::string_view text) {
    std::string result(text);
    std::replace_if(
        result.begin(), result.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
    return result;
}

/// The name of a fact or table, on a line of its own.
std::string json_key(std::string name, bool is_first) {
    std::replace(name.begin(), name.end(), ' ', '_');
    return (is_first ? "\n  " : ",\n  ") + json_string(name) + ": ";
}

}  // namespace

std::string shown_text(double value, Look look) {
    if (std::isinf(value)) return value > 0.0 ? "inf" : "-inf";
    if (look == Look::Percent) return printed(100.0 * value, "%.2f");
    return printed(value, "%.6g");
}

std::string exact_text(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

Table::Table(OutputFormat format, std::string name, std::string title, std::vector<Column> columns)
    : format_(format),
      name_(std::move(name)),
      title_(std::move(title)),
      columns_(std::move(columns)),
      is_numeric_(columns_.size(), 1) {
    if (format_ == OutputFormat::Json) {
        for (const Column& column : columns_) keys_.push_back(json_string(column.name) + ": ");
    }
    if (format_ != OutputFormat::Csv) return;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        text_ += (i > 0 ? "," : "") + csv_text(columns_[i].name);
    }
    text_ += '\n';
}

Table& Table::add(std::string_view text) {
    put(format_ == OutputFormat::Text  ? printable(text)
        : format_ == OutputFormat::Csv ? csv_text(text)
                                       : json_string(text),
        false);
    return *this;
}

Table& Table::add(double number) {
    if (std::isnan(number)) return add_missing();
    put(format_ == OutputFormat::Text  ? shown_text(number, columns_[next_].look)
        : format_ == OutputFormat::Csv ? exact_text(number)
                                       : json_number(number),
        true);
    return *this;
}

Table& Table::add(Index number) {
    put(std::to_string(number), true);
    return *this;
}

Table& Table::add_missing() {
    put(format_ == OutputFormat::Json ? "null" : "", true);
    return *this;
}

Table& Table::add_all(const VectorRef& numbers) {
    for (Index i = 0; i < numbers.size(); ++i) add(numbers[i]);
    return *this;
}

void Table::put(std::string cell, bool is_number) {
    const bool is_last = next_ + 1 == columns_.size();
    switch (format_) {
        case OutputFormat::Text:
            if (!is_number) is_numeric_[next_] = 0;
            cells_.push_back(std::move(cell));
            break;
        case OutputFormat::Csv:
            if (next_ > 0) text_ += ',';
            text_ += cell;
            if (is_last) text_ += '\n';
            break;
        case OutputFormat::Json:
            text_ += next_ > 0 ? ", " : n_rows_ > 0 ? ",\n    {" : "\n    {";
            text_ += keys_[next_];
            text_ += cell;
            if (is_last) text_ += '}';
            break;
    }
    next_ = is_last ? 0 : next_ + 1;
    if (is_last) ++n_rows_;
}

std::string Table::text() const {
    if (format_ == OutputFormat::Csv) return text_;
    if (format_ == OutputFormat::Json) return "[" + text_ + (n_rows_ > 0 ? "\n  ]" : "]");
    return aligned();
}

/// Numbers to the right, texts to the left.
std::string Table::aligned() const {
    const std::size_t n = columns_.size();
    std::vector<std::size_t> widths(n);
    for (std::size_t i = 0; i < n; ++i) widths[i] = width_of(columns_[i].name);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
        widths[i % n] = std::max(widths[i % n], width_of(cells_[i]));
    }
    std::string text = title_.empty() ? "" : title_ + "\n";
    std::string line;
    const auto put_cell = [&](std::size_t column, const std::string& cell) {
        const std::string gap(widths[column] - width_of(cell), ' ');
        line += (column > 0 ? "  " : "") + (is_numeric_[column] != 0 ? gap + cell : cell + gap);
        if (column + 1 < n) return;
        text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
        line.clear();
    };
    for (std::size_t i = 0; i < n; ++i) put_cell(i, columns_[i].name);
    for (std::size_t i = 0; i < cells_.size(); ++i) put_cell(i % n, cells_[i]);
    return text;
}

void Report::add_fact(const std::string& name, std::string_view value) {
    facts_.push_back({name, printable(value), json_string(value)});
}

void Report::add_fact(const std::string& name, const std::vector<std::string>& lines) {
    Fact fact{name, "", "["};
    for (std::size_t i = 0; i < lines.size(); ++i) {
        fact.plain += (i > 0 ? "\n" : "") + printable(lines[i]);
        fact.json += (i > 0 ? ", " : "") + json_string(lines[i]);
    }
    fact.json += "]";
    facts_.push_back(std::move(fact));
}

void Report::add_fact(const std::string& name, double value) {
    facts_.push_back({name, shown_text(value), json_number(value)});
}

void Report::add_fact(const std::string& name, Index value) {
    facts_.push_back({name, std::to_string(value), std::to_string(value)});
}

Table& Report::add_table(std::string name, std::string title, std::vector<Column> columns) {
    return tables_.emplace_back(format_, std::move(name), std::move(title), std::move(columns));
}

std::string Report::text() const {
    if (format_ == OutputFormat::Json) return json_text();
    if (format_ == OutputFormat::Csv) return tables_.empty() ? "" : tables_.front().text();
    return plain_text();
}

/// With the brace before them.
std::string Report::json_facts() const {
    std::string text = "{";
    for (const Fact& fact : facts_) {
        text += json_key(fact.name, text.size() == 1) + fact.json;
    }
    return text;
}

std::string Report::json_text() const {
    std::string text = json_facts();
    for (const Table& table : tables_) {
        text += json_key(table.name(), text.size() == 1) + table.text();
    }
    return text + "\n}\n";
}

std::string Report::take_text() {
    Table& table = tables_.front();
    if (format_ == OutputFormat::Text) return "";
    if (format_ == OutputFormat::Csv || is_begun_) return table.take_rows();
    is_begun_ = true;
    return json_facts() + json_key(table.name(), facts_.empty()) + "[" + table.take_rows();
}

std::string Report::take_rest() {
    if (format_ == OutputFormat::Text) return plain_text();
    const std::string rows = take_text();
    if (format_ == OutputFormat::Csv) return rows;
    return rows + (tables_.front().n_rows() > 0 ? "\n  ]" : "]") + "\n}\n";
}

std::string Report::plain_text() const {
    std::size_t width = 0;
    for (const Fact& fact : facts_) width = std::max(width, width_of(fact.name));
    std::string text;
    for (const Fact& fact : facts_) {
        text += fact.name + std::string(width - width_of(fact.name) + 2, ' ');
        for (char c : fact.plain) {
            text += c;
            if (c == '\n') text.append(width + 2, ' ');
        }
        text += '\n';
    }
    for (const Table& table : tables_) text += (text.empty() ? "" : "\n") + table.text();
    return text;
}

}  // namespace redoubt::app
