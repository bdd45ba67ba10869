// The `redoubt` program: parses the command line, runs one command, turns errors into exit codes.

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <exception>
#include <iostream>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/command.hpp"
#include "options/data_argument.hpp"
#include "redoubt/error.hpp"
#include "redoubt/highs.hpp"
#include "redoubt/solver.hpp"
#include "redoubt/threads.hpp"
#include "redoubt/version.hpp"
#include "shell/help_text.hpp"
#include "shell/suggestion.hpp"

namespace redoubt::app {
namespace {

ExitCode report_error(const std::string& message, ExitCode code) {
    std::cout.flush();
    std::cerr << "redoubt: " << (code == kInternalError ? "internal error: " : "") << message
              << '\n';
    return code;
}

/// The library names the setting that is wrong; a user knows it as an option.
std::string in_words_of_options(const InvalidInput& error) {
    static const std::map<std::string, std::string> kOptions{{"C", "--C"},
                                                             {"name", "DATA"},
                                                             {"greatest_weight", "--greatest-weight"},
                                                             {"least_weight", "--least-weight"},
                                                             {"max_fpr", "--max-fpr"},
                                                             {"positive", "--positive"},
                                                             {"proofs", "--proof"},
                                                             {"radii", "--radius"},
                                                             {"radius_column", "--radius-column"},
                                                             {"rule", "--rule"},
                                                             {"solver", "--solver"},
                                                             {"weight_column", "--weight-column"},
                                                             {"X", "DATA"},
                                                             {"y", "DATA"}};
    const auto found = kOptions.find(error.argument());
    const std::string text = error.what();
    return found == kOptions.end() ? text : found->second + text.substr(error.argument().size());
}

/// The version, what can solve, and how many threads there are.
std::string version_text() {
    const std::optional<std::string> highs = highs_version();
    return std::string("redoubt ") + kVersion + "\nsolvers: native, enumerate (at most " +
           std::to_string(kMaxEnumeratedPlanes) + " planes), mip (" +
           (highs ? "HiGHS " + *highs : "HiGHS not found") +
           ")\nthreads: " + std::to_string(resolve_threads(0));
}

ExitCode run(int argc, char** argv) {
    CLI::App parser("Robust linear classifiers and votes, trained and exactly certified.",
                    "redoubt");
    set_up_help(parser);
    parser.set_version_flag("--version", version_text,
                            "Print the version, the solvers and the number of threads, and exit");
    describe(parser,
             "Exit code: 0 finished, 1 stopped at a limit, 2 bad usage or input, 3 internal error.",
             {});
    parser.require_subcommand(1);

    std::vector<Run> commands{add_train_command(parser),      add_tune_command(parser),
                              add_predict_command(parser),    add_certify_command(parser),
                              add_attack_command(parser),     add_evaluate_command(parser),
                              add_explain_command(parser),    add_attack_model_command(parser),
                              add_check_command(parser),      add_card_command(parser),
                              add_adjust_command(parser),     add_info_command(parser),
                              add_datasets_command(parser),   add_reproduce_command(parser),
                              add_completion_command(parser), add_man_command(parser)};
    const std::vector<CLI::App*> subparsers = parser.get_subcommands({});
    try {
        parser.parse(argc, argv);
    } catch (const CLI::Success& request) {  // --help, --version
        parser.exit(request);
        return kProven;
    } catch (const CLI::ParseError& error) {
        return report_error(explain(parser, error), kBadInput);
    }
    refuse_options_as_values(parser);
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
        return report_error(in_words_of_options(error), kBadInput);
    } catch (const redoubt::ParseError& error) {
        return report_error(error.what() + cure_of(error), kBadInput);
    } catch (const redoubt::WriteError& error) {
        return report_error(error.what(), kBadInput);
    } catch (const std::bad_alloc&) {
        return report_error("not enough memory", kInternalError);
    } catch (const std::exception& error) {
        return report_error(error.what(), kInternalError);
    }
}
