// redoubt check: proofs of certificates, followed in exact arithmetic.

#include <CLI/App.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "commands/command.hpp"
#include "options/data_argument.hpp"
#include "output/messages.hpp"
#include "redoubt/error.hpp"
#include "redoubt/proof_check.hpp"
#include "shell/help_text.hpp"

namespace redoubt::app {
namespace {

struct CheckOptions {
    std::string proofs;
    std::string model;
    MessageOptions messages;
};

void add_options(CLI::App& command, CheckOptions& options) {
    command
        .add_option("PROOFS", options.proofs,
                    "The proof file, possibly gzipped, or - for standard input")
        ->required();
    command.add_option("--model", options.model, "The model file that the proofs must be about")
        ->type_name("FILE");
    options.messages.add_to(command);
}

ExitCode check_file(const CheckOptions& options) {
    check_data_argument(options.proofs);
    const std::string hash = options.model.empty() ? "" : file_hash(options.model);
    Index n_proven = 0;
    Index n_refused = 0;
    check_proofs(
        options.proofs,
        [&](const ProofVerdict& verdict) {
            ++(verdict.is_proven ? n_proven : n_refused);
            if (verdict.is_proven) return;
            std::cout << "row " << verdict.row << ": refused: " << verdict.reason << '\n';
        },
        hash);
    std::cout << n_proven << " proven, " << n_refused << " refused\n";
    return n_refused == 0 && n_proven > 0 ? kProven : kStoppedEarly;
}

}  // namespace

Run add_check_command(CLI::App& parser) {
    CLI::App* command =
        parser.add_subcommand("check", "Check the proofs of certificates in exact arithmetic");
    auto options = std::make_shared<CheckOptions>();
    add_options(*command, *options);
    describe(*command,
             "Exit code 0 only if every proof proves its radius. redoubt_check.py does the same "
             "using only Python.",
             {{"Certificates with proofs, checked",
               "redoubt certify model.json bcw:test --proof proofs.jsonl --quiet > radii.csv && "
               "redoubt check proofs.jsonl --model model.json"},
              {"The same proofs, compressed",
               "redoubt certify model.json bcw:test --proof all.jsonl --out all.csv && gzip -f "
               "all.jsonl && redoubt check all.jsonl.gz"}});
    return [options] { return check_file(*options); };
}

}  // namespace redoubt::app
