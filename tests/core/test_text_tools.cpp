#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/text_tools.hpp"

namespace redoubt {
namespace {

double number(std::string_view text) {
    double value = 0.0;
    EXPECT_EQ(parse_number(text, value), NumberText::Number) << text;
    return value;
}

NumberText kind(std::string_view text) {
    double value = 0.0;
    const NumberText result = parse_number(text, value);
    EXPECT_EQ(result == NumberText::Number, !std::isnan(value)) << text;
    return result;
}

TEST(ParseNumber, ReadsEverySpelling) {
    EXPECT_EQ(number("1"), 1.0);
    EXPECT_EQ(number("+1"), 1.0);
    EXPECT_EQ(number("-1.5"), -1.5);
    EXPECT_EQ(number("1e-3"), 1e-3);
    EXPECT_EQ(number("1E+3"), 1e3);
    EXPECT_EQ(number(".5"), 0.5);
    EXPECT_EQ(number("5."), 5.0);
    EXPECT_EQ(number("1e300"), 1e300);
    EXPECT_EQ(number("0.1000000000000000055511151231257827"), 0.1);
}

TEST(ParseNumber, ReadsBothEndsOfTheRange) {
    EXPECT_EQ(number("1.7976931348623157e308"), std::numeric_limits<double>::max());
    EXPECT_EQ(number("4.9406564584124654e-324"), std::numeric_limits<double>::denorm_min());
    EXPECT_EQ(number("2.5e-310"), 2.5e-310);
    EXPECT_EQ(number("1e-400"), 0.0);
    EXPECT_TRUE(std::signbit(number("-1e-400")));
    EXPECT_EQ(number("0." + std::string(400, '0') + "1"), 0.0);
    EXPECT_EQ(number("1e-99999999999999999999"), 0.0);
    EXPECT_EQ(number("0e99999999999999999999"), 0.0);
    EXPECT_EQ(kind("1e309"), NumberText::TooLarge);
    EXPECT_EQ(kind("-1e999"), NumberText::TooLarge);
    EXPECT_EQ(kind("1e99999999999999999999"), NumberText::TooLarge);
    EXPECT_EQ(kind("1" + std::string(400, '0')), NumberText::TooLarge);
    EXPECT_EQ(kind("1" + std::string(400, '0') + "e-10"), NumberText::TooLarge);
}

TEST(ParseNumber, TellsOtherTextApart) {
    for (std::string_view text : {"", "NA", "na", "N/A", "NaN", "nan", "?", "null", "NULL"}) {
        EXPECT_EQ(kind(text), NumberText::Missing) << text;
    }
    for (std::string_view text : {"inf", "-inf", "+Inf", "INFINITY", "-infinity"}) {
        EXPECT_EQ(kind(text), NumberText::NotFinite) << text;
    }
    EXPECT_EQ(kind("1,5"), NumberText::DecimalComma);
    EXPECT_EQ(kind("-1,5e3"), NumberText::DecimalComma);
    for (std::string_view text : {"abc", "0x1A", "1.5x", "1 2", "+-1", "--1", "++1", "-nan",
                                  "nan(7)", "1,2,3", "e5", "."}) {
        EXPECT_EQ(kind(text), NumberText::Other) << text;
    }
    // As deep as it is long is too deep.
    EXPECT_EQ(kind("1" + std::string(1000000, ',') + "5"), NumberText::Other);
}

TEST(Quoted, EscapesAndCuts) {
    EXPECT_EQ(quote_text("abc"), "'abc'");
    EXPECT_EQ(quote_text("a\x01\x7f\n"), "'a\\x01\\x7f\\x0a'");
    EXPECT_EQ(quote_text(std::string(41, 'a')), "'" + std::string(40, 'a') + "...'");
    EXPECT_EQ(quote_text(std::string(40, 'a')), "'" + std::string(40, 'a') + "'");
}

TEST(Quoted, StaysUtf8) {
    // 1 to 4 bytes each, and never cut in two.
    const std::string characters = "aä€𝄞";
    EXPECT_EQ(quote_text(characters), "'" + characters + "'");
    EXPECT_EQ(quote_text(std::string(39, 'a') + "äb"), "'" + std::string(39, 'a') + "ä...'");
    // Latin-1, a lone tail, a short character, overlong spellings, a surrogate, beyond the last.
    EXPECT_EQ(quote_text("\xe4"
                         "b"),
              "'\\xe4b'");
    EXPECT_EQ(quote_text("\x80"), "'\\x80'");
    EXPECT_EQ(quote_text("\xe2\x82"), "'\\xe2\\x82'");
    EXPECT_EQ(quote_text("\xc0\xaf"), "'\\xc0\\xaf'");
    EXPECT_EQ(quote_text("\xe0\x80\xaf"), "'\\xe0\\x80\\xaf'");
    EXPECT_EQ(quote_text("\xed\xa0\x80"), "'\\xed\\xa0\\x80'");
    EXPECT_EQ(quote_text("\xf4\x90\x80\x80"), "'\\xf4\\x90\\x80\\x80'");
}

TEST(Utf8, FindsTheFirstByteThatIsNot) {
    const std::string_view::size_type none = std::string_view::npos;
    EXPECT_EQ(find_not_utf8(""), none);
    EXPECT_EQ(find_not_utf8("aä€𝄞"), none);
    EXPECT_EQ(find_not_utf8("\xe4"), 0U);
    // Whatever its place in the words that are looked at together.
    for (std::size_t place = 0; place < 40; ++place) {
        std::string text(40, 'a');
        text[place] = '\xe4';
        EXPECT_EQ(find_not_utf8(text), place);
        EXPECT_EQ(find_not_utf8(std::string(place, 'a') + "€" + std::string(9, 'b')), none);
    }
}

}  // namespace
}  // namespace redoubt
