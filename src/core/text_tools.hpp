#pragma once

/// Small helpers on text that every reader shares.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace redoubt {

/// What kind of text a field that should hold a number contains.
enum class NumberText {
    Number,
    Missing,       ///< empty, NA, N/A, NaN, null, ?
    NotFinite,     ///< some spelling of infinity
    TooLarge,      ///< a number beyond the range of a double
    DecimalComma,  ///< 1,5
    Other,
};

/// Reads `text` (no blanks around it) into `value`, rounded to the nearest double; a number too
/// small for a double becomes 0. `value` is NaN unless the result is Number. Accepts a leading '+',
/// but neither locale formats nor hexadecimal numbers.
NumberText parse_number(std::string_view text, double& value);

/// Reads true and false, in upper or lower case, as 1 and 0; false for any other text.
bool parse_truth(std::string_view text, double& value);

/// True for the texts that stand for a missing value.
bool is_missing(std::string_view text);

/// "expected a number, found 'abc'" and its variants. `kind` is not Number.
std::string number_problem(NumberText kind, std::string_view text);

/// Between single quotes, long text cut; control bytes and bytes that are not UTF-8 escaped, so
/// that the result can be shown anywhere.
std::string quote_text(std::string_view text);

/// Position of the first byte that is not part of a UTF-8 character; npos if there is none.
std::size_t find_not_utf8(std::string_view text);

/// "'a', 'b', 'c'", cut after ten.
std::string quote_list(std::span<const std::string> texts);

/// Up to three texts that `text` may be a misspelling of, the closest first.
std::vector<std::string> near_texts(const std::string& text, std::span<const std::string> texts);

/// The shortest text that reads back as the same double.
std::string shortest(double value);

/// Without blanks (space, tab) and line ends on either side.
std::string_view trimmed(std::string_view text);

/// "1 row", "2 rows".
std::string counted(long count, std::string_view noun);

}  // namespace redoubt
