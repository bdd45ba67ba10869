// redoubt attack-model: an attack model to edit, from what a table looks like.

#include <CLI/App.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "commands/command.hpp"
#include "options/data_argument.hpp"
#include "options/validators.hpp"
#include "output/messages.hpp"
#include "redoubt/atomic_file.hpp"
#include "redoubt/attack_model_file.hpp"
#include "redoubt/error.hpp"
#include "shell/help_text.hpp"

namespace redoubt::app {
namespace {

struct ProposalOptions {
    std::string data;
    std::string label = "-1";
    std::vector<std::string> text_columns;
    std::string norm = "l2";
    std::string out = "-";
    MessageOptions messages;
};

void add_options(CLI::App& command, ProposalOptions& options) {
    command.add_option("DATA", options.data, "The table: a file, or - for standard input")
        ->required();
    command
        .add_option("--label", options.label,
                    "Label column, to be left out: a name, or a number (-1 is the last)")
        ->type_name("COLUMN");
    command
        .add_option("--text-columns", options.text_columns,
                    "Columns to treat as text, whatever they hold: names or numbers")
        ->type_name("COLUMN")
        ->delimiter(',')
        ->allow_extra_args(false);
    command
        .add_option("--norm", options.norm,
                    "The adversary's norm: l1, l2, linf or l0, which counts changed features")
        ->check(one_of({"l1", "l2", "linf", "l0"}))
        ->capture_default_str();
    command.add_option("--out", options.out, "Write to this file instead of standard output")
        ->type_name("FILE");
    options.messages.add_to(command);
}

ExitCode propose(const ProposalOptions& options) {
    if (load_bundled_argument(options.data)) {
        throw InvalidInput("DATA", "a file", "the bundled data '" + options.data + "'");
    }
    check_data_argument(options.data);
    const bool is_file = options.out != "-";
    if (is_file) check_can_write(options.out);
    ReadSettings settings;
    settings.label = options.label;
    settings.text = TextColumns::OneHot;
    settings.text_columns = options.text_columns;
    settings.missing = MissingValues::Median;
    TableCoding coding;
    const FeatureData table = read_features(options.data, settings, &coding);
    const std::string text = propose_attack_model(table, coding, parse_norm(options.norm));
    if (!is_file) {
        std::cout << text;
        return kProven;
    }
    write_file_atomically(options.out, text);
    options.messages.note("attack model written to " + options.out +
                          ": edit it, then use it with --attack-model");
    return kProven;
}

}  // namespace

Run add_attack_model_command(CLI::App& parser) {
    CLI::App* command = parser.add_subcommand(
        "attack-model", "Propose an attack model for a table, for you to edit");
    auto options = std::make_shared<ProposalOptions>();
    add_options(*command, *options);
    describe(*command,
             "Integer columns stay integers, numbers stay within the range of the data, and one "
             "standard deviation or one switch of category has size 1. Columns that are "
             "constant or look like identifiers are frozen.",
             {{"Rules for a table of patients, to edit",
               "redoubt attack-model patients.csv --label diagnosis --out rules.json"},
              {"Print them, with l1 sizes, which add up",
               "redoubt attack-model patients.csv --label diagnosis --norm l1"}});
    return [options] { return propose(*options); };
}

}  // namespace redoubt::app
