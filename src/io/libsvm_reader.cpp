#include "io/libsvm_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/text_tools.hpp"
#include "redoubt/error.hpp"

namespace redoubt::io {

namespace {

/// Cuts the first line off `text`, without its comment.
std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return trimmed(line.substr(0, line.find('#')));
}

/// Cuts the first word off `line`; empty at the end.
std::string_view take_word(std::string_view& line) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(end);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return word;
}

/// As compressed points number their columns.
constexpr Index kLargestIndex = std::numeric_limits<std::int32_t>::max();

class LibsvmReader {
public:
    explicit LibsvmReader(const LibsvmSettings& settings) : settings_(settings) {}

    Table read(std::string_view text);

private:
    void read_row(std::string_view line);
    void read_entry(std::string_view word, long column, Index& previous);
    void fill_table();
    [[noreturn]] void fail(long column, const std::string& problem) const {
        throw ParseError(settings_.origin, line_, column, problem);
    }

    const LibsvmSettings& settings_;
    SparseMatrix entries_;
    Index largest_index_ = 0;
    Table table_;
    long line_ = settings_.first_line - 1;
};

Table LibsvmReader::read(std::string_view text) {
    table_.origin = settings_.origin;
    table_.can_choose_label = false;
    table_.texts.resize(1);
    while (!text.empty()) {
        ++line_;
        const std::string_view line = take_line(text);
        if (!line.empty()) read_row(line);
    }
    fill_table();
    return std::move(table_);
}

void LibsvmReader::read_row(std::string_view line) {
    table_.lines.push_back(line_);
    long column = 1;
    std::string_view rest = line;
    std::string_view word = take_word(rest);
    if (word.find(':') == std::string_view::npos) {
        table_.texts[0].append(word);
        word = take_word(rest);
        ++column;
    } else {
        table_.texts[0].append_missing();
    }
    Index previous = 0;
    for (; !word.empty(); word = take_word(rest), ++column) read_entry(word, column, previous);
    entries_.end_row();
}

void LibsvmReader::read_entry(std::string_view word, long column, Index& previous) {
    const std::size_t colon = word.find(':');
    const std::string_view index_text = word.substr(0, colon);
    if (index_text == "qid") fail(column, "expected index:value, found a ranking query (qid)");
    Index index = 0;
    const char* const end = index_text.data() + index_text.size();
    const auto [stop, error] = std::from_chars(index_text.data(), end, index);
    if (colon == std::string_view::npos || stop != end || error != std::errc{}) {
        fail(column, "expected index:value, found " + quote_text(word));
    }
    if (index < 1) fail(column, "expected an index from 1 upward, found " + std::to_string(index));
    if (index <= previous) {
        fail(column, "expected an index above " + std::to_string(previous) + ", found " +
                         std::to_string(index));
    }
    if (settings_.n_features > 0 && index > settings_.n_features) {
        fail(column, "expected an index of at most " + std::to_string(settings_.n_features) +
                         ", found " + std::to_string(index));
    }
    double value = 0.0;
    const std::string_view value_text = word.substr(colon + 1);
    const NumberText kind = parse_number(value_text, value);
    if (kind != NumberText::Number) fail(column, number_problem(kind, value_text));
    previous = index;
    if (index > kLargestIndex) {
        fail(column, "expected an index of at most " + std::to_string(kLargestIndex) + ", found " +
                         std::to_string(index));
    }
    entries_.push_back(index - 1, value);
    largest_index_ = std::max(largest_index_, index);
}

void LibsvmReader::fill_table() {
    const Index n = settings_.n_features > 0 ? settings_.n_features : largest_index_;
    // Names and codings of features: a made-up index must not take more memory for them than the
    // limit, and the file need not have a byte for each.
    constexpr std::size_t kBytesPerFeature = 256;
    check_memory(settings_.origin, 0, n, settings_.max_bytes, kBytesPerFeature);
    table_.names.reserve(static_cast<std::size_t>(n) + 1);
    table_.plan.reserve(static_cast<std::size_t>(n) + 1);
    table_.names.emplace_back("label");
    table_.plan.push_back({.kind = FieldKind::Text, .slot = 0, .use = ColumnUse::Label});
    for (Index j = 0; j < n; ++j) {
        table_.names.push_back(default_name(j + 1));
        table_.plan.push_back({.kind = FieldKind::Number, .slot = j});
    }
    entries_.widen(n);
    table_.entries = std::move(entries_);
}

}  // namespace

bool looks_like_libsvm(std::string_view text) {
    std::string_view line;
    while (line.empty() && !text.empty()) line = take_line(text);
    const std::string_view first = take_word(line);
    const std::string_view second = take_word(line);
    const std::string_view word = first.find(':') != std::string_view::npos ? first : second;
    const std::size_t colon = word.find(':');
    return colon != std::string_view::npos && colon > 0 &&
           (word.substr(0, colon) == "qid" || word.find_first_not_of("0123456789") == colon);
}

Table read_libsvm(std::string_view text, const LibsvmSettings& settings) {
    return LibsvmReader(settings).read(text);
}

}  // namespace redoubt::io
