// redoubt card: a page about a model on labelled points, to be handed on with it.

#include <CLI/App.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/command.hpp"
#include "commands/evaluation_run.hpp"
#include "options/data_argument.hpp"
#include "options/validators.hpp"
#include "output/model_facts.hpp"
#include "output/page.hpp"
#include "output/report.hpp"
#include "redoubt/atomic_file.hpp"
#include "redoubt/proof_check.hpp"
#include "shell/help_text.hpp"

namespace redoubt::app {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

struct CardOptions {
    EvaluationOptions what;
    std::string title;
    std::string note;
    std::string proof;
    std::string out;
    std::string format;

    PageFormat page_format() const {
        const bool is_page = out.ends_with(".html") || out.ends_with(".htm");
        return format == "html" || (format.empty() && is_page) ? PageFormat::Html
                                                               : PageFormat::Markdown;
    }
};

void add_options(CLI::App& command, CardOptions& options) {
    options.what.add_to(command);
    command
        .add_option("--proof", options.proof,
                    "A proof file from 'redoubt certify --proof', to be checked and reported")
        ->type_name("FILE");
    command.add_option("--title", options.title,
                       "The title (default: the name of the model file)");
    command.add_option("--note", options.note,
                       "A paragraph of your own, such as the purpose of the model");
    const char* const group = "Output";
    command
        .add_option("--format", options.format,
                    "html or markdown (default: html for *.html, else markdown)")
        ->check(one_of({"html", "markdown"}))
        ->group(group);
    command
        .add_option("--out", options.out, "Write to this file instead of standard output")
        ->type_name("FILE")
        ->group(group);
    options.what.messages.add_to(command);
}

/// What came of a proof file.
struct CheckedProofs {
    std::string hash;
    Index n_proven = 0;
    Index n_refused = 0;
};

std::string base_name(const std::string& path) {
    if (path == "-") return "standard input";
    return path.substr(path.find_last_of('/') + 1);
}

std::string counted(Index n, const std::string& thing) {
    return std::to_string(n) + " " + thing + (n == 1 ? "" : "s");
}

/// In words where there is no file.
std::string hash_text(const std::string& path) {
    return path == "-" ? "not known: it came from standard input" : file_hash(path);
}

std::string data_hash_text(const std::string& argument) {
    if (load_bundled_argument(argument)) return "none: the data come with redoubt";
    return hash_text(argument);
}

CheckedProofs check_all(const CardOptions& options) {
    CheckedProofs found;
    const std::string& model = options.what.input.model;
    found.hash = options.proof == "-" ? "" : file_hash(options.proof);
    check_proofs(
        options.proof,
        [&](const ProofVerdict& verdict) {
            ++(verdict.is_proven ? found.n_proven : found.n_refused);
        },
        model == "-" ? "" : file_hash(model));
    return found;
}

std::string kind_text(const Model& model) {
    const Ensemble& ensemble = model.ensemble();
    const std::string over = " over " + counted(ensemble.n_features(), "feature");
    if (model.class_vote()) {
        return std::to_string(model.classes().size()) + " classes: " +
               decision_text(*model.class_vote()) + over;
    }
    if (ensemble.n_planes() == 1) return "one plane" + over;
    const std::string quota =
        ensemble.has_quota() ? "; '" + model.classes()[1] + "' takes a weight of " +
                                   shown_text(ensemble.quota())
                             : "; a tie goes to '" + model.classes()[1] + "'";
    return "a " + std::string(ensemble.is_weighted() ? "weighted " : "") + "vote of " +
           std::to_string(ensemble.n_planes()) + " planes" + over + quota;
}

void add_model(Page& page, const CardOptions& options, const Model& model) {
    page.begin_section("model", "The model");
    const std::string& path = options.what.input.model;
    Facts facts{{"file", base_name(path)},
                {"SHA-256", hash_text(path)},
                {"what it is", kind_text(model)},
                {"answers", quoted_choice(model.classes())},
                {"scaling of features", std::string(to_string(model.scaler().kind()))}};
    for (const ModelFact& fact : training_facts(model.training()))
        facts.emplace_back(fact.name, fact.text());
    page.add_facts("The model and how it was trained", facts);
}

void add_data(Page& page, const CardOptions& options, const Model& model,
              const EvaluationRun& run) {
    page.begin_section("data", "The data");
    Facts facts{{"file", base_name(options.what.data_text())},
                {"SHA-256", data_hash_text(options.what.input.data)},
                {"rows", std::to_string(run.evaluation.n_points)}};
    for (std::size_t label = 0; label < model.classes().size(); ++label) {
        const std::vector<Index>& row = run.evaluation.confusion[label];
        facts.emplace_back("rows of '" + model.classes()[label] + "'",
                           std::to_string(std::accumulate(row.begin(), row.end(), Index{0})));
    }
    if (run.seen.n_looked_up > 0)
        facts.emplace_back("rows of the training data", seen_text(run.seen));
    page.add_facts("What the model was tested on", facts);
}

std::string size_text(Norm norm) {
    switch (norm) {
        case Norm::L1:
            return "l1: the changes of all features added up";
        case Norm::L2:
            return "l2: the root of the sum of squared changes";
        case Norm::LInf:
            return "linf: the largest change of a feature";
        case Norm::L0:
            break;
    }
    return "l0: the total cost of the changed features, however far they move";
}

void add_adversary(Page& page, const Model& model, const AttackChoice& rules) {
    page.begin_section("adversary", "What the adversary may do");
    page.add_facts("Moves and their sizes", {{"size of a move", size_text(rules.model.norm)},
                                             {"a size of 1", rules.unit(model.scaler().kind())}});
    if (rules.model.is_plain()) {
        page.add_text(
            "Every move up to the size: all features may change together, either way, to any value.");
    } else {
        page.add_list(rule_lines(rules, AttackedData::of(model)));
    }
}

/// In the order of the radii, which a user may have given in any.
std::vector<Index> ascending(const Vector& radii) {
    std::vector<Index> order(static_cast<std::size_t>(radii.size()));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return radii[a] < radii[b]; });
    return order;
}

