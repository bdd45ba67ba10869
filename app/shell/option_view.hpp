#pragma once

/// What help, manual and completion read from the parser tree, their only source.
///
/// `type_name` says what an option's value is: "FILE" and "DATA" are files, the latter also a
/// bundled data set; the positional arguments MODEL and DATA mean the same. Everything else follows
/// from the option's type, or from `one_of` if it is checked against words.

#include <string>
#include <vector>

#include "shell/cli_forward.hpp"

namespace redoubt::app {

enum class ValueKind {
    None,   ///< a flag
    Words,  ///< one of a few words
    File,
    Data,   ///< a file, or a bundled data set
    Other,  ///< a number, or any text
};

ValueKind value_kind(const CLI::Option& option);

/// All of its names: "-h, --help".
std::string all_names(const CLI::Option& option);

/// The option's name in capitals, as a placeholder for a value: "CLASS_WEIGHT".
std::string placeholder(const CLI::Option& option);

/// What stands for the value: "l1|l2|linf", "FILE", "NUMBER", or the placeholder. Empty for a flag.
std::string value_name(const CLI::Option& option);

/// The description, followed by what users need to know: "(required)", "(default: l2)".
std::string full_description(const CLI::Option& option);

/// The options with a name, in the order in which they were added.
std::vector<const CLI::Option*> named_options(const CLI::App& command);

/// The positional arguments, in that order.
std::vector<const CLI::Option*> positional_arguments(const CLI::App& command);

/// "redoubt train", from the program's name downwards.
std::string full_name(const CLI::App& command);

/// "DATA [options]": what follows the name of a command.
std::string usage_tail(const CLI::App& command);

std::vector<std::string> command_names(const CLI::App& parser);

}  // namespace redoubt::app
