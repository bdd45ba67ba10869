#include "redoubt/selection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "core/random.hpp"
#include "ensemble/round_clock.hpp"
#include "redoubt/attack_curve.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/dataset.hpp"
#include "svm/check_data.hpp"

namespace redoubt {

namespace {

using Rows = std::vector<Index>;

/// The rows of each part, ascending: dealt out class by class in a random order.
std::vector<Rows> deal_parts(const SvmData& data, const SelectionSettings& settings) {
    if (settings.validation_share > 0.0) {
        return {hold_out(data.y, settings.validation_share, settings.seed).test};
    }
    std::vector<Rows> parts(static_cast<std::size_t>(settings.n_folds));
    Random random(settings.seed);
    for (double label : {-1.0, 1.0}) {
        Rows rows;
        for (Index j = 0; j < data.y.size(); ++j) {
            if (data.y[j] == label) rows.push_back(j);
        }
        if (rows.size() < parts.size()) {
            throw InvalidInput("y",
                               "at least " + std::to_string(parts.size()) + " points of each class",
                               std::to_string(rows.size()));
        }
        random.shuffle(rows);
        for (std::size_t i = 0; i < rows.size(); ++i) parts[i % parts.size()].push_back(rows[i]);
    }
    for (Rows& part : parts) std::sort(part.begin(), part.end());
    return parts;
}

Rows all_but(const Rows& part, Index n_rows) {
    Rows others;
    for (Index j = 0; j < n_rows; ++j) {
        if (!std::binary_search(part.begin(), part.end(), j)) others.push_back(j);
    }
    return others;
}

/// Some rows of the data, copied.
struct Part {
    Matrix X;
    Vector y;
    Vector weights;