SharePicture picture_of(const std::string& name, const AttackCurve& curve, const Vector& share,
                        const Vector* ceiling, double constant, const std::string& axis) {
    const std::vector<Index> order = ascending(curve.radii);
    SharePicture picture{.name = name,
                         .radii = curve.radii(order),
                         .share = share(order),
                         .constant = constant,
                         .axis = axis};
    if (ceiling != nullptr) picture.ceiling = (*ceiling)(order);
    return picture;
}

void add_curve_table(Page& page, const Evaluation& evaluation) {
    const AttackCurve& curve = evaluation.curve;
    std::vector<std::string> heads{"radius"};
    std::vector<std::vector<std::string>> rows;
    for (double radius : curve.radii) rows.push_back({shown_text(radius)});
    const auto add = [&](const std::string& head, const Vector& shares) {
        heads.push_back(head);
        for (Index i = 0; i < shares.size(); ++i)
            rows[static_cast<std::size_t>(i)].push_back(percent_text(shares[i]));
    };
    const bool has_undecided = curve.undecided.maxCoeff() > 0.0;
    add("accuracy", curve.accuracy);
    if (has_undecided) add("undecided", curve.undecided);
    if (evaluation.ceiling) add("ceiling", evaluation.ceiling->accuracy);
    add("balanced accuracy", curve.balanced_accuracy);
    if (has_undecided) add("balanced undecided", curve.balanced_undecided);
    if (evaluation.ceiling) add("balanced ceiling", evaluation.ceiling->balanced_accuracy);
    page.add_table("Right answers that provably stay right within the radius", heads, rows);
}

