// redoubt completion: scripts that make a shell complete the program's options.

#include <CLI/App.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "commands/command.hpp"
#include "options/validators.hpp"
#include "shell/completion.hpp"
#include "shell/help_text.hpp"

namespace redoubt::app {

Run add_completion_command(CLI::App& parser) {
    CLI::App* const command =
        parser.add_subcommand("completion", "Print a script that completes options in a shell");
    auto shell = std::make_shared<std::string>();
    command->add_option("SHELL", *shell, "bash or zsh")->check(one_of({"bash", "zsh"}))->required();
    describe(
        *command, "Packages install the scripts where the shells look for them.",
        {{"Complete options in bash: a line for ~/.bashrc", "source <(redoubt completion bash)"},
         {"Complete options in zsh: a line for ~/.zshrc, after compinit",
          "source <(redoubt completion zsh)"}});
    return [&parser, shell] {
        std::cout << (*shell == "bash" ? bash_completion(parser) : zsh_completion(parser));
        return kProven;
    };
}

}  // namespace redoubt::app
