#include "output/evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "output/messages.hpp"

namespace redoubt::app {

std::string percent_text(double share) {
    return exact_text(std::round(1e4 * share) / 100.0) + " %";
}

std::string unit_of(Scaling scaling) {
    switch (scaling) {
        case Scaling::Standard:
            return "standard deviations of the training data";
        case Scaling::MinMax:
            return "ranges (greatest - least) of the training data";
        case Scaling::MaxAbs:
            return "largest magnitudes in the training data";
        case Scaling::Custom:
            return "units of the scaled features";
        case Scaling::None:
            break;
    }
    return "units of the data";
}

namespace {

/// A curve needs brackets alone, of which witnesses of sparse points would take far longer.
CertifySettings without_witnesses(CertifySettings settings, bool is_sparse) {
    settings.wants_witness = settings.wants_witness && !is_sparse;
    return settings;
}

}  // namespace

Evaluator::Evaluator(const Decision& decision, const std::vector<double>& radii)
    : decision_(decision),
      radii_(Eigen::Map<const Vector>(radii.data(), static_cast<Index>(radii.size()))),
      counts_(radii_, static_cast<Index>(decision.n_classes())),
      has_ceiling_(decision.n_classes() == 2) {
    result_.confusion.assign(decision.n_classes(), std::vector<Index>(decision.n_classes(), 0));
}

Index Evaluator::n_of_class(std::size_t number) const {
    const std::vector<Index>& row = result_.confusion[number];
    return std::accumulate(row.begin(), row.end(), Index{0});
}

void Evaluator::add(const PointsRef& scaled, const VectorRef& y, const CertifySettings& settings) {
    const std::vector<ClassCertificate> certificates = decision_.certify(
        scaled, Vector(y), without_witnesses(settings, scaled.is_sparse()));
    Vector lower(y.size());
    Vector upper(y.size());
    for (Index j = 0; j < y.size(); ++j) {
        const Certificate& certificate = certificates[static_cast<std::size_t>(j)];
        lower[j] = certificate.lower;
        upper[j] = certificate.upper;
    }
    counts_.add(lower, upper, y);
    result_.n_points += y.size();
    result_.n_unsettled += count_unsettled(certificates);
    const std::size_t n = decision_.n_classes();
    for (std::size_t j = 0; j < certificates.size(); ++j) {
        const std::size_t label = class_number(y[static_cast<Index>(j)], n);
        ++result_.confusion[label][class_number(certificates[j].answer, n)];
    }

    const bool is_stopped = settings.limits.stop != nullptr && settings.limits.stop->load();
    norm_ = settings.attack_model.norm;
    has_ceiling_ = has_ceiling_ && result_.n_points <= kMaxCeilingPoints &&
                   settings.attack_model.is_plain() && !is_stopped;
    if (!has_ceiling_) {
        kept_ = {};
        kept_labels_.resize(0);
        return;
    }
    kept_.append(scaled);
    kept_labels_.conservativeResize(result_.n_points);
    kept_labels_.tail(y.size()) = y;
}

Evaluation Evaluator::finish() {
    result_.curve = counts_.curve();
    if (has_ceiling_) result_.ceiling = accuracy_ceiling(kept_, kept_labels_, radii_, norm_);
    return std::move(result_);
}

Evaluation evaluate_points(const Decision& decision, const PointsRef& scaled, const VectorRef& y,
                           const std::vector<double>& radii, const CertifySettings& settings) {
    Evaluator evaluator(decision, radii);
    evaluator.add(scaled, y, settings);
    return evaluator.finish();
}

void add_curve(Report& report, OutputFormat format, const Evaluation& evaluation,
               const AttackChoice& rules, Scaling scaling, const std::string& points) {
    const AttackCurve& curve = evaluation.curve;
    // For reading, a column without news is a waste; a program wants the same columns every time.
    const bool is_text = format == OutputFormat::Text;
    const bool has_undecided = !is_text || curve.undecided.maxCoeff() > 0.0;
    const bool has_ceiling = !is_text || evaluation.ceiling.has_value();
    std::vector<Column> columns{"radius"};
    const auto add_pair = [&](bool is_wanted, const std::string& name) {
        if (!is_wanted) return;
        columns.emplace_back(name, Look::Percent);
        columns.emplace_back("balanced_" + name, Look::Percent);
    };
    add_pair(true, "accuracy");
    add_pair(has_undecided, "undecided");
    add_pair(has_ceiling, "ceiling");
    add_pair(!is_text, "constant");
    if (is_text) {
        report.add_fact("constant answer",
                        percent_text(curve.constant_accuracy) + " right, " +
                            percent_text(curve.constant_balanced_accuracy) +
                            " balanced, at any radius");
    }
    Table& table = report.add_table("curve",
                                    "Accuracy under attack (percent) on " + points + "; " +
                                        std::string(to_string(rules.model.norm)) + " radii in " +
                                        rules.unit(scaling),
                                    std::move(columns));
    for (Index i = 0; i < curve.radii.size(); ++i) {
        table.add(curve.radii[i]).add(curve.accuracy[i]).add(curve.balanced_accuracy[i]);
        if (has_undecided) table.add(curve.undecided[i]).add(curve.balanced_undecided[i]);
        if (evaluation.ceiling) {
            table.add(evaluation.ceiling->accuracy[i]);
            table.add(evaluation.ceiling->balanced_accuracy[i]);
        } else if (has_ceiling) {
            table.add_missing().add_missing();
        }
        if (is_text) continue;
        table.add(curve.constant_accuracy).add(curve.constant_balanced_accuracy);
    }
}

void add_confusion(Report& report, const Evaluation& evaluation,
                   const ClassNames& classes) {
    std::vector<Column> columns{"label"};
    for (const std::string& name : classes) columns.emplace_back("answered:" + name);
    Table& table = report.add_table("confusion", "Answers without attack", std::move(columns));
    for (std::size_t label = 0; label < classes.size(); ++label) {
        table.add(classes[label]);
        for (Index count : evaluation.confusion[label]) table.add(count);
    }
}

ExitCode warn_of_limits(Index n_unsettled, Index n_points) {
    if (n_unsettled == 0) return kProven;
    warn(std::to_string(n_unsettled) + " of " + std::to_string(n_points) +
         " points were not settled; their brackets are wide but correct");
    return kStoppedEarly;
}

}  // namespace redoubt::app
