#include "ensemble/moved_points.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

#include "attack/adversary.hpp"
#include "attack/relaxed_adversary.hpp"
#include "certify/exact_adversary.hpp"
#include "core/parallel.hpp"

namespace redoubt {

namespace {

constexpr Index kPointsPerBlock = 16;

}  // namespace

struct MovedPoints::Adversaries {
    std::optional<ExactAdversary> exact{};
    std::optional<ModelAdversary> in_model{};
    std::optional<Support> support{};
};

MovedPoints::MovedPoints(const SvmData& data, const VectorRef& radii,
                         const RobustEnsembleSettings& settings)
    : data_(data),
      radii_(radii),
      settings_(settings),
      foolable_(static_cast<std::size_t>(data.X.rows())),
      moved_(data.X.rows(), data.X.cols()),
      n_right_(data.X.rows()) {
    if (model() != nullptr) space_.emplace(*model(), data.X.cols());
}

void MovedPoints::add_plane(const Hyperplane& plane) {
    const auto newest = static_cast<int>(planes_.size());
    planes_.push_back(plane);
    const Vector margins = data_.X * plane.w;
    const auto note = [&](Index j, bool is_foolable) {
        if (is_foolable) foolable_[static_cast<std::size_t>(j)].push_back(newest);
    };
    if (model() == nullptr) {
        const double size = norm_value(dual(settings_.norm), plane.w);
        for (Index j = 0; j < margins.size(); ++j)
            note(j, label(j) * (margins[j] + plane.b) <= radius(j) * size);
        return;
    }
    const Index m = margins.size();
    const Index n_blocks = (m + kPointsPerBlock - 1) / kPointsPerBlock;
    parallel_for(n_blocks, settings_.n_threads, [&](Index block) {
        Support support(*space_);
        const Index end = std::min(m, (block + 1) * kPointsPerBlock);
        for (Index j = block * kPointsPerBlock; j < end; ++j)
            note(j, is_foolable(j, plane, margins[j] + plane.b, support));
    });
}

/// Within the attack model: is the margin no more than a move can take away?
bool MovedPoints::is_foolable(Index j, const Hyperplane& plane, double margin,
                              Support& support) const {
    const int y = label(j);
    // A point that stays can be fooled where it stands.
    if (!model()->attacks(y) || y * margin <= 0.0) return y * margin <= 0.0;
    support.load(data_.X.row(j).transpose());
    return y * margin <= support.value(-y * plane.w, radius(j));
}

Index MovedPoints::n_foolable() const {
    return std::count_if(foolable_.begin(), foolable_.end(),
                         [](const std::vector<int>& planes) { return !planes.empty(); });
}

bool MovedPoints::move(const GoOn& go_on) {
    const Ensemble ensemble(planes_);
    std::optional<PlaneSet> plane_set;
    std::optional<ModelAttack> model_attack;
    if (model() != nullptr) {
        model_attack.emplace(ensemble, *model());
    } else {
        plane_set.emplace(ensemble, settings_.norm);
    }
    const Index m = data_.X.rows();
    const std::atomic<bool>* stop = settings_.control.stop;
    std::mutex mutex;
    Index n_moved = 0;
    std::atomic<bool> is_ended = false;
    const auto is_stopped = [&] {
        return is_ended || (stop != nullptr && stop->load(std::memory_order_relaxed));
    };
    parallel_for(
        (m + kPointsPerBlock - 1) / kPointsPerBlock, settings_.n_threads, [&](Index block) {
            if (is_stopped()) return;
            Adversaries adversaries;
            if (model_attack) {
                adversaries.in_model.emplace(*model_attack);
                adversaries.support.emplace(model_attack->space);
            } else if (settings_.adversary == Adversary::Exact) {
                adversaries.exact.emplace(ensemble, *plane_set);
            }
            const PointLimits limits{.stop = stop};
            const Index end = std::min(m, (block + 1) * kPointsPerBlock);
            for (Index j = block * kPointsPerBlock; j < end; ++j) {
                const Vector x = data_.X.row(j).transpose();
                const PointProblem point{ensemble, x, label(j), radius(j), settings_.norm};
                const Vector d = step(j, point, limits, adversaries);
                const Vector moved = x + d;
                moved_.row(j) = moved.transpose();
                n_right_[j] =
                    0.5 * static_cast<double>(ensemble.n_planes() + point.y * ensemble.vote(moved));
            }
            if (!go_on) return;
            const std::lock_guard lock(mutex);
            n_moved += end - block * kPointsPerBlock;
            if (n_moved < m && !go_on(n_moved)) is_ended = true;
        });
    return !is_stopped();
}

Vector MovedPoints::step(Index j, const PointProblem& point, const PointLimits& limits,
                         Adversaries& adversaries) const {
    if (model() != nullptr && !model()->attacks(point.y)) return Vector::Zero(point.x.size());
    const std::vector<int>& foolable = foolable_[static_cast<std::size_t>(j)];
    if (foolable.empty()) {
        const Vector against = -point.y * planes_.back().w;
        if (model() == nullptr) return steepest_step(settings_.norm, against, point.radius);
        adversaries.support->load(point.x);
        return adversaries.support->maximise(against, point.radius);
    }
    if (settings_.adversary != Adversary::Exact)
        return step_against(foolable, point, limits, adversaries);
    // Planes beyond reach cost the search next to nothing.
    return adversaries.in_model ? adversaries.in_model->exact(point, limits).d
                                : adversaries.exact->solve(point, limits).d;
}

/// The relaxed or heuristic adversary's step against some of the planes.
Vector MovedPoints::step_against(const std::vector<int>& planes, const PointProblem& point,
                                 const PointLimits& limits, Adversaries& adversaries) const {
    const Ensemble some(point.ensemble.coef()(planes, Eigen::all),
                        point.ensemble.intercept()(planes));
    const PointProblem problem{some, point.x, point.y, point.radius, point.norm};
    if (adversaries.in_model) {
        return settings_.adversary == Adversary::Heuristic
                   ? adversaries.in_model->heuristic(problem).d
                   : adversaries.in_model->relaxed(problem, limits).d;
    }
    if (settings_.adversary == Adversary::Heuristic)
        return heuristic_adversary(problem, settings_.rule).d;
    return relaxed_adversary(problem, limits).d;
}

}  // namespace redoubt
