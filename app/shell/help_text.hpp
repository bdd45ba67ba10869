#pragma once

/// How --help looks, and the notes and examples of each command.

#include <string>
#include <vector>

#include "shell/cli_forward.hpp"

namespace redoubt::app {

/// One command line that works as it stands, and what it is good for.
struct Example {
    std::string purpose;
    std::string command;
};

/// What --help and the manual tell of a command beyond its options.
struct Description {
    std::string notes;  ///< paragraphs, with an empty line between two; may be empty
    std::vector<Example> examples;
};

/// Gives the program its help pages: 80 columns, defaults shown, `-h,--help`. Commands inherit
/// that, so this comes before they are added.
void set_up_help(CLI::App& parser);

/// Shows these notes and examples at the end of the command's help, and in the manual.
void describe(CLI::App& command, const std::string& notes, const std::vector<Example>& examples);

/// What `describe` was told; empty if it was not called.
Description description_of(const CLI::App& command);

}  // namespace redoubt::app
