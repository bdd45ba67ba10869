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

MovedPoints::MovedPoints(const SvmData& data, const VectorRef& radii,
                         const RobustEnsembleSettings& settings)
    : data_(data),
      radii_(radii),
      settings_(settings),
      foolable_(static_cast<std::size_t>(data.X.rows())),
      moved_(data.X.rows(), data.X.cols()),
      n_right_(data.X.rows()) {}

void MovedPoints::add_plane(const Hyperplane& plane) {
    const auto newest = static_cast<int>(planes_.size());
    planes_.push_back(plane);
    const double size = norm_value(dual(settings_.norm), plane.w);
    const Vector margins = data_.X * plane.w;
    for (Index j = 0; j < margins.size(); ++j) {
        if (label(j) * (margins[j] + plane.b) <= radius(j) * size) {
            foolable_[static_cast<std::size_t>(j)].push_back(newest);
        }
    }
}

Index MovedPoints::n_foolable() const {
    return std::count_if(foolable_.begin(), foolable_.end(),
                         [](const std::vector<int>& planes) { return !planes.empty(); });
}

bool MovedPoints::move(const GoOn& go_on) {
    const Ensemble ensemble(planes_);
    const PlaneSet plane_set(ensemble, settings_.norm);
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
            std::optional<ExactAdversary> exact;
            if (settings_.adversary == Adversary::Exact) exact.emplace(ensemble, plane_set);
            const PointLimits limits{.stop = stop};
            const Index end = std::min(m, (block + 1) * kPointsPerBlock);
            for (Index j = block * kPointsPerBlock; j < end; ++j) {
                const Vector x = data_.X.row(j).transpose();
                const PointProblem point{ensemble, x, label(j), radius(j), settings_.norm};
                const std::vector<int>& foolable = foolable_[static_cast<std::size_t>(j)];
                Vector d;
                if (foolable.empty()) {
                    d = steepest_step(settings_.norm, -point.y * planes_.back().w, point.radius);
                } else if (exact) {
                    // Planes beyond reach cost the search next to nothing.
                    d = exact->solve(point, limits).d;
                } else {
                    d = step_against(foolable, point, limits);
                }
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

/// The relaxed or heuristic adversary's step against some of the planes.
Vector MovedPoints::step_against(const std::vector<int>& planes, const PointProblem& point,
                                 const PointLimits& limits) const {
    const Ensemble some(point.ensemble.coef()(planes, Eigen::all),
                        point.ensemble.intercept()(planes));
    const PointProblem problem{some, point.x, point.y, point.radius, point.norm};
    if (settings_.adversary == Adversary::Heuristic)
        return heuristic_adversary(problem, settings_.rule).d;
    return relaxed_adversary(problem, limits).d;
}

}  // namespace redoubt