    Part(const SvmData& data, const Rows& rows)
        : X(data.X(rows, Eigen::all)),
          y(data.y(rows)),
          weights(data.weights.size() == 0 ? Vector() : Vector(data.weights(rows))) {}
    SvmData data() const { return {X, y, weights}; }
};

double score_of(const Ensemble& ensemble, const Part& part, const SelectionSettings& settings) {
    CertifySettings certify_settings;
    certify_settings.attack_model = settings.attack_model;
    certify_settings.n_threads = settings.n_threads;
    certify_settings.limits.stop = settings.control.stop;
    const std::vector<Certificate> certificates =
        certify(ensemble, part.X, part.y, certify_settings);
    Vector lower(part.y.size());
    Vector upper(part.y.size());
    for (Index j = 0; j < lower.size(); ++j) {
        lower[j] = certificates[static_cast<std::size_t>(j)].lower;
        upper[j] = certificates[static_cast<std::size_t>(j)].upper;
    }
    const AttackCurve curve = attack_curve(lower, upper, part.y, settings.attack_radii);
    return (settings.score == Score::Accuracy ? curve.accuracy : curve.balanced_accuracy).mean();
}

void summarize(SelectionResult& result) {
    const Index n_candidates = result.scores.rows();
    result.mean = Vector::Constant(n_candidates, std::numeric_limits<double>::quiet_NaN());
    result.deviation = Vector::Zero(n_candidates);
    bool is_every_one_tried = n_candidates > 0;
    for (Index i = 0; i < n_candidates; ++i) {
        std::vector<double> scores;
        for (double score : result.scores.row(i)) {
            if (!std::isnan(score)) scores.push_back(score);
        }
        is_every_one_tried = is_every_one_tried && !scores.empty();
        if (scores.empty()) continue;
        const Eigen::Map<const Vector> values(scores.data(), static_cast<Index>(scores.size()));
        result.mean[i] = values.mean();
        if (values.size() < 2) continue;
        const double square = (values.array() - values.mean()).square().sum();
        result.deviation[i] = std::sqrt(square / static_cast<double>(values.size() - 1));
    }
    if (is_every_one_tried) result.mean.maxCoeff(&result.best);
}

}  // namespace

void SelectionSettings::check() const {
    if (attack_radii.size() == 0) throw InvalidInput("attack_radii", "at least one radius", "none");
    check_non_negative("attack_radii", attack_radii);
    check_value(n_folds >= 2, "n_folds", "an integer >= 2", static_cast<double>(n_folds));
    check_value(validation_share >= 0.0 && validation_share <= 0.9, "validation_share",
                "a number in [0, 0.9]", validation_share);
    check_value(n_threads >= 0, "n_threads", "an integer >= 0", n_threads);
    control.check();
}

SelectionResult select_candidate(const SvmData& data, Index n_candidates, const FitCandidate& fit,
                                 const SelectionSettings& settings) {
    settings.check();
    check_svm_data(data);
    settings.attack_model.check_data(data.X, data.y);
    check_value(n_candidates >= 1, "n_candidates", "an integer >= 1",
                static_cast<double>(n_candidates));
    RoundClock clock(settings.control);
    const std::vector<Rows> parts = deal_parts(data, settings);
    const auto n_parts = static_cast<Index>(parts.size());
    SelectionResult result;
    result.scores =
        Matrix::Constant(n_candidates, n_parts, std::numeric_limits<double>::quiet_NaN());
    Index n_done = 0;
    // Part by part, so that a limit leaves as many candidates as possible with equal evidence.
    for (Index part = 0; part < n_parts; ++part) {
        const Rows& held_out = parts[static_cast<std::size_t>(part)];
        const Rows rows = all_but(held_out, data.y.size());
        const Part training(data, rows);
        const Part validation(data, held_out);
        for (Index candidate = 0; candidate < n_candidates && !clock.is_up(); ++candidate) {
            const Ensemble ensemble = fit(candidate, training.data(), rows);
            if (clock.is_up()) break;
            result.scores(candidate, part) = score_of(ensemble, validation, settings);
            clock.report({++n_done, n_candidates * n_parts, 0, data.y.size()});
        }
    }
    summarize(result);
    result.status = clock.status();
    return result;
}

CollaborativeGrid CollaborativeGrid::standard(const CollaborativeSettings& settings,
                                              const VectorRef& attack_radii) {
    const double largest = attack_radii.size() > 0 ? attack_radii.maxCoeff() : 0.0;
    CollaborativeGrid grid;
    for (double share : {0.5, 0.75, 1.0, 1.5, 3.0}) grid.radii.push_back(share * largest);
    grid.n_planes = {1};
    if (settings.n_planes > 1) grid.n_planes.push_back(settings.n_planes);
    grid.n_epochs = {std::max<Index>(1, settings.n_epochs / 4)};
    if (settings.n_epochs > grid.n_epochs[0]) grid.n_epochs.push_back(settings.n_epochs);
    return grid;
}

CollaborativeChoice choose_collaborative(const SvmData& data, const CollaborativeSettings& settings,
                                         const CollaborativeGrid& grid,
                                         const SelectionSettings& selection) {
    const auto n_epochs = static_cast<Index>(grid.n_epochs.size());
    const auto n_planes = static_cast<Index>(grid.n_planes.size());
    const Index n_candidates = static_cast<Index>(grid.radii.size()) * n_planes * n_epochs;
    if (n_candidates == 0) throw InvalidInput("grid", "at least one of each", "none");
    CollaborativeChoice choice;
    const auto candidate_settings = [&](Index candidate, double* radius) {
        CollaborativeSettings one = settings;
        one.checkpoint = nullptr;
        one.control.progress = nullptr;
        one.n_epochs = grid.n_epochs[static_cast<std::size_t>(candidate % n_epochs)];
        one.n_planes = grid.n_planes[static_cast<std::size_t>(candidate / n_epochs % n_planes)];
        *radius = grid.radii[static_cast<std::size_t>(candidate / (n_epochs * n_planes))];
        return one;
    };
    SelectionSettings under_attack = selection;
    under_attack.attack_model = settings.attack_model;
    choice.selection = select_candidate(
        data, n_candidates,
        [&](Index candidate, const SvmData& part, const std::vector<Index>&) {
            double radius = 0.0;
            const CollaborativeSettings one = candidate_settings(candidate, &radius);
            return train_collaborative(part, Vector::Constant(1, radius), one).ensemble;
        },
        under_attack);
    const Index best = std::max<Index>(0, choice.selection.best);
    choice.settings = candidate_settings(best, &choice.radius);
    choice.settings.checkpoint = settings.checkpoint;
    choice.settings.control = settings.control;
    return choice;
}

}  // namespace redoubt
