#include <algorithm>
#include <array>

#include "core/text_tools.hpp"
#include "io/csv_cursor.hpp"
#include "io/csv_reader.hpp"
#include "redoubt/error.hpp"

namespace redoubt::io {

namespace {

constexpr std::size_t kSeparatorLines = 20;

/// How often `separator` stands outside quotes in each of the first lines that are not blank.
std::vector<long> count_per_line(std::string_view text, char separator,
                                 std::size_t max_lines = kSeparatorLines) {
    std::vector<long> counts;
    long count = 0;
    bool in_quotes = false;
    bool blank = true;
    for (std::size_t i = 0; i <= text.size() && counts.size() < max_lines; ++i) {
        if (i == text.size() || (text[i] == '\n' && !in_quotes)) {
            if (!blank) counts.push_back(count);
            count = 0;
            blank = true;
            continue;
        }
        if (text[i] == '"') in_quotes = !in_quotes;
        if (text[i] == separator && !in_quotes) ++count;
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r') blank = false;
    }
    return counts;
}

}  // namespace

char detect_separator(std::string_view text) {
    // A comma comes last because it may be a decimal comma, a mark that is never between numbers
    // otherwise; a blank because it may stand beside any of the others.
    static constexpr std::array<char, 4> kCandidates{'\t', ';', '|', ','};
    char most_frequent = 0;
    long most = 0;
    for (char candidate : kCandidates) {
        const std::vector<long> counts = count_per_line(text, candidate);
        const long first = counts.empty() ? 0 : counts.front();
        const bool same =
            std::all_of(counts.begin(), counts.end(), [&](long count) { return count == first; });
        if (first > 0 && same) return candidate;
        if (first > most) {
            most = first;
            most_frequent = candidate;
        }
    }
    if (most > 0) return most_frequent;
    const std::string_view first_line = trimmed(trimmed(text).substr(0, trimmed(text).find('\n')));
    return first_line.find(' ') != std::string_view::npos ? ' ' : ',';
}

bool shows_separator(std::string_view text) {
    // The last line may be cut off.
    return count_per_line(text, ',', kSeparatorLines + 1).size() > kSeparatorLines;
}

std::size_t whole_csv_rows(std::string_view text, char separator) {
    if (text.find('"') == text.npos) return text.rfind('\n') + 1;
    CsvCursor cursor(text, separator, "");
    std::size_t n_whole = 0;
    try {
        while (cursor.start_row()) {
            cursor.read_field(1);
            cursor.count_remaining_fields(1);
            // The line end itself must be there: a lone '\r' may be half of one.
            const std::size_t at = text.size() - cursor.bytes_left();
            const std::size_t end = text.find('\n', at);
            if (end == text.npos) break;
            n_whole = end + 1;
        }
    } catch (const ParseError&) {
        // The rest of the text may close the quote. What no rest could cure, the reader will
        // refuse.
        if (n_whole == 0 && !cursor.is_within_quotes()) return text.rfind('\n') + 1;
    }
    return n_whole;
}

}  // namespace redoubt::io
