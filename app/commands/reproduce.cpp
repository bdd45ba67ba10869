// redoubt reproduce: the source paper's experiments, compared with its tables cell by cell.

#include <CLI/App.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "commands/command.hpp"
#include "experiments/reproduction.hpp"
#include "experiments/result_files.hpp"
#include "options/validators.hpp"
#include "output/messages.hpp"
#include "output/progress_bar.hpp"
#include "output/report.hpp"
#include "redoubt/atomic_file.hpp"
#include "redoubt/error.hpp"
#include "shell/help_text.hpp"
#include "shell/interrupt.hpp"

namespace redoubt::app {

using namespace reproduction;

namespace {

struct ReproduceOptions {
    std::vector<std::string> datasets;
    std::vector<std::string> norms;
    bool is_as_published = false;
    bool is_both = false;
    bool has_development = false;
    Index n_splits = 0;
    std::uint64_t seed = 0;
    std::string svm = "loose";
    std::string first_plane = "solver";
    std::string perturbation;
    int n_threads = 0;
    std::string folder;
    std::string format = "table";
    MessageOptions messages;

    std::vector<CLI::Option*> choices;  ///< for --as-published only
};

void add_options(CLI::App& command, ReproduceOptions& options) {
    const auto add_list = [&](const char* name, std::vector<std::string>& list, const char* text,
                              std::vector<std::string> words) {
        command.add_option(name, list, text)
            ->check(one_of(std::move(words)))
            ->delimiter(',')
            ->allow_extra_args(false);
    };
    add_list("--dataset", options.datasets,
             "Only these data sets: gaussian, bcw, digits3, digits7 (default: all four)",
             paper_datasets());
    add_list("--norm", options.norms,
             "Only these norms: l1, l2, linf (default: the paper's, and l1 on gaussian)",
             {"l1", "l2", "linf"});
    CLI::Option* as_published = command.add_flag(
        "--as-published", options.is_as_published,
        "With every choice and quirk of the published experiments, not the corrected form");
    command.add_flag("--both", options.is_both, "As published and corrected")
        ->excludes(as_published);
    command.add_flag("--k-development", options.has_development,
                     "Also the tables for 5 to 75 planes");
    command
        .add_option("--splits", options.n_splits,
                    "Also this many random splits, with the radius chosen by cross-validation")
        ->check(nonnegative_integer())
        ->capture_default_str();
    command
        .add_option("--seed", options.seed,
                    "Seed of the first split; the next split uses the next seed")
        ->check(nonnegative_integer(std::numeric_limits<std::int64_t>::max()))
        ->capture_default_str();
    const auto add_choice = [&](const char* name, std::string& choice, const char* text,
                                std::vector<std::string> words) {
        options.choices.push_back(command.add_option(name, choice, text)
                                      ->check(one_of(std::move(words)))
                                      ->group("Choices of the published experiments"));
    };
    add_choice("--svm", options.svm, "loose (LIBSVM's tolerance) or exact (default: loose)",
               {"loose", "exact"});
    add_choice("--first-plane", options.first_plane,
               "Where many planes are optimal: solver (what a general solver returned) or "
               "least-norm (default: solver)",
               {"solver", "least-norm"});
    add_choice(
        "--perturbation", options.perturbation,
        "Step of the exact adversary: shortest, stretched, halfway or corner (linf) (default: "
        "shortest, and corner for linf)",
        {"shortest", "stretched", "halfway", "corner"});
    command.add_option("--threads", options.n_threads, "Number of threads; 0 means all cores")
        ->check(nonnegative_integer())
        ->capture_default_str();
    command.add_option("--out", options.folder, "Write every table as CSV into this folder")
        ->type_name("DIR");
    command.add_option("--format", options.format, "Format of the summary: table, csv or json")
        ->check(one_of({"table", "csv", "json"}))
        ->capture_default_str();
    options.messages.add_to(command);
}

std::vector<Arena> arenas_of(const ReproduceOptions& options) {
    const std::vector<std::string>& names =
        options.datasets.empty() ? paper_datasets() : options.datasets;
    std::vector<Arena> arenas;
    for (const std::string& dataset : paper_datasets()) {
        if (std::ranges::count(names, dataset) == 0) continue;
        std::vector<Norm> norms = published_norms(dataset);
        if (dataset == "gaussian") norms.push_back(Norm::L1);
        if (!options.norms.empty()) {
            norms.clear();
            for (Norm norm : {Norm::L2, Norm::LInf, Norm::L1}) {
                if (std::ranges::count(options.norms, to_string(norm)) > 0) norms.push_back(norm);
            }
        }
        for (Norm norm : norms) arenas.push_back({dataset, norm});
    }
    return arenas;
}

std::vector<Mode> modes_of(const ReproduceOptions& options) {
    if (options.is_both) return {Mode::AsPublished, Mode::Corrected};
    return {options.is_as_published ? Mode::AsPublished : Mode::Corrected};
}

/// Throws InvalidInput for choices that would not be looked at.
PublishedChoices choices_of(const ReproduceOptions& options) {
    for (const CLI::Option* option : options.choices) {
        if (option->count() > 0 && !options.is_as_published && !options.is_both)
            throw InvalidInput(option->get_name(), "specify --as-published or --both as well");
    }
    PublishedChoices choices;
    choices.loose_svm = options.svm == "loose";
    if (options.first_plane == "least-norm") choices.first_plane = FirstPlane::LeastNorm;
    const std::map<std::string, Perturbation> perturbations{{"shortest", Perturbation::Shortest},
                                                            {"stretched", Perturbation::Stretched},
                                                            {"halfway", Perturbation::Halfway},
                                                            {"corner", Perturbation::Corner}};
    const auto found = perturbations.find(options.perturbation);
    if (found != perturbations.end()) {
        choices.linf_perturbation = found->second;
        if (found->second != Perturbation::Corner) choices.l2_perturbation = found->second;
    }
    return choices;
}

/// What was asked for, without where to put it.
std::string command_text(const ReproduceOptions& options) {
    std::string text = "redoubt reproduce";
    const auto add_list = [&](const char* name, const std::vector<std::string>& list) {
        for (std::size_t i = 0; i < list.size(); ++i)
            text += (i == 0 ? std::string(" ") + name + " " : ",") + list[i];
    };
    add_list("--dataset", options.datasets);
    add_list("--norm", options.norms);
    if (options.is_as_published) text += " --as-published";
    if (options.is_both) text += " --both";
    for (const CLI::Option* option : options.choices) {
        if (option->count() > 0) text += " " + option->get_name() + " " + option->as<std::string>();
    }
    if (options.has_development) text += " --k-development";
    if (options.n_splits > 0)
        text += " --splits " + std::to_string(options.n_splits) + " --seed " +
                std::to_string(options.seed);
    return text;
}

/// Now, not after the work: the folder is there and takes files.
void prepare_folder(const std::filesystem::path& folder) {
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) throw WriteError(folder.string(), problem.message());
    check_can_write(folder / "run.json");
}

/// Files of an earlier run that this one does not replace are taken away: they would not belong to
/// the others.
void write_files(const std::filesystem::path& folder, const std::vector<ResultFile>& files) {
    for (const char* optional : {"k_development.csv", "splits.csv", "splits_summary.csv"})
        std::filesystem::remove(folder / optional);
    for (const auto& [name, text] : files) write_file_atomically(folder / name, text);
}

void add_verdicts(Report& report, const Reproduction& reproduction) {
    Table& table = report.add_table("cells", "Published cells",
                                    {"mode", "table", "dataset", "norm", "method", "cells", "equal",
                                     "within_one", "different"});
    for (const ModeResults& mode : reproduction.modes) {
        const auto add = [&](const char* name, const std::vector<CellComparison>& cells) {
            if (cells.empty()) return;
            for (const SummaryRow& row : summarise(cells)) {
                table.add(to_string(mode.mode)).add(name).add(row.dataset).add(row.norm);
                table.add(row.method).add(row.count.n_cells).add(row.count.n_equal);
                table.add(row.count.n_within_one).add(row.count.n_different());
            }
        };
        add("accuracy", mode.accuracy_comparison);
        add("k", mode.development_comparison);
    }
}

void add_stability(Report& report, const Reproduction& reproduction) {
    Table& table = report.add_table(
        "stability",
        "Mean accuracy over the attack radii (percent): least and greatest over the defence radii",
        {"mode", "dataset", "norm", "method", "measure", "least", "greatest", "spread"});
    for (const Stability& row : stability_of(accuracy_cells(reproduction))) {
        table.add(row.mode).add(row.method.dataset).add(to_string(row.method.norm));
        table.add(row.method.method).add(row.measure).add(row.least).add(row.greatest);
        table.add(row.greatest - row.least);
    }
}

void add_splits(Report& report, const Reproduction& reproduction) {
    if (reproduction.splits.empty()) return;
    Table& table = report.add_table("splits", "Random splits, radius chosen by cross-validation",
                                    {"dataset",
                                     "norm",
                                     "method",
                                     "attack_radius",
                                     {"accuracy", Look::Percent},
                                     {"deviation", Look::Percent},
                                     {"balanced", Look::Percent},
                                     {"balanced_deviation", Look::Percent},
                                     {"constant", Look::Percent},
                                     {"ceiling", Look::Percent}});
    for (const SplitMean& row : split_means(reproduction.splits)) {
        table.add(row.arena.dataset).add(to_string(row.arena.norm)).add(row.method);
        table.add(row.attack_radius).add(row.accuracy.mean).add(row.accuracy.deviation);
        table.add(row.balanced.mean).add(row.balanced.deviation);
        table.add(row.constant).add(row.ceiling);
    }
}

Report summary_report(const ReproduceOptions& options, const Reproduction& reproduction) {
    Report report(options.format == "csv"    ? OutputFormat::Csv
                  : options.format == "json" ? OutputFormat::Json
                                             : OutputFormat::Text);
    for (const ModeResults& mode : reproduction.modes) {
        const VerdictCount count = summarise(mode.accuracy_comparison).back().count;
        if (count.n_cells == 0) continue;
        report.add_fact(mode.mode == Mode::AsPublished ? "as published" : "corrected",
                        count_text(count));
    }
    add_verdicts(report, reproduction);
    add_stability(report, reproduction);
    add_splits(report, reproduction);
    return report;
}

ExitCode run_reproduce(const ReproduceOptions& options) {
    ReproduceSettings settings;
    settings.choices = choices_of(options);
    settings.stop = &stop_on_interrupt();
    if (!options.folder.empty()) prepare_folder(options.folder);
    settings.arenas = arenas_of(options);
    settings.modes = modes_of(options);
    settings.has_development = options.has_development;
    settings.n_splits = options.n_splits;
    settings.seed = options.seed;
    settings.n_threads = options.n_threads;
    const Stopwatch watch;
    std::optional<Reproduction> reproduction;
    {
        ProgressBar bar(options.messages, "reproducing", "rows");
        settings.progress = [&](Index done, Index all) {
            bar.set(static_cast<double>(done), static_cast<double>(all));
        };
        reproduction = reproduce(settings);
    }
    if (!reproduction) {
        warn("interrupted; nothing was written");
        return kStoppedEarly;
    }
    if (!options.folder.empty())
        write_files(options.folder, result_files(*reproduction, command_text(options)));
    std::cout << summary_report(options, *reproduction).text();
    options.messages.note("reproduced " + std::to_string(settings.arenas.size()) + " settings in " +
                          watch.text());
    return kProven;
}

}  // namespace

Run add_reproduce_command(CLI::App& parser) {
    CLI::App* command = parser.add_subcommand(
        "reproduce", "Rerun the source paper's experiments and compare with its tables");
    auto options = std::make_shared<ReproduceOptions>();
    add_options(*command, *options);
    describe(*command,
             "Data, split and bags are the published ones. A cell is equal, within one test point, "
             "or different; docs/reproduction.md explains why.\n\n"
             "python -m redoubt.report DIR makes figures and a page from the folder.",
             {{"One data set in both forms, every table as CSV",
               "redoubt reproduce --dataset gaussian --norm l2 --both --out results"},
              {"The published form, with the tables over the number of planes",
               "redoubt reproduce --dataset gaussian --as-published --k-development"}});
    return [options] { return run_reproduce(*options); };
}

}  // namespace redoubt::app
