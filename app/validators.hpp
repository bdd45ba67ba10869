#pragma once

/// Checks of single options, with the library's wording: "expected WANTED, got 'GOT'".

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace redoubt::app {

/// A finite number >= 0.
CLI::Validator nonnegative_number();

/// A finite number > 0.
CLI::Validator positive_number();

/// An integer >= 0.
CLI::Validator nonnegative_integer();

/// One of these words.
CLI::Validator one_of(std::vector<std::string> words);

}  // namespace redoubt::app
