#pragma once

/// Says what is wrong with a command line, and what was probably meant.

#include <CLI/App.hpp>
#include <optional>
#include <string>
#include <vector>

namespace redoubt::app {

/// The number of letters to insert, delete, replace or swap with their neighbour to turn one word
/// into the other, where no letter is changed twice (optimal string alignment). Case is ignored.
std::size_t edit_distance(const std::string& a, const std::string& b);

/// The first of the words closest to `word`, if it is close enough: at most one edit for every
/// three letters. Failing that, the only one that begins with `word`, if that has at least three
/// letters.
std::optional<std::string> nearest(const std::string& word, const std::vector<std::string>& words);

/// "; did you mean 'WORD'?", or empty if no word is close: to be appended to a message.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& words);

/// One line on why the command line was refused. `error` is what `parser.parse` threw.
std::string explain(const CLI::App& parser, const CLI::ParseError& error);

/// An option without its value swallows the option after it: "--model --resume". Throws
/// InvalidInput if that happened in an otherwise valid command line.
void refuse_options_as_values(const CLI::App& parser);

}  // namespace redoubt::app
