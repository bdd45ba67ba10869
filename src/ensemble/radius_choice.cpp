#include "redoubt/radius_choice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check.hpp"
#include "core/random.hpp"
#include "redoubt/class_certificate.hpp"
#include "redoubt/dataset.hpp"
#include "svm/check_data.hpp"

namespace redoubt {

namespace {

/// Single points count up to this many natural scales.
constexpr double kCappedScales = 3.0;
/// Points of a class that a sample keeps, if the class has them.
constexpr Index kLeastOfClass = 100;
/// Below kManyPoints one set of folds does not tell candidates apart.
constexpr Index kManyPoints = 1000;
constexpr Index kRepeats = 3;
/// Candidates that go on after the first time.
constexpr Index kFinalists = 4;
/// Share of the steps of a training that a trial makes.
constexpr double kTrialShare = 0.3;
/// A scale needs no digits.
constexpr double kScaleTolerance = 1e-3;
/// Where nothing can be compared.
constexpr double kUsualFactor = 0.5;

/// Rows of one class with a positive weight.
std::vector<Index> rows_of(const SvmData& data, double label) {
    std::vector<Index> rows;
    for (Index j = 0; j < data.y.size(); ++j) {
        const bool counts = data.weights.size() == 0 || data.weights[j] > 0.0;
        if (counts && data.y[j] == label) rows.push_back(j);
    }
    return rows;
}

/// The points that decide: all, or a sample with the shares of the classes.
struct Sample {
    PointSet X;
    Vector y;
    Vector weights;
    Index least_of_class = 0;

    Sample(const SvmData& data, const RadiusChoiceSettings& settings, std::size_t n_classes = 2) {
        std::vector<Index> rows;
        Random random(settings.seed);
        least_of_class = data.y.size();
        for (std::size_t c = 0; c < n_classes; ++c) {
            std::vector<Index> own = rows_of(data, label_of_class(c, n_classes));
            const auto count = static_cast<Index>(own.size());
            if (data.y.size() > settings.max_points) {
                const double share =
                    static_cast<double>(settings.max_points) / static_cast<double>(data.y.size());
                const auto wanted = std::llround(share * static_cast<double>(count));
                random.shuffle(own);
                own.resize(static_cast<std::size_t>(
                    std::min(count, std::max<Index>(wanted, kLeastOfClass))));
            }
            least_of_class = std::min(least_of_class, static_cast<Index>(own.size()));
            rows.insert(rows.end(), own.begin(), own.end());
        }
        std::sort(rows.begin(), rows.end());
        X = PointSet(data.X, rows);
        y = data.y(rows);
        if (data.weights.size() > 0) weights = data.weights(rows);
    }

