#include "experiments/row.hpp"

#include <chrono>

#include "experiments/as_published.hpp"
#include "redoubt/attack_curve.hpp"
#include "redoubt/bagging.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/collaborative.hpp"
#include "redoubt/error.hpp"
#include "redoubt/robust_ensemble.hpp"

namespace redoubt::reproduction {

namespace {

Adversary adversary_of(const std::string& method) {
    if (method == "Ens-E") return Adversary::Exact;
    if (method == "Ens-R") return Adversary::Relaxed;
    if (method == "Ens-H") return Adversary::Heuristic;
    throw InvalidInput("method", "one of SVM-Ens, RO-SVM, Ens-E, Ens-R, Ens-H, Ens-C",
                       "'" + method + "'");
}

std::vector<Hyperplane> planes_of(const Ensemble& ensemble) {
    std::vector<Hyperplane> planes;
    for (Index i = 0; i < ensemble.n_planes(); ++i)
        planes.push_back({ensemble.coef().row(i).transpose(), ensemble.intercept()[i]});
    return planes;
}

TrainedRow train_plane(const Problem& problem, const RowKey& key, const RowSettings& settings) {
    RobustSvmSettings robust;
    robust.attack_model.norm = key.norm;
    robust.stop = settings.stop;
    const SvmResult svm = train_robust_svm({problem.train_X, problem.train_y},
                                           Vector::Constant(1, key.defense_radius), robust);
    return {{svm.plane}, 0.0, svm.status};
}

TrainedRow train_published_row(const Problem& problem, const RowKey& key,
                               const RowSettings& settings) {
    const SvmData data{problem.train_X, problem.train_y};
    TrainedRow row{{}, 0.0, Status::Optimal};
    if (key.method == "SVM-Ens") {
        for (Index t = 0; t < key.n_planes; ++t) {
            row.planes.push_back(train_published_svm(
                {data.X, data.y, problem.bags.row(t).transpose()}, settings.choices));
        }
        return row;
    }
    const bool is_plane = key.method == "RO-SVM";
    const PublishedEnsemble job{
        .dataset = key.dataset,
        .norm = key.norm,
        .adversary = is_plane ? Adversary::Exact : adversary_of(key.method),
        .radius = key.defense_radius,
        .n_planes = key.n_planes,
        .choices = settings.choices,
        .stop = settings.stop,
    };
    if (is_plane) {
        row.planes = {train_published_plane(data, job)};
        return row;
    }
    row.planes = train_as_published(data, job);
    if (static_cast<Index>(row.planes.size()) < key.n_planes) row.status = Status::Interrupted;
    return row;
}

TrainedRow train_corrected(const Problem& problem, const RowKey& key, const RowSettings& settings) {
    const SvmData data{problem.train_X, problem.train_y};
    const Vector radii = Vector::Constant(1, key.defense_radius);
    if (key.method == "SVM-Ens") {
        BaggingSettings bagging;
        bagging.n_planes = key.n_planes;
        bagging.bags = problem.bags.topRows(key.n_planes);
        bagging.control.stop = settings.stop;
        BaggingResult result = train_bagged_svms(data, bagging);
        return {std::move(result.planes), 0.0, result.status};
    }
    if (key.method == "Ens-C") {
        CollaborativeSettings collaborative;
        collaborative.attack_model.norm = key.norm;
        collaborative.n_planes = key.n_planes;
        collaborative.control.stop = settings.stop;
        const CollaborativeResult result = train_collaborative(data, radii, collaborative);
        return {planes_of(result.ensemble), 0.0, result.status};
    }
    RobustEnsembleSettings robust;
    robust.attack_model.norm = key.norm;
    robust.adversary = adversary_of(key.method);
    robust.n_planes = key.n_planes;
    robust.control.stop = settings.stop;
    RobustEnsembleResult result = train_robust_ensemble(data, radii, robust);
    return {std::move(result.state.planes), 0.0, result.status};
}

}  // namespace

std::string_view to_string(Mode mode) noexcept {
    return mode == Mode::AsPublished ? "as_published" : "corrected";
}

std::vector<std::string> published_methods(Norm norm) {
    return {"SVM-Ens", "RO-SVM", "Ens-E", norm == Norm::LInf ? "Ens-R" : "Ens-H"};
}

TrainedRow train_row(const Problem& problem, const RowKey& key, const RowSettings& settings) {
    const auto start = std::chrono::steady_clock::now();
    TrainedRow row;
    if (settings.mode == Mode::AsPublished) {
        row = train_published_row(problem, key, settings);
    } else if (key.method == "RO-SVM") {
        row = train_plane(problem, key, settings);
    } else {
        row = train_corrected(problem, key, settings);
    }
    row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return row;
}

Scores score_planes(const Problem& problem, const std::vector<Hyperplane>& planes, Index n_planes,
                    Norm norm, const std::vector<double>& attack_radii) {
    const std::vector<Hyperplane> voters(planes.begin(), planes.begin() + n_planes);
    CertifySettings settings;
    settings.attack_model.norm = norm;
    const std::vector<Certificate> certificates =
        certify(Ensemble(voters), problem.test_X, problem.test_y, settings);
    Vector radii(problem.test_y.size());
    for (Index j = 0; j < radii.size(); ++j)
        radii[j] = certificates[static_cast<std::size_t>(j)].radius;
    const Eigen::Map<const Vector> grid(attack_radii.data(),
                                        static_cast<Index>(attack_radii.size()));
    const AttackCurve curve = attack_curve(radii, problem.test_y, grid);
    return {curve.accuracy, curve.balanced_accuracy};
}

}  // namespace redoubt::reproduction