/// Without attack: exactly what the confusion table says.
double right_share(const Evaluation& evaluation) {
    Index n_right = 0;
    for (std::size_t label = 0; label < evaluation.confusion.size(); ++label)
        n_right += evaluation.confusion[label][label];
    return static_cast<double>(n_right) / static_cast<double>(evaluation.n_points);
}

void add_accuracy(Page& page, const Evaluation& evaluation, const AttackChoice& rules,
                  Scaling scaling) {
    page.begin_section("accuracy", "Accuracy under attack");
    const AttackCurve& curve = evaluation.curve;
    page.add_text(percent_text(right_share(evaluation)) + " of the " +
                  counted(evaluation.n_points, "answer") +
                  " are right without attack. The table counts those that are right and provably stay "
                  "right, whatever the adversary does within the radius; balanced accuracy is the mean "
                  "of that share of the classes. The classifier that always gives the more frequent "
                  "answer has " +
                  percent_text(curve.constant_accuracy) + " (balanced " +
                  percent_text(curve.constant_balanced_accuracy) + ") at every radius." +
                  (evaluation.ceiling ? " The ceiling is what no classifier of any kind can beat on "
                                        "these rows."
                                      : ""));
    const std::string axis =
        std::string(to_string(rules.model.norm)) + " radius, in " + rules.unit(scaling);
    const std::string shown = axis.size() > 60 ? std::string(to_string(rules.model.norm)) + " radius"
                                               : axis;
    const auto* ceiling = evaluation.ceiling ? &*evaluation.ceiling : nullptr;
    page.add_pictures(
        {picture_of("accuracy", curve, curve.accuracy,
                    ceiling == nullptr ? nullptr : &ceiling->accuracy, curve.constant_accuracy,
                    shown),
         picture_of("balanced accuracy", curve, curve.balanced_accuracy,
                    ceiling == nullptr ? nullptr : &ceiling->balanced_accuracy,
                    curve.constant_balanced_accuracy, shown)});
    add_curve_table(page, evaluation);
}

void add_answers(Page& page, const Evaluation& evaluation, const ClassNames& classes) {
    page.begin_section("answers", "Answers by class");
    std::vector<std::string> heads{"label", "rows", "right"};
    for (const std::string& name : classes) heads.push_back("answered '" + name + "'");
    std::vector<std::vector<std::string>> rows;
    for (std::size_t label = 0; label < classes.size(); ++label) {
        const std::vector<Index>& counts = evaluation.confusion[label];
        const Index n = std::accumulate(counts.begin(), counts.end(), Index{0});
        std::vector<std::string> row{classes[label], std::to_string(n), ""};
        if (n > 0) {
            row[2] = percent_text(static_cast<double>(counts[label]) / static_cast<double>(n));
        }
        for (Index count : counts) row.push_back(std::to_string(count));
        rows.push_back(std::move(row));
    }
    page.add_table("Answers without attack", heads, rows);
}

void add_limits(Page& page, const Model& model, const EvaluationRun& run) {
    page.begin_section("limits", "Limits");
    const Evaluation& evaluation = run.evaluation;
    const double share = right_share(evaluation);
    const double error =
        std::sqrt(share * (1.0 - share) / static_cast<double>(evaluation.n_points));
    std::vector<std::string> limits;
    if (model.training().is_partial) limits.emplace_back("The training was stopped early.");
    if (run.seen.is_suspicious)
        limits.push_back(seen_text(run.seen) +
                         " were in the training data: new points will fare worse.");
    if (run.is_stopped)
        limits.push_back("The evaluation was stopped: the figures are about the first " +
                         counted(evaluation.n_points, "row") + " only.");
    limits.push_back("The figures are about these " + counted(evaluation.n_points, "row") +
                     ". For other rows drawn like them, the accuracy without attack has a standard "
                     "error of about " +
                     percent_text(error) + "; rows from elsewhere may fare differently.");
    limits.emplace_back(
        "Only the moves described above are covered, and only up to the radius: "
        "nothing is claimed about other moves, or about wrong labels.");
    limits.emplace_back(
        "A radius holds in exact arithmetic. A program that rounds when it predicts "
        "can answer differently within its rounding error of a plane.");
    if (evaluation.n_unsettled > 0)
        limits.push_back("The search reached a limit at " +
                         counted(evaluation.n_unsettled, "row") +
                         ", whose radius is known between two bounds: 'undecided' is what they could "
                         "add.");
    if (!evaluation.ceiling)
        limits.push_back("There is no ceiling: " + no_ceiling_text(evaluation, model) + ".");
    page.add_list(limits);
}

