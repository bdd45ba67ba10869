#include "redoubt/selection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <vector>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "ensemble/round_clock.hpp"
#include "redoubt/attack_curve.hpp"
#include "redoubt/class_certificate.hpp"
#include "redoubt/dataset.hpp"
#include "svm/check_data.hpp"

namespace redoubt {

namespace {

using Rows = std::vector<Index>;

/// How much less accurate than the best, at most, the most robust candidate may be.
constexpr double kOnePoint = 0.01;

/// The rows of each part, ascending: dealt out class by class in a random order.
std::vector<Rows> deal_folds(const SvmData& data, std::size_t n_classes,
                             const SelectionSettings& settings, Random& random) {
    std::vector<Rows> parts(static_cast<std::size_t>(settings.n_folds));
    for (std::size_t c = 0; c < n_classes; ++c) {
        const double label = label_of_class(c, n_classes);
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

std::vector<Rows> deal_parts(const SvmData& data, std::size_t n_classes,
                             const SelectionSettings& settings) {
    if (settings.validation_share > 0.0) {
        return {hold_out(data.y, settings.validation_share, settings.seed, n_classes).test};
    }
    Random random(settings.seed);
    std::vector<Rows> parts;
    for (Index repeat = 0; repeat < settings.n_repeats; ++repeat) {
        for (Rows& part : deal_folds(data, n_classes, settings, random))
            parts.push_back(std::move(part));
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
double mean_radius(const Vector& radius, const Vector& y, std::size_t n_classes, double cap) {
    double sum = 0.0;
    for (std::size_t c = 0; c < n_classes; ++c) {
        const auto is_own = (y.array() == label_of_class(c, n_classes)).cast<double>();
        sum += (radius.array().max(-cap).min(cap) * is_own).sum() / std::max(1.0, is_own.sum());
    }
    return sum / static_cast<double>(n_classes);
}

std::vector<Certificate> certificates_of(const Ensemble& ensemble, const Part& part,
                                         const CertifySettings& settings) {
    return certify(ensemble, part.X, part.y, settings);
}

std::vector<ClassCertificate> certificates_of(const ClassVote& vote, const Part& part,
                                              const CertifySettings& settings) {
    return certify(vote, part.X, Eigen::VectorXi(part.y.cast<int>()),
                   ClassCertifySettings{settings});
}

template <typename Decision>
Outcome judge(const Decision& decision, const Part& part, std::size_t n_classes,
              const SelectionSettings& settings) {
    CertifySettings certify_settings;
    certify_settings.attack_model = settings.attack_model;
    certify_settings.limits.stop = settings.control.stop;
    const auto certificates = certificates_of(decision, part, certify_settings);
    Vector lower(part.y.size());
    Vector upper(part.y.size());
    for (Index j = 0; j < lower.size(); ++j) {
        lower[j] = certificates[static_cast<std::size_t>(j)].lower;
        upper[j] = certificates[static_cast<std::size_t>(j)].upper;
    }
    Vector radii = Vector::Zero(settings.attack_radii.size() + 1);
    radii.tail(settings.attack_radii.size()) = settings.attack_radii;
    AttackCounts counts(radii, static_cast<Index>(n_classes));
    counts.add(lower, upper, part.y);
    const AttackCurve curve = counts.curve();
    const Vector& scores =
        settings.score == Score::Accuracy ? curve.accuracy : curve.balanced_accuracy;
    const double score = radii.size() > 1 ? scores.tail(radii.size() - 1).mean() : scores[0];
    return {score, curve.balanced_accuracy[0],
            mean_radius(lower, part.y, n_classes, settings.radius_cap)};
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

/// The first of equal ones.
Index most_accurate(const VectorRef& balanced_accuracy) {
    Index top = 0;
    for (Index i = 1; i < balanced_accuracy.size(); ++i) {
        const double best = balanced_accuracy[top];
        if (balanced_accuracy[i] > best || std::isnan(best)) top = i;
    }
    return top;
}

/// The most accurate candidate, and the most robust ones that other folds may find as accurate.
std::vector<Index> finalists(const SelectionResult& result, Index n_finalists) {
    std::vector<Index> all(static_cast<std::size_t>(result.balanced_accuracy.size()));
    std::iota(all.begin(), all.end(), Index{0});
    const Index top = most_accurate(result.balanced_accuracy);
    const double least = result.balanced_accuracy[top] - result.standard_error[top] - kOnePoint;
    std::erase_if(all, [&](Index i) { return i == top || result.balanced_accuracy[i] < least; });
    std::stable_sort(all.begin(), all.end(), [&](Index a, Index b) {
        return result.certified_radius[a] > result.certified_radius[b];
    });
    if (std::ssize(all) >= n_finalists) all.resize(static_cast<std::size_t>(n_finalists - 1));
    all.push_back(top);
    std::sort(all.begin(), all.end());
    return all;
}

/// Without the reserves, unless they are needed.
std::vector<Index> in_play(const SelectionResult& result, std::vector<Index> candidates,
                           Index n_reserves) {
    double best_reserve = -1.0;
    double best_other = -1.0;
    for (Index i : candidates) {
        double& best = i < n_reserves ? best_reserve : best_other;
        best = std::max(best, result.balanced_accuracy[i]);
    }
    if (best_reserve <= best_other + kOnePoint)
        std::erase_if(candidates, [&](Index i) { return i < n_reserves; });
    return candidates;
}

/// What is known of each candidate so far. Are all of them tried?
bool summarize(SelectionResult& result, const Matrix& balanced, const Matrix& certified) {
    const Index n_candidates = result.scores.rows();
    for (Vector* column : {&result.mean, &result.deviation, &result.balanced_accuracy,
                           &result.standard_error, &result.certified_radius, &result.n_parts}) {
        column->resize(n_candidates);
    }
    bool is_every_one_tried = n_candidates > 0;
    for (Index i = 0; i < n_candidates; ++i) {
        const Moments score(result.scores.row(i));
        const Moments accuracy(balanced.row(i));
        result.mean[i] = score.mean;
        result.n_parts[i] = score.count;
        result.deviation[i] = score.deviation;
        result.balanced_accuracy[i] = accuracy.mean;
        result.standard_error[i] = accuracy.deviation / std::sqrt(std::max(1.0, accuracy.count));
        result.certified_radius[i] = Moments(certified.row(i)).mean;
        is_every_one_tried = is_every_one_tried && score.count > 0.0;
    }
    return is_every_one_tried;
}

/// `data` are checked.
template <typename Fit>
SelectionResult select_among(const SvmData& data, std::size_t n_classes, Index n_candidates,
                             const Fit& fit, const SelectionSettings& settings) {
    check_value(n_candidates >= 1, "n_candidates", "an integer >= 1",
                static_cast<double>(n_candidates));
    RoundClock clock(settings.control);
    const std::vector<Rows> parts = deal_parts(data, n_classes, settings);
    const auto n_parts = static_cast<Index>(parts.size());
    SelectionResult result;
    result.scores =
        Matrix::Constant(n_candidates, n_parts, std::numeric_limits<double>::quiet_NaN());
    Matrix balanced = result.scores;
    Matrix certified = result.scores;
    std::vector<Index> running(static_cast<std::size_t>(n_candidates));
    std::iota(running.begin(), running.end(), Index{0});
    const Index first_parts = settings.n_finalists > 0 ? settings.n_folds : n_parts;
    Index n_done = 0;
    Index n_planned = n_candidates * n_parts;
    std::mutex mutex;
    const auto is_up = [&] {
        const std::lock_guard lock(mutex);
        return clock.is_up();
    };
    // Part by part, so that a limit leaves as many candidates as possible with equal evidence.
    for (Index part = 0; part < n_parts; ++part) {
        if (part == first_parts && summarize(result, balanced, certified)) {
            running = finalists(result, settings.n_finalists);
            n_planned = n_done + std::ssize(running) * (n_parts - part);
        }
        const Rows& held_out = parts[static_cast<std::size_t>(part)];
        const Rows rows = all_but(held_out, data.y.size());
        const Part training(data, rows);
        const Part validation(data, held_out);
        parallel_for(std::ssize(running), settings.n_threads, [&](Index at) {
            if (is_up()) return;
            const Index candidate = running[static_cast<std::size_t>(at)];
            const auto decision = fit(candidate, training.data(), rows);
            if (is_up()) return;
            const Outcome outcome = judge(decision, validation, n_classes, settings);
            const std::lock_guard lock(mutex);
            result.scores(candidate, part) = outcome.score;
            balanced(candidate, part) = outcome.balanced_accuracy;
            certified(candidate, part) = outcome.certified_radius;
            clock.report({++n_done, n_planned, 0, data.y.size()});
        });
    }
    if (summarize(result, balanced, certified)) {
        if (settings.rule == SelectionRule::BestScore) {
            result.mean.maxCoeff(&result.best);
        } else {
            running = in_play(result, std::move(running), settings.n_reserves);
            const Index best = most_robust(Vector(result.balanced_accuracy(running)),
                                           Vector(result.standard_error(running)),
                                           Vector(result.certified_radius(running)));
            result.best = running[static_cast<std::size_t>(best)];
        }
    }
    result.status = clock.status();
    return result;
}

}  // namespace

Index most_robust(const VectorRef& balanced_accuracy, const VectorRef& standard_error,
                  const VectorRef& certified_radius) {
    const Index n = balanced_accuracy.size();
    check_value(n >= 1, "balanced_accuracy", "at least one number", static_cast<double>(n));
    check_length("standard_error", standard_error.size(), n);
    check_length("certified_radius", certified_radius.size(), n);
    const Index top = most_accurate(balanced_accuracy);
    const double least = balanced_accuracy[top] - std::min(standard_error[top], kOnePoint);
    Index best = top;
    for (Index i = 0; i < n; ++i) {
        const double gain = certified_radius[i] - certified_radius[best];
        if (balanced_accuracy[i] >= least && gain > 0.0) best = i;
    }
    return best;
}

void SelectionSettings::check() const {
    if (attack_radii.size() == 0 && rule == SelectionRule::BestScore)
        throw InvalidInput("attack_radii", "at least one radius", "none");
    check_non_negative("attack_radii", attack_radii);
    check_value(n_folds >= 2, "n_folds", "an integer >= 2", static_cast<double>(n_folds));
    check_value(n_repeats >= 1, "n_repeats", "an integer >= 1", static_cast<double>(n_repeats));
    check_value(n_finalists >= 0, "n_finalists", "an integer >= 0",
                static_cast<double>(n_finalists));
    if (n_finalists > 0 && rule != SelectionRule::NoCost)
        throw InvalidInput("n_finalists", "0 for the best score", std::to_string(n_finalists));
    check_value(n_reserves >= 0, "n_reserves", "an integer >= 0", static_cast<double>(n_reserves));
    if (n_reserves > 0 && rule != SelectionRule::NoCost)
        throw InvalidInput("n_reserves", "0 for the best score", std::to_string(n_reserves));
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
    return select_among(data, 2, n_candidates, fit, settings);
}

SelectionResult select_candidate(const SvmData& data, Index n_classes, Index n_candidates,
                                 const FitClassCandidate& fit, const SelectionSettings& settings) {
    settings.check();
    check_class_data(data, n_classes);
    settings.attack_model.check(data.X.cols(), n_classes);
    settings.attack_model.check_points(data.X, data.y);
    return select_among(data, static_cast<std::size_t>(n_classes), n_candidates, fit, settings);
}

}  // namespace redoubt
