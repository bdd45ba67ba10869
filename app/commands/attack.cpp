// redoubt attack: the worst that an adversary of a given reach can do to each point.

#include <CLI/App.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/command.hpp"
#include "options/model_argument.hpp"
#include "options/search_options.hpp"
#include "options/validators.hpp"
#include "output/decision.hpp"
#include "output/evaluation.hpp"
#include "output/messages.hpp"
#include "output/moved_rows.hpp"
#include "output/report.hpp"
#include "output/table_rows.hpp"
#include "redoubt/error.hpp"
#include "shell/help_text.hpp"

namespace redoubt::app {
namespace {

struct AttackOptions {
    ModelArguments input;
    double radius = 0.0;
    std::string adversary = "exact";
    std::string rule = "corrected";
    SearchOptions search;
    OutputOptions output{OutputOptions::Usual::TextOnTerminal};
    MessageOptions messages;

    CLI::Option* radius_option = nullptr;
    CLI::Option* rule_option = nullptr;
};

void add_options(CLI::App& command, AttackOptions& options) {
    options.input.add_to(command);
    options.radius_option = command
                                .add_option("--radius", options.radius,
                                            "Size of the largest allowed move, in scaled features")
                                ->check(nonnegative_number());
    command
        .add_option("--radius-column", options.input.radius_column,
                    "Column with one radius per point, instead of --radius")
        ->type_name("COLUMN");
    command.add_option("--adversary", options.adversary, "exact, relaxed or heuristic")
        ->check(one_of({"exact", "relaxed", "heuristic"}))
        ->capture_default_str();
    options.rule_option =
        command.add_option("--rule", options.rule, "heuristic: corrected, or as published")
            ->check(one_of({"corrected", "published"}))
            ->capture_default_str();
    options.search.add_to(command);
    options.output.add_to(command);
    options.messages.add_to(command);
}

/// Refuses options that the chosen adversary would not look at.
void check_options(const AttackOptions& options) {
    const bool has_column = !options.input.radius_column.empty();
    if ((options.radius_option->count() > 0) == has_column) {
        throw InvalidInput("--radius", has_column ? "specify --radius or --radius-column, not both"
                                                  : "specify --radius or --radius-column");
    }
    const std::string adversary = "--adversary " + options.adversary;
    if (options.adversary != "heuristic") {
        if (options.rule_option->count() == 0) return;
        throw InvalidInput("--rule", "applies to --adversary heuristic only, not to " + adversary);
    }
    const std::string option = options.search.first_given();
    if (option.empty()) return;
    throw InvalidInput(option, "applies to --adversary exact or relaxed only, not to " + adversary);
}

/// "1 4 7": planes count from 1.
std::string plane_list(const std::vector<int>& planes) {
    std::string text;
    for (int plane : planes) {
        if (!text.empty()) text += ' ';
        text += std::to_string(plane + 1);
    }
    return text;
}

/// What a run over all blocks adds up to.
class AttackRun {
public:
    AttackRun(const AttackOptions& options, const Model& model)
        : options_(options),
          model_(model),
          rules_(options.search.rules_for(model)),
          table_rows_(model),
          report_(options.output.format()) {}

    ExitCode run();

private:
    std::vector<ClassAttack> attacks(const PointStream& stream, const Vector& labels,
                                     ProgressBar& bar);
    PointSet attacked_rows(const PointData& points, const std::vector<ClassAttack>& results);
    void start_table(const PointData& points);
    void add_rows(const PointStream& stream, const std::vector<ClassAttack>& results);

