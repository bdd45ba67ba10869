#include "redoubt/selection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "ensemble/round_clock.hpp"
#include "redoubt/attack_curve.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/dataset.hpp"
#include "svm/check_data.hpp"

namespace redoubt {

namespace {

using Rows = std::vector<Index>;

/// How much less accurate than the best, at most, the most robust candidate may be.
constexpr double kOnePoint = 0.01;

/// The rows of each part, ascending: dealt out class by class in a random order.
std::vector<Rows> deal_folds(const SvmData& data, const SelectionSettings& settings,
                             Random& random) {
    std::vector<Rows> parts(static_cast<std::size_t>(settings.n_folds));
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

std::vector<Rows> deal_parts(const SvmData& data, const SelectionSettings& settings) {
    if (settings.validation_share > 0.0) {
        return {hold_out(data.y, settings.validation_share, settings.seed).test};
    }
    Random random(settings.seed);
    std::vector<Rows> parts;
    for (Index repeat = 0; repeat < settings.n_repeats; ++repeat) {
        for (Rows& part : deal_folds(data, settings, random)) parts.push_back(std::move(part));
    }
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
    PointSet X;
    Vector y;
    Vector weights;

    Part(const SvmData& data, const Rows& rows)
        : X(data.X, rows),
          y(data.y(rows)),
          weights(data.weights.size() == 0 ? Vector() : Vector(data.weights(rows))) {}
    SvmData data() const { return {X, y, weights}; }
};

/// What one candidate does on one part.
struct Outcome {
    double score = std::numeric_limits<double>::quiet_NaN();
    double balanced_accuracy = std::numeric_limits<double>::quiet_NaN();
    double certified_radius = std::numeric_limits<double>::quiet_NaN();
};

/// The mean of the classes' means, of radii up to `cap`.
double mean_radius(const Vector& radius, const Vector& y, double cap) {
    double sum = 0.0;
    for (double label : {-1.0, 1.0}) {
        const auto is_own = (y.array() == label).cast<double>();
        sum += (radius.array().max(-cap).min(cap) * is_own).sum() / std::max(1.0, is_own.sum());
    }
    return 0.5 * sum;
}

Outcome judge(const Ensemble& ensemble, const Part& part, const SelectionSettings& settings) {
    CertifySettings certify_settings;
    certify_settings.attack_model = settings.attack_model;
    certify_settings.limits.stop = settings.control.stop;
    const std::vector<Certificate> certificates =
        certify(ensemble, part.X, part.y, certify_settings);
    Vector lower(part.y.size());
    Vector upper(part.y.size());
    for (Index j = 0; j < lower.size(); ++j) {
        lower[j] = certificates[static_cast<std::size_t>(j)].lower;
        upper[j] = certificates[static_cast<std::size_t>(j)].upper;
    }
    Vector radii = Vector::Zero(settings.attack_radii.size() + 1);
    radii.tail(settings.attack_radii.size()) = settings.attack_radii;
    const AttackCurve curve = attack_curve(lower, upper, part.y, radii);
    const Vector& scores =
        settings.score == Score::Accuracy ? curve.accuracy : curve.balanced_accuracy;
    const double score = radii.size() > 1 ? scores.tail(radii.size() - 1).mean() : scores[0];
    return {score, curve.balanced_accuracy[0], mean_radius(lower, part.y, settings.radius_cap)};
}

/// Mean and standard deviation of the numbers that are there.
struct Moments {
    double mean = std::numeric_limits<double>::quiet_NaN();
    double deviation = 0.0;
    double count = 0.0;

    template <typename Row>
    explicit Moments(const Row& row) {
        double sum = 0.0;
        double square = 0.0;
        for (double value : row) {
            if (std::isnan(value)) continue;
            sum += value;
            count += 1.0;
        }
        if (count == 0.0) return;
        mean = sum / count;
        for (double value : row) {
            if (!std::isnan(value)) square += (value - mean) * (value - mean);
        }
        if (count > 1.0) deviation = std::sqrt(square / (count - 1.0));
    }
};

/// The most robust candidate that costs no accuracy; the first of equal ones.
Index most_robust(const SelectionResult& result) {
    Index top = 0;
    const double greatest = result.balanced_accuracy.maxCoeff(&top);
    const double least = greatest - std::min(result.standard_error[top], kOnePoint);
    Index best = top;
    for (Index i = 0; i < result.balanced_accuracy.size(); ++i) {
        const double gain = result.certified_radius[i] - result.certified_radius[best];
        if (result.balanced_accuracy[i] >= least && gain > 0.0) best = i;
    }
    return best;
}

void summarize(SelectionResult& result, const Matrix& balanced, const Matrix& certified,
               SelectionRule rule) {
    const Index n_candidates = result.scores.rows();
    for (Vector* column : {&result.mean, &result.deviation, &result.balanced_accuracy,
                           &result.standard_error, &result.certified_radius}) {
        column->resize(n_candidates);
    }
    bool is_every_one_tried = n_candidates > 0;
    for (Index i = 0; i < n_candidates; ++i) {
        const Moments score(result.scores.row(i));
        const Moments accuracy(balanced.row(i));
        result.mean[i] = score.mean;
        result.deviation[i] = score.deviation;
        result.balanced_accuracy[i] = accuracy.mean;
        result.standard_error[i] = accuracy.deviation / std::sqrt(std::max(1.0, accuracy.count));
        result.certified_radius[i] = Moments(certified.row(i)).mean;
        is_every_one_tried = is_every_one_tried && score.count > 0.0;
    }
    if (!is_every_one_tried) return;
    if (rule == SelectionRule::BestScore) {
        result.mean.maxCoeff(&result.best);
    } else {
        result.best = most_robust(result);
    }
}

}  // namespace

void SelectionSettings::check() const {
    if (attack_radii.size() == 0 && rule == SelectionRule::BestScore)
        throw InvalidInput("attack_radii", "at least one radius", "none");
    check_non_negative("attack_radii", attack_radii);
    check_value(n_folds >= 2, "n_folds", "an integer >= 2", static_cast<double>(n_folds));
    check_value(n_repeats >= 1, "n_repeats", "an integer >= 1", static_cast<double>(n_repeats));
    check_value(validation_share >= 0.0 && validation_share <= 0.9, "validation_share",
                "a number in [0, 0.9]", validation_share);
    check_value(radius_cap > 0.0, "radius_cap", "a number > 0", radius_cap);
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
    Matrix balanced = result.scores;
    Matrix certified = result.scores;
    Index n_done = 0;
    std::mutex mutex;
    const auto is_up = [&] {
        const std::lock_guard lock(mutex);
        return clock.is_up();
    };
    // Part by part, so that a limit leaves as many candidates as possible with equal evidence.
    for (Index part = 0; part < n_parts; ++part) {
        const Rows& held_out = parts[static_cast<std::size_t>(part)];
        const Rows rows = all_but(held_out, data.y.size());
        const Part training(data, rows);
        const Part validation(data, held_out);
        parallel_for(n_candidates, settings.n_threads, [&](Index candidate) {
            if (is_up()) return;
            const Ensemble ensemble = fit(candidate, training.data(), rows);
            if (is_up()) return;
            const Outcome outcome = judge(ensemble, validation, settings);
            const std::lock_guard lock(mutex);
            result.scores(candidate, part) = outcome.score;
            balanced(candidate, part) = outcome.balanced_accuracy;
            certified(candidate, part) = outcome.certified_radius;
            clock.report({++n_done, n_candidates * n_parts, 0, data.y.size()});
        });
    }
    summarize(result, balanced, certified, settings.rule);
    result.status = clock.status();
    return result;
}

}  // namespace redoubt
