#pragma once

/// How --help looks, and the notes and examples of each command.

#include <string>
#include <vector>

#include "shell/cli_forward.hpp"

namespace redoubt::app {

/// A command line that works as it stands, and its purpose.
struct Example {
    std::string purpose;
    std::string command;
};

/// What --help and the manual say about a command beyond its options.
struct Description {
    std::string notes;  ///< paragraphs, separated by empty lines; may be empty
    std::vector<Example> examples;
};

/// Gives the program its help pages: 80 columns, defaults shown, `-h,--help`. Commands inherit
/// this, so call it before they are added.
void set_up_help(CLI::App& parser);

/// Shows these notes and examples at the end of the command's help, and in the manual.
void describe(CLI::App& command, const std::string& notes, const std::vector<Example>& examples);

/// What was passed to `describe`; empty if it was not called.
Description description_of(const CLI::App& command);

}  // namespace redoubt::app