    const AttackOptions& options_;
    const Model& model_;
    AttackChoice rules_;
    TableRows table_rows_;
    Report report_;
    Table* table_ = nullptr;
    double seconds_ = 0.0;
    Index n_unsettled_ = 0;
    Index n_missed_ = 0;
    Index n_successes_ = 0;
};

std::vector<ClassAttack> AttackRun::attacks(const PointStream& stream, const Vector& labels,
                                            ProgressBar& bar) {
    const PointData& points = stream.points();
    const Stopwatch watch;
    auto settings = options_.search.settings<AttackSettings>(model_, rules_, points.missing,
                                                             stream.progress(bar), seconds_);
    settings.adversary = parse_adversary(options_.adversary);
    settings.rule = parse_heuristic_rule(options_.rule);
    const Vector radii =
        points.radii.size() > 0 ? points.radii : Vector(Vector::Constant(1, options_.radius));
    std::vector<ClassAttack> results = Decision(model_).attack(
        model_.scaler().transform_points(points.X), labels, radii, settings);
    seconds_ += watch.seconds();
    n_unsettled_ += count_unsettled(results);
    n_successes_ +=
        std::count_if(results.begin(), results.end(), [](const Attack& a) { return a.success; });
    return results;
}

/// The attacked points as rows of the data; a success is one in the row as printed, too.
PointSet AttackRun::attacked_rows(const PointData& points,
                                  const std::vector<ClassAttack>& results) {
    std::vector<RowMove> moves;
    for (std::size_t j = 0; j < results.size(); ++j) {
        moves.push_back({results[j].d,
                         results[j].success ? std::optional(results[j].moved_answer) : std::nullopt,
                         results[j].features});
        // A row that stays where it is is printed, too.
        if (points.X.is_sparse() && results[j].d.size() == 0)
            moves.back() = {Vector::Zero(1), std::nullopt, {0}};
    }
    return printed_rows(model_, rules_, points.X, moves, n_missed_);
}

void AttackRun::start_table(const PointData& points) {
    add_rules(report_, rules_, model_);
    if (points.radii.size() == 0) report_.add_fact("radius", options_.radius);
    report_.add_fact("adversary", options_.adversary);
    std::vector<Column> columns{"row"};
    if (points.y) columns.emplace_back("label");
    for (const char* name : {"prediction", "attacked", "success"}) columns.emplace_back(name);
    if (!model_.class_vote()) {
        for (const char* name : {"fooled", "planes"}) columns.emplace_back(name);
    }
    for (const char* name : {"objective", "bound", "status", "nodes"}) columns.emplace_back(name);
    table_rows_.add_names(columns, "", "features", points.X.is_sparse());
    table_ = &report_.add_table("points", "", std::move(columns));
}

void AttackRun::add_rows(const PointStream& stream, const std::vector<ClassAttack>& results) {
    const PointData& points = stream.points();
    if (table_ == nullptr) start_table(points);
    const PointSet attacked = attacked_rows(points, results);
    const RowFeatures frozen = rules_.frozen(points.missing);
    const std::vector<std::string> before = model_.predict_labels(points.X);
    const std::vector<std::string> after = model_.predict_labels(attacked);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const ClassAttack& result = results[i];
        const auto j = static_cast<Index>(i);
        table_->add(stream.n_before() + j + 1);
        if (points.y) table_->add(label_of(model_, (*points.y)[j]));
        table_->add(before[i]).add(after[i]).add(Index{result.success});
        if (!model_.class_vote())
            table_->add(static_cast<Index>(result.fooled.size())).add(plane_list(result.fooled));
        table_->add(result.objective).add(result.bound).add(to_string(result.status));
        table_->add(static_cast<Index>(result.n_nodes));
        table_rows_.add_row(*table_, attacked.row(j), frozen, i);
    }
}

ExitCode AttackRun::run() {
    PointStream stream = options_.input.stream_points(model_, rules_, options_.messages);
    ReportSink sink = options_.output.open();
    bool is_stopped = false;
    {
        ProgressBar bar(options_.messages, "attacking", "points");
        while (!is_stopped && stream.next()) {
            const PointData& points = stream.points();
            // Without labels the adversary's aim is to change the answer.
            const Vector labels = labels_of(model_, points);
            rules_.admit(points.X, labels, model_.feature_names(), points.missing,
                         stream.n_before() + 1);
            add_rows(stream, attacks(stream, labels, bar));
            if (!sink.write(report_.take_text())) return kBadInput;
            is_stopped = stream.is_stopped();
        }
    }
    warn_of_missed(n_missed_);
    sink.write(report_.take_rest());
    sink.finish();
    const std::string reach = options_.input.radius_column.empty()
                                  ? "radius " + exact_text(options_.radius)
                                  : "radii of their own";
    options_.messages.note("attacked " + std::to_string(stream.n_rows()) + " points in " +
                           seconds_text(seconds_) + ": " + std::to_string(n_successes_) +
                           " wrong at " + std::string(to_string(rules_.model.norm)) + " " + reach +
                           ", in " + rules_.unit(model_.scaler().kind()));
    const ExitCode code = warn_of_limits(n_unsettled_, stream.n_rows());
    return is_stopped ? kStoppedEarly : code;
}

ExitCode attack_points(const AttackOptions& options) {
    check_options(options);
    options.output.check();
    const Model model = options.input.load();
    return AttackRun(options, model).run();
}

}  // namespace

Run add_attack_command(CLI::App& parser) {
    CLI::App* command =
        parser.add_subcommand("attack", "The worst an adversary can do to each point");
    auto options = std::make_shared<AttackOptions>();
    add_options(*command, *options);
    describe(
        *command,
        "The radius is in scaled features, those that the model's planes see, or in the scales of "
        "the attack model; the attacked rows are in the units of the data.",
        {{"The worst moves of at most half a standard deviation",
          "redoubt attack model.json bcw:test --radius 0.5"},
         {"A quick attack that changes every feature a little",
          "redoubt attack model.json patients.csv --radius 0.2 --norm linf --adversary "
          "heuristic"}});
    return [options] { return attack_points(*options); };
}

}  // namespace redoubt::app
