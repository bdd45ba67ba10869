#include "redoubt/bagging.hpp"

#include <mutex>

#include "core/check.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "ensemble/check_planes.hpp"
#include "ensemble/check_settings.hpp"
#include "ensemble/round_clock.hpp"
#include "svm/check_data.hpp"

namespace redoubt {

namespace {

/// Among the points that count.
bool has_both_classes(const SvmData& data, const Eigen::Ref<const Eigen::RowVectorXd>& counts) {
    bool has_plus = false;
    bool has_minus = false;
    for (Index j = 0; j < counts.size(); ++j) {
        if (!(counts[j] > 0.0) || (data.weights.size() > 0 && !(data.weights[j] > 0.0))) continue;
        (data.y[j] > 0.0 ? has_plus : has_minus) = true;
    }
    return has_plus && has_minus;
}

void check_bags(const Matrix& bags, const SvmData& data, Index n_planes) {
    if (bags.rows() != n_planes) {
        throw InvalidInput("bags", std::to_string(n_planes) + " rows", std::to_string(bags.rows()));
    }
    if (bags.cols() != data.X.rows()) {
        throw InvalidInput("bags", std::to_string(data.X.rows()) + " columns",
                           std::to_string(bags.cols()));
    }
    for (Index i = 0; i < bags.rows(); ++i) {
        const Vector row = bags.row(i).transpose();
        check_non_negative("bags", row);
        if (!has_both_classes(data, bags.row(i)))
            throw InvalidInput("bags", "both classes in every bag",
                               "one in bag " + std::to_string(i));
    }
}

/// How often each point is drawn.
Eigen::RowVectorXd draw_bag(const SvmData& data, std::uint64_t seed, Index plane) {
    Eigen::RowVectorXd counts(data.X.rows());
    Random random(seed, static_cast<std::uint64_t>(plane));
    do {
        counts.setZero();
        for (Index draw = 0; draw < counts.size(); ++draw)
            counts[random.below(counts.size())] += 1.0;
    } while (!has_both_classes(data, counts));
    return counts;
}

}  // namespace

void BaggingSettings::check() const {
    check_svm_ensemble(*this);
}

Matrix draw_bags(const SvmData& data, Index n_planes, std::uint64_t seed) {
    check_svm_data(data);
    Matrix bags(n_planes, data.X.rows());
    for (Index i = 0; i < n_planes; ++i) bags.row(i) = draw_bag(data, seed, i);
    return bags;
}

BaggingResult train_bagged_svms(const SvmData& data, const BaggingSettings& settings,
                                const std::vector<Hyperplane>& resume) {
    settings.check();
    check_svm_data(data);
    check_planes("resume", resume, data.X.cols());
    if (settings.bags) check_bags(*settings.bags, data, settings.n_planes);
    RoundClock clock(settings.control);
    SvmSettings svm_settings;
    svm_settings.C = settings.C;
    svm_settings.tolerance = settings.tolerance;
    svm_settings.stop = settings.control.stop;

    const auto n_ready = std::min(static_cast<Index>(resume.size()), settings.n_planes);
    std::vector<SvmResult> results(static_cast<std::size_t>(settings.n_planes - n_ready));
    std::vector<char> is_done(results.size(), 0);
    std::mutex mutex;
    Index n_done = n_ready;
    parallel_for(static_cast<Index>(results.size()), settings.n_threads, [&](Index at) {
        {
            const std::lock_guard lock(mutex);
            if (clock.is_up()) return;
        }
        const Index plane = n_ready + at;
        // Drawn only now: a limit is heard, and memory does not grow with the number of planes.
        Vector weights(data.X.rows());
        if (settings.bags)
            weights = settings.bags->row(plane).transpose();
        else
            weights = draw_bag(data, settings.seed, plane).transpose();
        if (data.weights.size() > 0) weights.array() *= data.weights.array();
        const auto slot = static_cast<std::size_t>(at);
        results[slot] = train_svm({data.X, data.y, weights}, svm_settings);
        if (results[slot].status == Status::Interrupted) return;
        is_done[slot] = 1;
        const std::lock_guard lock(mutex);
        clock.report({++n_done, settings.n_planes, 0, data.X.rows()});
    });

    BaggingResult result;
    result.status = Status::Optimal;
    result.planes.assign(resume.begin(), resume.begin() + n_ready);
    for (std::size_t i = 0; i < results.size() && is_done[i]; ++i) {
        if (result.status == Status::Optimal) result.status = results[i].status;
        result.planes.push_back(std::move(results[i].plane));
    }
    result.is_partial = static_cast<Index>(result.planes.size()) < settings.n_planes;
    if (result.is_partial && clock.is_up()) result.status = clock.status();
    return result;
}

}  // namespace redoubt
