#pragma once

/// The commands of the program: each adds its options to the parser and runs if it is chosen.
///
/// Results go to standard output, messages to standard error.

#include <functional>

#include "shell/cli_forward.hpp"

namespace redoubt::app {

enum ExitCode : int {
    kProven = 0,         ///< finished, to the required accuracy
    kStoppedEarly = 1,   ///< the result is valid but less accurate than required
    kBadInput = 2,       ///< a mistake of the user: an option, a file
    kInternalError = 3,  ///< a bug in the program
};

/// What main calls after parsing if the command was chosen.
using Run = std::function<ExitCode()>;

/// Each adds one subcommand to `parser`.
Run add_adjust_command(CLI::App& parser);
Run add_attack_command(CLI::App& parser);
Run add_attack_model_command(CLI::App& parser);
Run add_card_command(CLI::App& parser);
Run add_certify_command(CLI::App& parser);
Run add_check_command(CLI::App& parser);
Run add_completion_command(CLI::App& parser);
Run add_datasets_command(CLI::App& parser);
Run add_evaluate_command(CLI::App& parser);
Run add_explain_command(CLI::App& parser);
Run add_info_command(CLI::App& parser);
Run add_man_command(CLI::App& parser);
Run add_predict_command(CLI::App& parser);
Run add_reproduce_command(CLI::App& parser);
Run add_train_command(CLI::App& parser);
Run add_tune_command(CLI::App& parser);

}  // namespace redoubt::app
