#pragma once

/// Walks over the fields of CSV text.

#include "io/short_number.hpp"

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

namespace redoubt::io {

/// Points to the start of a field or just after one. Blanks around fields are skipped; with a blank
/// as separator, any run of blanks separates.
class CsvCursor {
public:
    /// `first_line` is the line of the file on which the text starts.
    CsvCursor(std::string_view text, char separator, std::string origin, long first_line = 1)
        : p_(text.data()),
          end_(text.data() + text.size()),
          separator_(separator),
          by_blanks_(separator == ' '),
          origin_(std::move(origin)),
          line_(first_line) {}

    long line() const noexcept { return line_; }
    std::size_t bytes_left() const noexcept { return static_cast<std::size_t>(end_ - p_); }

    /// True if `read_field` threw because the text ends in a quoted field.
    bool is_within_quotes() const noexcept { return is_within_quotes_; }

    /// Moves to the first field of the next row, skipping blank lines; false at the end of the
    /// text.
    bool start_row();

    /// Reads a plain finite number and moves past it. False (without moving) for anything else.
    bool read_plain_number(double& value) {
        const char* q = skip_padding(p_);
        if (q < end_ && *q == '+' && !(q + 1 < end_ && q[1] == '-')) ++q;
        if (const char* const stop = read_short_number(q, end_, value)) {
            q = stop;
        } else {
            const auto result = std::from_chars(q, end_, value);
            if (result.ec != std::errc{} || !std::isfinite(value)) return false;
            q = result.ptr;
        }
        q = skip_padding(q);
        if (!at_field_end(q)) return false;
        p_ = q;
        return true;
    }

    /// Reads any field, without quotes and blanks around it, and moves past it. The view is valid
    /// until the next call. Throws ParseError (with `column`) for an unclosed quote.
    std::string_view read_field(long column);

    /// After a field: moves past the separator. False, without moving, at the end of the row.
    bool next_field();

    /// After a field: reads to the end of the row and returns the number of fields skipped.
    long count_remaining_fields(long column);

private:
    static bool is_blank(char c) { return c == ' ' || c == '\t'; }

    bool at_line_end(const char* q) const {
        return *q == '\n' || (*q == '\r' && (q + 1 == end_ || q[1] == '\n'));
    }
    bool at_field_end(const char* q) const {
        return q == end_ || *q == separator_ || at_line_end(q) || (by_blanks_ && is_blank(*q));
    }
    const char* skip_blanks(const char* q) const {
        while (q < end_ && is_blank(*q)) ++q;
        return q;
    }
    const char* skip_padding(const char* q) const {
        if (by_blanks_) return q;
        while (q < end_ && is_blank(*q) && *q != separator_) ++q;
        return q;
    }
    std::string_view read_quoted(const char* quote, long column);

    const char* p_;
    const char* end_;
    char separator_;
    bool by_blanks_;
    std::string origin_;
    std::string scratch_;
    long line_;
    bool is_within_quotes_ = false;
};

}  // namespace redoubt::io
