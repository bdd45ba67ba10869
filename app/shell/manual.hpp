#pragma once

/// The manual page of the program, generated from the parser tree and from `describe`.

#include <string>

#include "shell/cli_forward.hpp"

namespace redoubt::app {

/// redoubt(1) as input for man, groff or mandoc. Identical for every build of a version.
std::string manual_page(const CLI::App& parser);

}  // namespace redoubt::app
