#pragma once

/// How a vote stands up to an adversary on labelled points: what `train` and `evaluate` print.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "commands/command.hpp"
#include "options/attack_choice.hpp"
#include "output/decision.hpp"
#include "output/report.hpp"
#include "redoubt/attack_curve.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/model.hpp"
#include "redoubt/status.hpp"

namespace redoubt::app {

inline const std::vector<double> kUsualAttackRadii{0,    0.1, 0.2,  0.3, 0.4,  0.5,
                                                   0.75, 1,   1.25, 1.5, 1.75, 2};

/// The ceiling compares all points with each other, so it is left out beyond this many.
inline constexpr Index kMaxCeilingPoints = 5000;

struct Evaluation {
    AttackCurve curve{};
    /// Empty if there are too many points, or the attack model is more than a ball.
    std::optional<AccuracyCeiling> ceiling{};
    /// [true class][answer], without attack, by class number (class_number).
    std::vector<std::vector<Index>> confusion{};
    Index n_points = 0;
    /// Points whose radius is not exact because a limit was reached.
    Index n_unsettled = 0;
};

/// Adds up the points of data that arrive in parts. Keeps only as many as the ceiling can take.
class Evaluator {
public:
    /// Must not outlive the model.
    Evaluator(const Decision& decision, const std::vector<double>& radii);

    /// `scaled` in the features of the planes.
    void add(const PointsRef& scaled, const VectorRef& y, const CertifySettings& settings);

    Index n_points() const { return result_.n_points; }
    /// By its number.
    Index n_of_class(std::size_t number) const;
    /// Two labels must be present. No ceiling if a search was stopped.
    Evaluation finish();

private:
    Decision decision_;
    Vector radii_;
    AttackCounts counts_;
    Evaluation result_{};
    /// The points so far, while there can be a ceiling; and its norm.
    PointSet kept_;
    Vector kept_labels_;
    bool has_ceiling_;
    Norm norm_ = Norm::L2;
};

/// `scaled` in the features of the planes. Two labels must be present.
Evaluation evaluate_points(const Decision& decision, const PointsRef& scaled, const VectorRef& y,
                           const std::vector<double>& radii, const CertifySettings& settings);

/// The attack curve, as the next table of the report. `points` says what it was measured on, as in
/// "bcw:test".
void add_curve(Report& report, OutputFormat format, const Evaluation& evaluation,
               const AttackChoice& rules, Scaling scaling, const std::string& points);

/// The table of right and wrong answers without attack.
void add_confusion(Report& report, const Evaluation& evaluation,
                   const ClassNames& classes);

/// "20 %".
std::string percent_text(double share);

/// The meaning of a radius of 1, such as "standard deviations of the training data".
std::string unit_of(Scaling scaling);

/// The exit code of a command that leaves this many of its points unsettled, with a warning.
ExitCode warn_of_limits(Index n_unsettled, Index n_points);

template <class Result>
Index count_unsettled(const std::vector<Result>& results) {
    return std::count_if(results.begin(), results.end(),
                         [](const Result& result) { return result.status != Status::Optimal; });
}

template <class Result>
ExitCode warn_of_limits(const std::vector<Result>& results) {
    return warn_of_limits(count_unsettled(results), static_cast<Index>(results.size()));
}

}  // namespace redoubt::app
