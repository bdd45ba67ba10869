#pragma once

/// The manual page of the program, made from the parser tree and what `describe` was told.

#include <string>

#include "shell/cli_forward.hpp"

namespace redoubt::app {

/// redoubt(1) as input for man, groff or mandoc. The same for every build of one version.
std::string manual_page(const CLI::App& parser);

}  // namespace redoubt::app
