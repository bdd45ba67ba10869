#include "core/text_tools.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace redoubt {

namespace {

constexpr std::size_t kMaxQuoted = 40;
constexpr std::size_t kMaxListed = 10;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equal_ignoring_case(std::string_view text, std::string_view lower_case) {
    return text.size() == lower_case.size() &&
           std::equal(text.begin(), text.end(), lower_case.begin(),
                      [](char a, char b) { return lower(a) == b; });
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return equal_ignoring_case(text, word); });
}

/// How many letters must be put in, left out, replaced or swapped with their neighbour to turn one
/// word into the other; capitals count as small letters.
std::size_t letters_apart(const std::string& a, const std::string& b) {
    const auto is_same = [&](std::size_t i, std::size_t j) {
        return lower(a[i - 1]) == lower(b[j - 1]);
    };
    std::vector<std::vector<std::size_t>> apart(a.size() + 1,
                                                std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                apart[i][j] = i + j;
                continue;
            }
            apart[i][j] = std::min({apart[i - 1][j - 1] + (is_same(i, j) ? 0 : 1),
                                    apart[i - 1][j] + 1, apart[i][j - 1] + 1});
            if (i > 1 && j > 1 && is_same(i, j - 1) && is_same(i - 1, j)) {
                apart[i][j] = std::min(apart[i][j], apart[i - 2][j - 2] + 1);
            }
        }
    }
    return apart[a.size()][b.size()];
}

/// For a well-formed number that no double can hold: is it too large, or too small? Compares the
/// place of the first digit that is not zero with the exponent.
bool is_too_large(std::string_view text) {
    const std::size_t e = text.find_first_of("eE");
    long exponent = 0;
    if (e != std::string_view::npos) {
        std::string_view digits = text.substr(e + 1);
        if (digits.starts_with('+')) digits.remove_prefix(1);
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
        if (error == std::errc::result_out_of_range) return !digits.starts_with('-');
    }
    const std::string_view mantissa = text.substr(0, e);
    const long point = static_cast<long>(std::min(mantissa.find('.'), mantissa.size()));
    const long first = static_cast<long>(mantissa.find_first_of("123456789"));
    // Sums stay small: the exponent may be near the end of its type, so compare, never add.
    return exponent > first - point;
}

/// The length of the UTF-8 character that `text` starts with; 0 if there is none.
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return 0;
    }
    // Spellings longer than needed, surrogates, and what lies beyond the last character.
    const bool is_bad = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f) ||
                        (lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) > 0x8f);
    return is_bad ? 0 : length;
}

bool looks_like_decimal_comma(std::string_view text) {
    const std::size_t comma = text.find(',');
    // With another comma it is no number, and this would call itself for each.
    if (comma == std::string_view::npos || comma != text.rfind(',')) return false;
    std::string with_point(text);
    with_point[comma] = '.';
    double ignored = 0.0;
    return parse_number(with_point, ignored) == NumberText::Number;
}

}  // namespace

bool is_missing(std::string_view text) {
    return is_one_of(text, {"", "na", "n/a", "nan", "null", "?"});
}

NumberText parse_number(std::string_view text, double& value) {
    value = std::numeric_limits<double>::quiet_NaN();
    if (is_missing(text)) return NumberText::Missing;
    std::string_view digits = text;
    if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
    const std::string_view unsigned_digits = digits.starts_with('-') ? digits.substr(1) : digits;
    if (is_one_of(unsigned_digits, {"inf", "infinity"})) return NumberText::NotFinite;

    double parsed = 0.0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, parsed);
    const bool all_read = stop == end && error != std::errc::invalid_argument;
    if (!all_read || std::isnan(parsed)) {
        return looks_like_decimal_comma(text) ? NumberText::DecimalComma : NumberText::Other;
    }
    if (error == std::errc::result_out_of_range || !std::isfinite(parsed)) {
        if (is_too_large(unsigned_digits)) return NumberText::TooLarge;
        parsed = digits.starts_with('-') ? -0.0 : 0.0;
    }
    value = parsed;
    return NumberText::Number;
}

bool parse_truth(std::string_view text, double& value) {
    if (!is_one_of(text, {"true", "false"})) return false;
    value = lower(text.front()) == 't' ? 1.0 : 0.0;
    return true;
}

std::string number_problem(NumberText kind, std::string_view text) {
    switch (kind) {
        case NumberText::Missing:
            return "expected a number, found a missing value " + quote_text(text);
        case NumberText::NotFinite:
            return "expected a finite number, found " + quote_text(text);
        case NumberText::TooLarge:
            return "expected a number of at most 1.7e308 in size, found " + quote_text(text);
        case NumberText::DecimalComma:
            return "expected a number with a decimal point, found " + quote_text(text) +
                   " with a decimal comma";
        case NumberText::Number:
        case NumberText::Other:
            break;
    }
    return "expected a number, found " + quote_text(text);
}

std::string quote_text(std::string_view text) {
    static constexpr std::string_view kHex = "0123456789abcdef";
    std::string result = "'";
    std::size_t used = 0;
    while (used < text.size() && used < kMaxQuoted) {
        const auto byte = static_cast<unsigned char>(text[used]);
        const std::size_t length = utf8_length(text.substr(used));
        if (length == 0 || byte < 0x20 || byte == 0x7f) {
            result += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
            ++used;
        } else {
            result += text.substr(used, length);
            used += length;
        }
    }
    return result + (used < text.size() ? "...'" : "'");
}

std::size_t find_not_utf8(std::string_view text) {
    std::size_t used = 0;
    while (used < text.size()) {
        // Files are almost all ASCII: eight bytes at a time.
        std::uint64_t block = 0;
        while (used + sizeof(block) <= text.size()) {
            std::memcpy(&block, text.data() + used, sizeof(block));
            if ((block & 0x8080808080808080U) != 0) break;
            used += sizeof(block);
        }
        if (used == text.size()) break;
        const std::size_t length = utf8_length(text.substr(used));
        if (length == 0) return used;
        used += length;
    }
    return std::string_view::npos;
}

std::string quote_list(std::span<const std::string> texts) {
    std::string result;
    for (std::size_t i = 0; i < std::min(texts.size(), kMaxListed); ++i) {
        result += (i == 0 ? "" : ", ") + quote_text(texts[i]);
    }
    return texts.size() > kMaxListed ? result + ", ..." : result;
}

std::vector<std::string> near_texts(const std::string& text, std::span<const std::string> texts) {
    constexpr std::size_t kMaxNear = 3;
    // Long texts and very many of them take long to compare, and hardly anybody means one of them.
    constexpr std::size_t kMaxLetters = 100;
    constexpr std::size_t kMaxCompared = 10000;
    if (text.size() > kMaxLetters || texts.size() > kMaxCompared) return {};
    std::vector<std::pair<std::size_t, std::string>> near;
    for (const std::string& other : texts) {
        if (other.empty() || other.size() > kMaxLetters) continue;
        const std::size_t apart = letters_apart(text, other);
        const bool is_near = 3 * apart <= std::max(text.size(), std::size_t{3});
        if (is_near && apart < text.size()) near.emplace_back(apart, other);
    }
    std::stable_sort(near.begin(), near.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> found;
    for (const auto& [apart, other] : near) {
        if (found.size() < kMaxNear) found.push_back(other);
    }
    return found;
}

std::string shortest(double value) {
    std::array<char, 32> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), result.ptr};
}

std::string_view trimmed(std::string_view text) {
    static constexpr std::string_view kBlanks = " \t\r\n";
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string counted(long count, std::string_view noun) {
    return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace redoubt