void add_proofs(Page& page, const CardOptions& options, const std::optional<CheckedProofs>& proofs) {
    page.begin_section("proofs", "Proofs");
    if (!proofs) {
        page.add_text(
            "The radii are those of the search; no proof file was given. 'redoubt certify "
            "--proof' writes one, which anyone can check in exact arithmetic.");
        return;
    }
    Facts facts{{"file", base_name(options.proof)}};
    if (!proofs->hash.empty()) facts.emplace_back("SHA-256", proofs->hash);
    facts.emplace_back("radii proven in exact arithmetic", std::to_string(proofs->n_proven));
    facts.emplace_back("radii refused", std::to_string(proofs->n_refused));
    page.add_facts("The proof file, as 'redoubt check' finds it", facts);
    page.add_text(
        "The proofs are about this model file, whose SHA-256 they state. redoubt_check.py, one "
        "file "
        "that needs only Python's standard library, checks them again without this program, and "
        "with --data compares the rows, too.");
}

ExitCode write_card(const CardOptions& options) {
    options.what.check();
    if (!options.out.empty() && options.out != "-") check_can_write(options.out);
    const Model model = options.what.input.load();
    std::optional<CheckedProofs> proofs;
    if (!options.proof.empty()) proofs = check_all(options);
    const EvaluationRun run = run_evaluation(options.what, model);
    const std::string name = base_name(options.what.input.model);
    Page page(options.page_format(), options.title.empty() ? "Model card: " + name : options.title,
              "What " + name + " is, how it answers " +
                  counted(run.evaluation.n_points, "row") + " of " +
                  base_name(options.what.input.data) +
                  ", and how far its answers provably hold. Written by redoubt " + kVersion + ".");
    if (!options.note.empty()) {
        page.begin_section("purpose", "Purpose");
        page.add_text(options.note);
    }
    add_model(page, options, model);
    add_data(page, options, model, run);
    add_adversary(page, model, run.rules);
    add_accuracy(page, run.evaluation, run.rules, model.scaler().kind());
    add_answers(page, run.evaluation, model.classes());
    add_limits(page, model, run);
    add_proofs(page, options, proofs);
    if (options.out.empty() || options.out == "-") {
        std::cout << page.text();
    } else {
        write_file_atomically(options.out, page.text());
    }
    const ExitCode code = end_evaluation(run, options.what);
    if (!proofs || proofs->n_refused == 0) return code;
    warn(counted(proofs->n_refused, "proof") + " of " + options.proof + " refused");
    return kStoppedEarly;
}

}  // namespace

Run add_card_command(CLI::App& parser) {
    CLI::App* command = parser.add_subcommand(
        "card", "Write a model card: what it is, how it answers, how robust it is");
    auto options = std::make_shared<CardOptions>();
    add_options(*command, *options);
    describe(
        *command,
        "The page loads nothing from elsewhere. It names the SHA-256 of the model file and of "
        "DATA, what the adversary may do, accuracy under attack next to the constant answer and "
        "the ceiling, the answers by class, and the limits of all that.",
        {{"A card to publish with the model",
          "redoubt card model.json patients.csv --out card.html"},
         {"The same as Markdown, with a paragraph of your own",
          "redoubt card model.json bcw:test --note 'For teaching only.' --out card.md"}});
    return [options] { return write_card(*options); };
}

}  // namespace redoubt::app
