// redoubt man: the manual page.

#include <CLI/App.hpp>
#include <iostream>

#include "commands/command.hpp"
#include "shell/help_text.hpp"
#include "shell/manual.hpp"

namespace redoubt::app {

Run add_man_command(CLI::App& parser) {
    CLI::App* const command = parser.add_subcommand("man", "Print the manual page");
    describe(*command, "The page is written for man and groff.",
             {{"Read the manual", "redoubt man | man -l -"},
              {"Install it for one user",
               "mkdir -p ~/.local/share/man/man1 && "
               "redoubt man > ~/.local/share/man/man1/redoubt.1"}});
    return [&parser] {
        std::cout << manual_page(parser);
        return kProven;
    };
}

}  // namespace redoubt::app
