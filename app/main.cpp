// The `redoubt` program: parses the command line, runs one command, turns errors into exit codes.

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <exception>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "redoubt/error.hpp"
#include "redoubt/version.hpp"
#include "validators.hpp"

namespace redoubt::app {
namespace {

ExitCode report_error(const std::exception& error, ExitCode code) {
    std::cout.flush();
    std::cerr << "redoubt: " << (code == kInternalError ? "internal error: " : "") << error.what()
              << '\n';
    return code;
}

std::string known_commands(const std::vector<CLI::App*>& subparsers) {
    std::vector<std::string> names;
    for (const CLI::App* subparser : subparsers) names.push_back(subparser->get_name());
    return quoted_choice(names);
}

ExitCode run(int argc, char** argv) {
    CLI::App parser("Linear classifiers that hold up against an adversary, with proofs.",
                    "redoubt");
    parser.set_version_flag("--version", std::string("redoubt ") + kVersion);
    parser.require_subcommand(1);
    parser.footer(
        "Exit code: 0 proven, 1 stopped at a limit, 2 bad usage or input, 3 internal error.");

    std::vector<Run> commands{add_attack_command(parser), add_certify_command(parser),
                              add_datasets_command(parser), add_train_command(parser)};
    const std::vector<CLI::App*> subparsers = parser.get_subcommands({});
    try {
        parser.parse(argc, argv);
    } catch (const CLI::Success& request) {  // --help, --version
        parser.exit(request);
        return kProven;
    } catch (const CLI::RequiredError& error) {
        if (!parser.get_subcommands().empty()) return report_error(error, kBadInput);
        // The parser misses a command before it looks at what stands in its place.
        const std::vector<std::string> rest = parser.remaining();
        throw InvalidInput("command", known_commands(subparsers),
                           rest.empty() ? "nothing" : "'" + rest.front() + "'");
    } catch (const CLI::ParseError& error) {
        return report_error(error, kBadInput);
    }
    for (std::size_t i = 0; i < commands.size(); ++i) {
        if (subparsers[i]->parsed()) return commands[i]();
    }
    return kInternalError;
}

}  // namespace
}  // namespace redoubt::app

int main(int argc, char** argv) {
    using namespace redoubt::app;
    try {
        const ExitCode code = run(argc, argv);
        std::cout.flush();
        if (!std::cout) {
            std::cerr << "redoubt: cannot write to standard output\n";
            return kBadInput;
        }
        return code;
    } catch (const redoubt::InvalidInput& error) {
        return report_error(error, kBadInput);
    } catch (const redoubt::ParseError& error) {
        return report_error(error, kBadInput);
    } catch (const redoubt::WriteError& error) {
        return report_error(error, kBadInput);
    } catch (const std::exception& error) {
        return report_error(error, kInternalError);
    }
}