    SvmData data() const { return {X, y, weights}; }
};

Hyperplane rough_plane(const SvmData& data, const RadiusChoiceSettings& settings) {
    SvmSettings svm;
    svm.tolerance = kScaleTolerance;
    svm.stop = settings.control.stop;
    return train_svm(data, svm).plane;
}

CertifySettings searches_of(const RadiusChoiceSettings& settings) {
    CertifySettings searches;
    searches.attack_model = settings.attack_model;
    searches.limits.stop = settings.control.stop;
    return searches;
}

/// 1 if it means nothing.
template <typename Found>
double median_distance(const std::vector<Found>& certificates) {
    std::vector<double> distances;
    for (const Certificate& certificate : certificates) {
        const double distance = std::abs(certificate.lower);
        if (std::isfinite(distance)) distances.push_back(distance);
    }
    if (distances.empty()) return 1.0;
    const auto middle = distances.begin() + std::ssize(distances) / 2;
    std::nth_element(distances.begin(), middle, distances.end());
    return *middle > 0.0 ? *middle : 1.0;
}

double scale_of(const SvmData& data, const RadiusChoiceSettings& settings) {
    const Ensemble plane(rough_plane(data, settings));
    return median_distance(certify(plane, data.X, data.y, searches_of(settings)));
}

/// Of several classes together.
double joint_scale(const SvmData& data, Index n_classes, const RadiusChoiceSettings& settings) {
    std::vector<Ensemble> planes;
    for (Index c = 0; c < n_classes; ++c) {
        const Vector signs = against_rest(data.y, c);
        planes.emplace_back(rough_plane({data.X, signs, data.weights}, settings));
    }
    return median_distance(certify(ClassVote::against_rest(planes), data.X,
                                   Eigen::VectorXi(data.y.cast<int>()),
                                   ClassCertifySettings{searches_of(settings)}));
}

/// Of each class against the rest.
Vector scales_of(const SvmData& data, Index n_classes, const RadiusChoiceSettings& settings) {
    Vector scales(n_classes);
    for (Index c = 0; c < n_classes; ++c) {
        RadiusChoiceSettings own = settings;
        own.attack_model = settings.attack_model.against_rest(static_cast<int>(c));
        const Vector signs = against_rest(data.y, c);
        scales[c] = scale_of({data.X, signs, data.weights}, own);
    }
    return scales;
}

void check_classes(const SvmData& data, Index n_classes, const RadiusChoiceSettings& settings) {
    settings.check();
    check_class_data(data, n_classes);
    settings.attack_model.check(data.X.cols(), n_classes);
    settings.attack_model.check_points(data.X, data.y);
}

Index nearest_to(const std::vector<RadiusCandidate>& candidates, double radius) {
    const auto is_nearer = [&](const RadiusCandidate& a, const RadiusCandidate& b) {
        const auto distance = [&](const RadiusCandidate& one) {
            return std::abs(std::log(one.radius / radius));
        };
        return distance(a) < distance(b);
    };
    return std::min_element(candidates.begin(), candidates.end(), is_nearer) - candidates.begin();
}

/// Tries the candidates around the natural scale of the choice; `select` compares them.
template <typename Select>
void choose(const Sample& sample, const RadiusChoiceSettings& settings, RadiusChoice& choice,
            const Select& select) {
    choice.n_points = sample.y.size();
    for (double factor : settings.factors) {
        for (Index k : settings.n_planes) choice.candidates.push_back({factor * choice.scale, k});
    }
    Index best = -1;
    choice.n_folds = std::min(settings.n_folds, sample.least_of_class);
    if (choice.n_folds < 2) {
        choice.n_folds = 0;
    } else {
        SelectionSettings selection;
        selection.attack_model = settings.attack_model;
        selection.rule = SelectionRule::NoCost;
        selection.score = Score::BalancedAccuracy;
        selection.radius_cap = kCappedScales * choice.scale;
        selection.n_folds = choice.n_folds;
        selection.n_repeats = choice.n_points < kManyPoints ? kRepeats : 1;
        if (selection.n_repeats > 1) selection.n_finalists = kFinalists;
        selection.n_reserves = std::count_if(
            choice.candidates.begin(), choice.candidates.end(), [&](const RadiusCandidate& one) {
                return one.radius < settings.reserve_below * choice.scale;
            });
        selection.seed = settings.seed;
        selection.n_threads = settings.n_threads;
        selection.control = settings.control;
        choice.selection = select(selection);
        choice.status = choice.selection.status;
        best = choice.selection.best;
    }
    if (best < 0) best = nearest_to(choice.candidates, kUsualFactor * choice.scale);
    choice.best = choice.candidates[static_cast<std::size_t>(best)];
}

}  // namespace

void RadiusChoiceSettings::check() const {
    if (factors.empty()) throw InvalidInput("factors", "at least one", "none");
    for (double factor : factors)
        check_value(factor > 0.0 && std::isfinite(factor), "factors", "finite numbers > 0", factor);
    check_value(reserve_below >= 0.0, "reserve_below", "a number >= 0", reserve_below);
    const auto is_reserve = [&](double factor) { return factor < reserve_below; };
    if (!std::is_partitioned(factors.begin(), factors.end(), is_reserve))
        throw InvalidInput("factors", "those below reserve_below first", "another order");
    if (n_planes.empty()) throw InvalidInput("n_planes", "at least one", "none");
    for (Index k : n_planes)
        check_value(k >= 1, "n_planes", "integers >= 1", static_cast<double>(k));
    check_value(n_folds >= 2, "n_folds", "an integer >= 2", static_cast<double>(n_folds));
    check_value(max_points >= 2, "max_points", "an integer >= 2", static_cast<double>(max_points));
    check_value(n_threads >= 0, "n_threads", "an integer >= 0", n_threads);
    control.check();
}

double natural_scale(const SvmData& data, const RadiusChoiceSettings& settings) {
    settings.check();
    check_svm_data(data);
    settings.attack_model.check_data(data.X, data.y);
    return scale_of(Sample(data, settings).data(), settings);
}

RadiusChoice choose_radius(const SvmData& data, const FitRadius& fit,
                           const RadiusChoiceSettings& settings) {
    settings.check();
    check_svm_data(data);
    settings.attack_model.check_data(data.X, data.y);
    const Sample sample(data, settings);
    RadiusChoice choice;
    choice.scale = scale_of(sample.data(), settings);
    choose(sample, settings, choice, [&](const SelectionSettings& selection) {
        return select_candidate(
            sample.data(), std::ssize(choice.candidates),
            [&](Index candidate, const SvmData& part, const std::vector<Index>&) {
                return fit(choice.candidates[static_cast<std::size_t>(candidate)], part);
            },
            selection);
    });
    return choice;
}

Vector against_rest(const VectorRef& y, Index c) {
    return (y.array() == static_cast<double>(c)).select(Vector::Ones(y.size()), -1.0);
}

Vector natural_scales(const SvmData& data, Index n_classes, const RadiusChoiceSettings& settings) {
    check_classes(data, n_classes, settings);
    const Sample sample(data, settings, static_cast<std::size_t>(n_classes));
    return scales_of(sample.data(), n_classes, settings);
}

ClassRadiusChoice choose_class_radii(const SvmData& data, Index n_classes,
                                     const FitClassRadius& fit,
                                     const RadiusChoiceSettings& settings) {
    check_classes(data, n_classes, settings);
    const Sample sample(data, settings, static_cast<std::size_t>(n_classes));
    ClassRadiusChoice choice;
    choice.scales = scales_of(sample.data(), n_classes, settings);
    choice.scale = choice.scales.mean();
    const auto fit_all = [&](Index candidate, const SvmData& part, const std::vector<Index>&) {
        const RadiusCandidate& one = choice.candidates[static_cast<std::size_t>(candidate)];
        const Vector radii = choice.radii(one);
        std::vector<Ensemble> classes;
        for (Index c = 0; c < n_classes; ++c) {
            const Vector signs = against_rest(part.y, c);
            classes.push_back(
                fit(static_cast<int>(c), radii[c], one.n_planes, {part.X, signs, part.weights}));
        }
        return ClassVote::against_rest(classes);
    };
    choose(sample, settings, choice, [&](const SelectionSettings& selection) {
        return select_candidate(sample.data(), n_classes, std::ssize(choice.candidates), fit_all,
                                selection);
    });
    return choice;
}

ClassRadiusChoice choose_joint_radius(const SvmData& data, Index n_classes, const FitRadius& fit,
                                      const RadiusChoiceSettings& settings) {
    check_classes(data, n_classes, settings);
    const Sample sample(data, settings, static_cast<std::size_t>(n_classes));
    ClassRadiusChoice choice;
    choice.scale = joint_scale(sample.data(), n_classes, settings);
    choice.scales = Vector::Constant(n_classes, choice.scale);
    const std::vector<Index> counts(static_cast<std::size_t>(n_classes), 1);
    const auto fit_all = [&](Index candidate, const SvmData& part, const std::vector<Index>&) {
        return ClassVote(fit(choice.candidates[static_cast<std::size_t>(candidate)], part), counts,
                         ClassScore::Value);
    };
    choose(sample, settings, choice, [&](const SelectionSettings& selection) {
        return select_candidate(sample.data(), n_classes, std::ssize(choice.candidates), fit_all,
                                selection);
    });
    return choice;
}

const std::vector<double>& collaborative_factors() {
    static const std::vector<double> factors{0.7, 1.0, 1.4, 2.0, 2.8, 4.0};
    return factors;
}

std::optional<Index> trial_epochs(const CollaborativeSettings& settings, Index n_points) {
    if (settings.n_epochs || settings.features_per_plane == 1) return settings.n_epochs;
    const auto usual = static_cast<double>(plan_collaborative(n_points, settings).n_epochs);
    return std::max<Index>(1, std::llround(kTrialShare * usual));
}

FitRadius fit_radius_with(RobustSvmSettings settings) {
    settings.n_threads = 1;
    return [settings = std::move(settings)](const RadiusCandidate& candidate, const SvmData& part) {
        const Vector radii = Vector::Constant(1, candidate.radius);
        return Ensemble(train_robust_svm(part, radii, settings).plane);
    };
}

FitRadius fit_radius_with(RobustEnsembleSettings settings) {
    settings.n_threads = 1;
    settings.checkpoint = nullptr;
    settings.control.progress = nullptr;
    return [settings = std::move(settings)](const RadiusCandidate& candidate, const SvmData& part) {
        RobustEnsembleSettings own = settings;
        own.n_planes = candidate.n_planes;
        return train_robust_ensemble(part, Vector::Constant(1, candidate.radius), own).ensemble();
    };
}

FitRadius fit_radius_with(CollaborativeSettings settings) {
    settings.n_threads = 1;
    settings.checkpoint = nullptr;
    settings.control.progress = nullptr;
    return [settings = std::move(settings)](const RadiusCandidate& candidate, const SvmData& part) {
        CollaborativeSettings own = settings;
        own.n_planes = candidate.n_planes;
        own.n_epochs = trial_epochs(settings, part.y.size());
        return train_collaborative(part, Vector::Constant(1, candidate.radius), own).ensemble;
    };
}

}  // namespace redoubt
