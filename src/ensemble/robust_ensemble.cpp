#include "redoubt/robust_ensemble.hpp"

#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "ensemble/check_planes.hpp"
#include "ensemble/check_settings.hpp"
#include "ensemble/moved_points.hpp"
#include "ensemble/round_clock.hpp"
#include "redoubt/certificate.hpp"
#include "svm/check_data.hpp"

namespace redoubt {

namespace {

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

class RobustEnsembleTrainer {
public:
    RobustEnsembleTrainer(const SvmData& data, const VectorRef& radii,
                          const RobustEnsembleSettings& settings)
        : data_(data),
          radii_(radii),
          settings_(settings),
          clock_(settings.control),
          moved_(data, radii, settings) {}

    RobustEnsembleResult run(const RobustEnsembleState& resume);

private:
    bool add_first_plane();
    bool add_plane();
    void finish_round(const SvmResult& svm, RoundRecord record);
    double accuracy() const;

    const SvmData& data_;
    const VectorRef& radii_;
    const RobustEnsembleSettings& settings_;
    RoundClock clock_;
    MovedPoints moved_;
    RobustEnsembleState state_{};
    Status worst_ = Status::Optimal;
};

RobustEnsembleResult RobustEnsembleTrainer::run(const RobustEnsembleState& resume) {
    state_ = resume;
    for (const Hyperplane& plane : state_.planes) moved_.add_plane(plane);
    for (const RoundRecord& record : state_.history) {
        if (worst_ == Status::Optimal) worst_ = record.svm_status;
    }
    bool is_stopped = false;
    while (!is_stopped && static_cast<Index>(state_.planes.size()) < settings_.n_planes) {
        is_stopped = clock_.is_up() || !(state_.planes.empty() ? add_first_plane() : add_plane());
        if (!is_stopped && settings_.checkpoint) settings_.checkpoint(state_);
    }
    // A stop flag that was raised in mid-round is seen by the clock here.
    const bool is_limit = is_stopped && clock_.is_up();
    return {is_limit ? clock_.status() : worst_, std::move(state_), is_stopped};
}

bool RobustEnsembleTrainer::add_first_plane() {
    RoundRecord record;
    SvmResult svm;
    if (settings_.first_plane) {
        svm.status = Status::Optimal;
        svm.plane = *settings_.first_plane;
    } else {
        RobustSvmSettings robust;
        robust.attack_model = settings_.attack_model;
        robust.tolerance = settings_.tolerance;
        robust.n_threads = settings_.n_threads;
        robust.stop = settings_.control.stop;
        svm = train_robust_svm(data_, radii_, robust);
        if (svm.status == Status::Interrupted) return false;
        // Its dual variables belong to another problem.
        svm.dual_ratio.resize(0);
    }
    record.svm_seconds = svm.stats.solve_seconds;
    finish_round(svm, record);
    return true;
}

bool RobustEnsembleTrainer::add_plane() {
    const auto start = Clock::now();
    const auto round = static_cast<Index>(state_.planes.size());
    const bool is_moved = moved_.move([&](Index n_moved) {
        clock_.report({round, settings_.n_planes, n_moved, data_.X.rows()});
        return !clock_.is_up();
    });
    if (!is_moved) return false;
    RoundRecord record;
    const auto n_planes = static_cast<double>(state_.planes.size());
    const Vector& n_right = moved_.n_right();
    record.n_foolable = moved_.n_foolable();
    record.n_fooled = (n_right.array() < n_planes).count();
    record.mean_fooled = n_planes - n_right.mean();
    Vector weights = (1.0 + 2.0 * n_right.array()).inverse();
    record.least_weight = weights.minCoeff();
    record.most_weight = weights.maxCoeff();
    if (data_.weights.size() > 0) weights.array() *= data_.weights.array();
    record.adversary_seconds = seconds_since(start);

    SvmSettings svm_settings;
    svm_settings.C = settings_.C;
    svm_settings.tolerance = settings_.tolerance;
    svm_settings.n_threads = settings_.n_threads;
    svm_settings.stop = settings_.control.stop;
    const SvmResult svm = train_svm({moved_.points(), data_.y, weights}, svm_settings,
                                    SvmStart{state_.planes.back(), state_.dual_ratio});
    if (svm.status == Status::Interrupted) return false;
    record.svm_seconds = svm.stats.solve_seconds;
    finish_round(svm, record);
    return true;
}

void RobustEnsembleTrainer::finish_round(const SvmResult& svm, RoundRecord record) {
    record.svm_status = svm.status;
    if (worst_ == Status::Optimal) worst_ = svm.status;
    state_.planes.push_back(svm.plane);
    state_.dual_ratio = svm.dual_ratio;
    moved_.add_plane(svm.plane);
    record.accuracy =
        settings_.records_accuracy ? accuracy() : std::numeric_limits<double>::quiet_NaN();
    state_.history.push_back(record);
    const auto n_done = static_cast<Index>(state_.planes.size());
    clock_.report({n_done, settings_.n_planes, 0, data_.X.rows()});
}

double RobustEnsembleTrainer::accuracy() const {
    CertifySettings settings;
    settings.attack_model = settings_.attack_model;
    settings.n_threads = settings_.n_threads;
    settings.limits.stop = settings_.control.stop;
    const std::vector<Certificate> certificates =
        certify(Ensemble(state_.planes), data_.X, data_.y, settings);
    double n_safe = 0.0;
    for (std::size_t j = 0; j < certificates.size(); ++j) {
        const auto at = static_cast<Index>(j);
        const double r = radii_.size() == 1 ? radii_[0] : radii_[at];
        const double lower = certificates[j].lower;
        n_safe += lower > r || (data_.y[at] > 0.0 && lower == r) ? 1.0 : 0.0;
    }
    return n_safe / static_cast<double>(certificates.size());
}

}  // namespace

void RobustEnsembleSettings::check() const {
    check_svm_ensemble(*this);
}

RobustEnsembleResult train_robust_ensemble(const SvmData& data, const VectorRef& radii,
                                           const RobustEnsembleSettings& settings,
                                           const RobustEnsembleState& resume) {
    settings.check();
    check_svm_data(data);
    check_radii(radii, data.X.rows());
    if (settings.first_plane) check_plane("first_plane", *settings.first_plane, data.X.cols());
    check_planes("resume.planes", resume.planes, data.X.cols());
    settings.attack_model.check_data(data.X, data.y);
    if (settings.adversary == Adversary::Heuristic)
        check_rule(settings.rule, settings.attack_model);
    return RobustEnsembleTrainer(data, radii, settings).run(resume);
}

MovedTrainingRows move_training_rows(const SvmData& data, const VectorRef& radii,
                                     const std::vector<Hyperplane>& planes,
                                     const RobustEnsembleSettings& settings) {
    settings.check();
    check_length("y", data.y.size(), data.X.rows());
    check_points("X", data.X, kLargestFeature);
    check_labels("y", data.y);
    check_radii(radii, data.X.rows());
    settings.attack_model.check_data(data.X, data.y);
    if (planes.empty()) throw InvalidInput("planes", "at least one", "none");
    MovedPoints moved(data, radii, settings);
    for (const Hyperplane& plane : planes) {
        check_length("planes", plane.w.size(), data.X.cols());
        moved.add_plane(plane);
    }
    moved.move();
    return {moved.points(), moved.n_right()};
}

}  // namespace redoubt
