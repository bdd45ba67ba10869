// redoubt certify: how far each point can move before the model changes its answer.

#include <CLI/App.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/command.hpp"
#include "options/model_argument.hpp"
#include "options/search_options.hpp"
#include "output/decision.hpp"
#include "output/evaluation.hpp"
#include "output/messages.hpp"
#include "output/moved_rows.hpp"
#include "output/report.hpp"
#include "output/table_rows.hpp"
#include "redoubt/atomic_file.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/error.hpp"
#include "redoubt/proof_check.hpp"
#include "redoubt/proof_file.hpp"
#include "shell/help_text.hpp"

namespace redoubt::app {
namespace {

struct CertifyOptions {
    ModelArguments input;
    SearchOptions search;
    OutputOptions output{OutputOptions::Usual::TextOnTerminal};
    MessageOptions messages;
    bool witness = false;
    std::string proof;
};

void add_options(CLI::App& command, CertifyOptions& options) {
    options.input.add_to(command);
    options.search.add_to(command);
    command.add_flag("--witness", options.witness,
                     "Add the nearest point with another answer, in the units of the data");
    command
        .add_option("--proof", options.proof,
                    "Write proofs of the radii to this file, for 'redoubt check' "
                    "or redoubt_check.py")
        ->type_name("FILE");
    options.output.add_to(command);
    options.messages.add_to(command);
}

/// What a run over all blocks adds up to.
class CertifyRun {
public:
    CertifyRun(const CertifyOptions& options, const Model& model)
        : options_(options),
          model_(model),
          rules_(options.search.rules_for(model)),
          table_rows_(model),
          report_(options.output.format()) {}

    ExitCode run();

private:
    std::vector<ClassCertificate> certificates(const PointStream& stream, ProgressBar& bar);
    PointSet witness_rows(const PointData& points, const std::vector<ClassCertificate>& results);
    void start_table(const PointData& points);
    void add_rows(const PointStream& stream, const std::vector<ClassCertificate>& results);
    void open_proofs();
    void write_proofs(const PointStream& stream, const PointSet& scaled,
                      const CertifySettings& settings,
                      const std::vector<ClassCertificate>& results);

