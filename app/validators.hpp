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

/// A finite number > 0.
CLI::Validator positive_number();

/// An integer from 0 to `most`.
CLI::Validator nonnegative_integer(std::int64_t most = std::numeric_limits<int>::max());

/// An integer from 1 to the largest int.
CLI::Validator positive_integer();

/// "'a', 'b' or 'c'".
std::string quoted_choice(const std::vector<std::string>& words);

/// One of these words.
CLI::Validator one_of(std::vector<std::string> words);

}  // namespace redoubt::app
