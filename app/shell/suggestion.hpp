#pragma once

/// Says what is wrong with a command line, and what was probably meant.

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

namespace redoubt::app {

/// How many letters must be put in, left out, replaced or swapped with their neighbour to turn one
/// word into the other, where no letter is changed twice (optimal string alignment). Capitals
/// count as small letters.
std::size_t edit_distance(const std::string& a, const std::string& b);

/// The first of the words that are nearest to `word`, if it is near enough: at most one edit for
/// every three letters. Failing that, the only one that begins with `word`, from three letters on.
std::optional<std::string> nearest(const std::string& word, const std::vector<std::string>& words);

/// "; did you mean 'WORD'?", or nothing if no word is near: to be put behind a message.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& words);

/// One line on why the command line was refused. `error` is what `parser.parse` has thrown.
std::string explain(const CLI::App& parser, const CLI::ParseError& error);

/// An option without its value swallows the option behind it: "--model --resume". Throws
/// InvalidInput if that happened in a command line that was otherwise fine.
void refuse_options_as_values(const CLI::App& parser);

}  // namespace redoubt::app