    const CertifyOptions& options_;
    const Model& model_;
    AttackChoice rules_;
    TableRows table_rows_;
    Report report_;
    Table* table_ = nullptr;
    double seconds_ = 0.0;
    Index n_unsettled_ = 0;
    Index n_missed_ = 0;
    std::optional<AtomicFile> proofs_;
    std::map<std::string_view, Index> unproven_;  ///< points without a proof, by the reason
};

std::vector<ClassCertificate> CertifyRun::certificates(const PointStream& stream,
                                                       ProgressBar& bar) {
    const PointData& points = stream.points();
    const Stopwatch watch;
    auto settings = options_.search.settings<CertifySettings>(model_, rules_, points.missing,
                                                              stream.progress(bar), seconds_);
    settings.proofs = proofs_.has_value();
    // Those of sparse points cost far more than the brackets.
    settings.wants_witness = options_.witness || !points.X.is_sparse();
    const PointSet scaled = model_.scaler().transform_points(points.X);
    std::vector<ClassCertificate> results = Decision(model_).certify(scaled, points.y, settings);
    seconds_ += watch.seconds();
    n_unsettled_ += count_unsettled(results);
    if (proofs_) write_proofs(stream, scaled, settings, results);
    return results;
}

void CertifyRun::write_proofs(const PointStream& stream, const PointSet& scaled,
                              const CertifySettings& settings,
                              const std::vector<ClassCertificate>& results) {
    const std::optional<Vector>& y = stream.points().y;
    for (std::size_t j = 0; j < results.size(); ++j) {
        const ClassCertificate& result = results[j];
        if (!result.proof && !result.class_proof) {
            ++unproven_[result.why_no_proof];
            continue;
        }
        const auto row = static_cast<Index>(j);
        const Index number = stream.n_before() + row + 1;
        const Vector x = scaled.row(row).to_dense();
        const std::vector<int> frozen =
            settings.frozen.empty() ? std::vector<int>() : settings.frozen[j];
        if (model_.class_vote()) {
            const int label = y ? static_cast<int>((*y)[row]) : result.answer;
            proofs_->write(proof_line(number, *model_.class_vote(), x, label, result, frozen));
        } else {
            proofs_->write(
                proof_line(number, model_.ensemble(), settings.attack_model, x, result, frozen));
        }
    }
}

/// The witnesses as rows of the data.
PointSet CertifyRun::witness_rows(const PointData& points,
                                  const std::vector<ClassCertificate>& results) {
    std::vector<RowMove> moves;
    for (const ClassCertificate& result : results)
        moves.push_back({result.witness, result.moved_answer, result.witness_features});
    return printed_rows(model_, rules_, points.X, moves, n_missed_);
}

void CertifyRun::start_table(const PointData& points) {
    add_rules(report_, rules_, model_);
    std::vector<Column> columns{"row"};
    if (points.y) columns.emplace_back("label");
    for (const char* name : {"prediction", "radius", "lower", "upper", "status", "nodes"}) {
        columns.emplace_back(name);
    }
    if (model_.class_vote()) columns.emplace_back("nearest");
    if (options_.witness)
        table_rows_.add_names(columns, "witness:", "witness", points.X.is_sparse());
    table_ = &report_.add_table("points", "", std::move(columns));
}

void CertifyRun::add_rows(const PointStream& stream, const std::vector<ClassCertificate>& results) {
    const PointData& points = stream.points();
    if (table_ == nullptr) start_table(points);
    const RowFeatures frozen = rules_.frozen(points.missing);
    PointSet witnesses;
    if (options_.witness) witnesses = witness_rows(points, results);
    const std::vector<std::string> predictions = model_.predict_labels(points.X);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const ClassCertificate& result = results[i];
        const auto j = static_cast<Index>(i);
        table_->add(stream.n_before() + j + 1);
        if (points.y) table_->add(label_of(model_, (*points.y)[j]));
        table_->add(predictions[i]).add(result.radius).add(result.lower).add(result.upper);
        table_->add(to_string(result.status)).add(static_cast<Index>(result.n_nodes));
        if (model_.class_vote()) {
            if (result.moved_answer < 0) {
                table_->add("");
            } else {
                table_->add(label_of(model_, result.moved_answer));
            }
        }
        if (options_.witness)
            table_rows_.add_row(*table_, witnesses.row(j), frozen, i, result.witness.size() > 0);
    }
}

void CertifyRun::open_proofs() {
    if (options_.proof.empty()) return;
    proofs_.emplace(options_.proof);
    const std::string hash = options_.input.model == "-" ? "" : file_hash(options_.input.model);
    const AttackModel moves =
        options_.search.settings<CertifySettings>(model_, rules_, {}, {}, 0.0).attack_model;
    proofs_->write(model_.class_vote() ? proof_header(*model_.class_vote(), moves, hash)
                                       : proof_header(model_.ensemble(), moves, hash));
}

ExitCode CertifyRun::run() {
    open_proofs();
    PointStream stream = options_.input.stream_points(model_, rules_, options_.messages);
    ReportSink sink = options_.output.open();
    bool is_stopped = false;
    {
        ProgressBar bar(options_.messages, "certifying", "points");
        while (!is_stopped && stream.next()) {
            const PointData& points = stream.points();
            rules_.admit(points.X, labels_of(model_, points), model_.feature_names(),
                         points.missing, stream.n_before() + 1);
            add_rows(stream, certificates(stream, bar));
            if (!sink.write(report_.take_text())) return kBadInput;
            is_stopped = stream.is_stopped();
        }
    }
    warn_of_missed(n_missed_);
    sink.write(report_.take_rest());
    sink.finish();
    if (proofs_) {
        proofs_->finish();
        options_.messages.note("proofs written to " + options_.proof);
        for (const auto& [reason, n] : unproven_) {
            options_.messages.note(std::to_string(n) + (n == 1 ? " point" : " points") +
                                   " without a proof: " + std::string(reason));
        }
    }
    options_.messages.note("certified " + std::to_string(stream.n_rows()) + " points in " +
                           seconds_text(seconds_) + "; " +
                           std::string(to_string(rules_.model.norm)) + " radii in " +
                           rules_.unit(model_.scaler().kind()));
    const ExitCode code = warn_of_limits(n_unsettled_, stream.n_rows());
    return is_stopped ? kStoppedEarly : code;
}

ExitCode certify_points(const CertifyOptions& options) {
    options.output.check();
    const Model model = options.input.load();
    return CertifyRun(options, model).run();
}

}  // namespace

Run add_certify_command(CLI::App& parser) {
    CLI::App* command = parser.add_subcommand(
        "certify", "How far each point can move before the model's answer changes");
    auto options = std::make_shared<CertifyOptions>();
    add_options(*command, *options);
    describe(*command,
             "Radii are in scaled features, those that the model's planes see, "
             "or in the scales of "
             "the attack model. Without labels the radius of the prediction is "
             "certified.",
             {{"How far each test point may move",
               "redoubt certify model.json bcw:test --out certificates.csv"},
              {"The nearest points with another answer, at most one second each",
               "redoubt certify model.json patients.csv --witness "
               "--point-time-limit 1"}});
    return [options] { return certify_points(*options); };
}

}  // namespace redoubt::app
