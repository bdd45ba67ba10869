#include "io/text_checks.hpp"

#include <algorithm>
#include <cctype>

#include "core/text_tools.hpp"
#include "redoubt/error.hpp"

namespace redoubt::io {

namespace {

/// A command to copy; a name that a shell would take apart is left to the user.
std::string iconv_from(const char* encoding, const std::string& name) {
    const bool is_plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '.' || c == '/' || c == '_' || c == '-';
    });
    return "iconv -f " + std::string(encoding) + " -t utf-8 " + (is_plain ? name : "FILE");
}

std::string_view first_line_of(std::string_view text) {
    return trimmed(text.substr(0, text.find('\n')));
}

constexpr std::size_t kMaxStart = 1000;

}  // namespace

void check_is_text(const std::string& name, std::string_view text, long first_line) {
    const bool is_start = first_line == 1;
    if (is_start && (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))) {
        throw ParseError(
            name, 0, 0,
            "expected UTF-8 text, found UTF-16; convert it with " + iconv_from("utf-16", name));
    }
    const std::size_t nul = text.find('\0');
    if (is_start && text.starts_with("PAR1") && (text.ends_with("PAR1") || nul != text.npos)) {
        throw ParseError(
            name, 0, 0,
            "expected text, found a Parquet file; python -m redoubt.stream takes it for "
            "predict, certify, attack and evaluate, redoubt.scale.fit trains from it, or convert "
            "it to CSV, in Python with pandas.read_parquet(..).to_csv(.., index=False)");
    }
    if (is_start && nul != text.npos && text.starts_with("PK\x03\x04")) {
        throw ParseError(name, 0, 0,
                         "expected text, found a zip archive, such as an Excel workbook; save the "
                         "sheet as CSV, in Python with pandas.read_excel(..).to_csv(.., "
                         "index=False)");
    }
    if (is_start && nul != text.npos && text.starts_with("\xd0\xcf\x11\xe0")) {
        throw ParseError(name, 0, 0,
                         "expected text, found a workbook of an old Excel; save the sheet as CSV");
    }
    const auto fail_at = [&](std::size_t place, const std::string& problem) {
        const std::string_view before = text.substr(0, place);
        throw ParseError(name, first_line + std::count(before.begin(), before.end(), '\n'), 0,
                         problem);
    };
    if (nul != std::string_view::npos) fail_at(nul, "expected text, found a NUL byte");
    const std::size_t bad = find_not_utf8(text);
    if (bad == std::string_view::npos) return;
    fail_at(bad, "expected UTF-8 text, found the byte " + quote_text(text.substr(bad, 1)) +
                     "; if it is Latin-1, convert it with " + iconv_from("latin1", name));
}

void check_starts_like_model(const std::string& name, std::string_view text) {
    const std::string_view start = trimmed(without_byte_order_mark(text.substr(0, kMaxStart)));
    const bool is_utf16 = start.starts_with("\xff\xfe") || start.starts_with("\xfe\xff");
    if (start.empty() || start.starts_with('{') || start.starts_with('[') || is_utf16) return;
    const std::string found = start.starts_with("PAR1")         ? "a Parquet file"
                              : start.starts_with("PK\x03\x04") ? "a zip archive"
                                                                : quote_text(first_line_of(start));
    throw ParseError(name, 0, 0, "expected a model file (JSON), found " + found,
                     ParseCause::NotModel);
}

std::string_view without_byte_order_mark(std::string_view text) {
    static constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    return text;
}

}  // namespace redoubt::io
