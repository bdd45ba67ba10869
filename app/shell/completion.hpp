#pragma once

/// Shell scripts that complete the program's command line, generated from the parser tree.
///
/// They offer commands, options that have not been given yet, the words of options with fixed
/// choices, files and the bundled data sets; nothing where only the user can know.

#include <string>

#include "shell/cli_forward.hpp"

namespace redoubt::app {

/// For bash 4.0 or later; it needs no other package.
std::string bash_completion(const CLI::App& parser);

/// For zsh, as an autoloaded function or to be sourced.
std::string zsh_completion(const CLI::App& parser);

}  // namespace redoubt::app
