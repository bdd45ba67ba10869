#include "ensemble/moved_points.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "core/parallel.hpp"
#include "linalg/kernels.hpp"

namespace redoubt {

namespace {

constexpr Index kPointsPerBlock = 16;

/// Point by point: the same bits whatever points are beside it.
double margin_of(const PointRef& x, const Hyperplane& plane) {
    const double product = x.is_sparse() ? kernels::dot(x.sparse(), plane.w.data())
                                         : kernels::dot(x.dense().data(), plane.w.data(), x.size());
    return product + plane.b;
}

}  // namespace

MovedPoints::MovedPoints(const SvmData& data, const VectorRef& radii,
                         const RobustEnsembleSettings& settings)
    : data_(data),
      radii_(radii),
      settings_(settings),
      space_(settings.attack_model, data.X.cols()),
      foolable_(static_cast<std::size_t>(data.X.rows())),
      moved_(data.X.rows(), data.X.cols()),
      n_right_(data.X.rows()) {}

void MovedPoints::add_plane(const Hyperplane& plane) {
    const auto newest = static_cast<int>(planes_.size());
    planes_.push_back(plane);
    const Index m = data_.X.rows();
    parallel_blocks(m, kPointsPerBlock, settings_.n_threads, [&](Index begin, Index end) {
        Support support(space_);
        for (Index j = begin; j < end; ++j) {
            const double margin = margin_of(data_.X.row(j), plane);
            if (is_foolable(j, plane, margin, support))
                foolable_[static_cast<std::size_t>(j)].push_back(newest);
        }
    });
}

/// Is the margin no more than a move can take away?
bool MovedPoints::is_foolable(Index j, const Hyperplane& plane, double margin,
                              Support& support) const {
    const int y = label(j);
    // A point that stays can be fooled where it stands.
    if (!settings_.attack_model.attacks(y) || y * margin <= 0.0) return y * margin <= 0.0;
    support.load(data_.X.row(j).to_dense());
    return y * margin <= support.value(-y * plane.w, radius(j));
}

Index MovedPoints::n_foolable() const {
    return std::count_if(foolable_.begin(), foolable_.end(),
                         [](const std::vector<int>& planes) { return !planes.empty(); });
}

bool MovedPoints::move(const GoOn& go_on) {
    const Ensemble ensemble(planes_);
    const ThreatenedVote vote(ensemble, space_);
    const Index m = data_.X.rows();
    const std::atomic<bool>* stop = settings_.control.stop;
    std::mutex mutex;
    Index n_moved = 0;
    std::atomic<bool> is_ended = false;
    const auto is_stopped = [&] {
        return is_ended || (stop != nullptr && stop->load(std::memory_order_relaxed));
    };
    parallel_blocks(m, kPointsPerBlock, settings_.n_threads, [&](Index begin, Index end) {
        if (is_stopped()) return;
        Support support(space_);
        std::optional<ExactAdversary> exact;
        if (settings_.adversary == Adversary::Exact) exact.emplace(vote);
        const PointLimits limits{.stop = stop};
        for (Index j = begin; j < end; ++j) {
            const Vector x = data_.X.row(j).to_dense();
            const PointProblem point{ensemble, settings_.attack_model, x, label(j), radius(j)};
            const Vector d = step(j, point, limits, support, exact);
            const Vector moved = x + d;
            moved_.row(j) = moved.transpose();
            n_right_[j] =
                0.5 * static_cast<double>(ensemble.n_planes() + point.y * ensemble.vote(moved));
        }
        if (!go_on) return;
        const std::lock_guard lock(mutex);
        n_moved += end - begin;
        if (n_moved < m && !go_on(n_moved)) is_ended = true;
    });
    return !is_stopped();
}

Vector MovedPoints::step(Index j, const PointProblem& point, const PointLimits& limits,
                         Support& support, std::optional<ExactAdversary>& exact) const {
    if (!settings_.attack_model.attacks(point.y)) return Vector::Zero(point.x.size());
    const std::vector<int>& foolable = foolable_[static_cast<std::size_t>(j)];
    if (foolable.empty()) {
        support.load(point.x);
        return support.maximise(-point.y * planes_.back().w, point.radius);
    }
    // Planes beyond reach cost the exact search next to nothing.
    return exact ? exact->solve(point, limits).d : step_against(foolable, point, limits);
}

/// The relaxed or heuristic adversary's step against some of the planes.
Vector MovedPoints::step_against(const std::vector<int>& planes, const PointProblem& point,
                                 const PointLimits& limits) const {
    const Ensemble some(point.ensemble.coef()(planes, Eigen::all),
                        point.ensemble.intercept()(planes));
    const PointProblem problem{some, point.threat, point.x, point.y, point.radius};
    return settings_.adversary == Adversary::Heuristic
               ? heuristic_adversary(problem, settings_.rule).d
               : relaxed_adversary(problem, limits).d;
}

}  // namespace redoubt
