#pragma once

/// Checks of single options, with the library's wording: "expected WANTED, got 'GOT'".

#include <CLI/App.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace redoubt::app {

/// A finite number >= 0.
CLI::Validator nonnegative_number();

/// A finite number >= 0, or this word.
CLI::Validator nonnegative_number_or(const std::string& word);

/// A finite number > 0.
CLI::Validator positive_number();

/// A number above 0 and below 1.
CLI::Validator share_of_one();

/// An integer from 0 to `most`.
CLI::Validator nonnegative_integer(std::int64_t most = std::numeric_limits<int>::max());

/// An integer from `least` to the largest int.
CLI::Validator integer_from(int least);
inline CLI::Validator positive_integer() {
    return integer_from(1);
}

/// "'a', 'b' or 'c'".
std::string quoted_choice(const std::vector<std::string>& words);

/// One of these words, which must not contain ':' or '|'.
CLI::Validator one_of(std::vector<std::string> words);

/// The words of an option that is checked with `one_of`; none for any other option.
std::vector<std::string> words_of(const CLI::Option& option);

}  // namespace redoubt::app
