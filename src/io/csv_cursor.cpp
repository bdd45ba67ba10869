#include "io/csv_cursor.hpp"

#include "core/text_tools.hpp"
#include "redoubt/error.hpp"

namespace redoubt::io {

bool CsvCursor::start_row() {
    for (;;) {
        const char* const q = skip_blanks(p_);
        if (q == end_) {
            p_ = q;
            return false;
        }
        if (!at_line_end(q)) {
            // Blanks before the first field matter only where they are separators of single tabs.
            if (by_blanks_) p_ = q;
            return true;
        }
        p_ = q + (*q == '\r' ? 1 : 0);
        if (p_ < end_) ++p_;
        ++line_;
    }
}

std::string_view CsvCursor::read_field(long column) {
    const char* const begin = skip_padding(p_);
    if (begin < end_ && *begin == '"') return read_quoted(begin, column);
    const char* q = begin;
    while (!at_field_end(q)) ++q;
    p_ = q;
    return trimmed({begin, static_cast<std::size_t>(q - begin)});
}

std::string_view CsvCursor::read_quoted(const char* quote, long column) {
    const long first_line = line_;
    scratch_.clear();
    const char* q = quote + 1;
    for (; q < end_; ++q) {
        if (*q == '"') {
            if (q + 1 == end_ || q[1] != '"') break;
            ++q;
        }
        if (*q == '\n') ++line_;
        scratch_ += *q;
    }
    if (q == end_) {
        is_within_quotes_ = true;
        throw ParseError(origin_, first_line, column, "the quoted field is not closed");
    }
    q = skip_padding(q + 1);
    if (!at_field_end(q)) {
        throw ParseError(
            origin_, line_, column,
            "expected a separator after the closing quote, found " + quote_text({q, 1}));
    }
    p_ = q;
    return trimmed(scratch_);
}

bool CsvCursor::next_field() {
    if (by_blanks_) {
        const char* const q = skip_blanks(p_);
        if (q == end_ || at_line_end(q)) return false;
        p_ = q;
        return true;
    }
    if (p_ == end_ || *p_ != separator_) return false;
    ++p_;
    return true;
}

long CsvCursor::count_remaining_fields(long column) {
    long count = 0;
    while (next_field()) read_field(column + ++count);
    return count;
}

}  // namespace redoubt::io
