#include <algorithm>
#include <cmath>

#include "core/rounding.hpp"
#include "search/box_vertex_nodes.hpp"

namespace redoubt {

namespace {

/// Rounds in which a level may grow past ends of features, besides one for every feature that is
/// held; ordinary levels take few.
constexpr Index kMaxLevels = 100;
/// Levels are known up to this share.
constexpr double kLevelEps = 4.0 * kEps;

}  // namespace

/// Begins again from one plane. False when no point of the box reaches its goal.
bool BoxVertexNodes::restart(int n_restarts, NodeState& state) {
    return start_with(restart_plane(n_restarts, goal_from_, state.members), state);
}

/// The vertex of one plane; false when no point of the box reaches its goal.
bool BoxVertexNodes::start_with(int i, NodeState& state) {
    state.active.assign(1, i);
    state.basis.clear();
    end_planes_.assign(1, i);
    end_lambda_.assign(1, 1.0);
    ray_.clear();
    return is_linf() ? start_linf(i, state) : start_l1(i, state);
}

bool BoxVertexNodes::start_linf(int i, NodeState& state) {
    take_sides(i, state);
    end_g_ = planes_.W().row(i).transpose();
    state.level = level_of(end_g_, goal_[i], 0.0);
    return state.level < HUGE_VAL;
}

/// The steepest features go to their ends until one of them is enough.
bool BoxVertexNodes::start_l1(int i, NodeState& state) {
    const auto w = planes_.W().row(i);
    state.sign.setZero();
    double rest = goal_[i];
    for (int l : steepest_[static_cast<std::size_t>(i)]) {
        const double way = room(l, w[l]);
        if (!(way > 0.0)) continue;
        state.sign[l] = w[l] < 0.0 ? -1.0 : 1.0;
        const double gain = std::abs(w[l]) * way;
        if (gain >= rest) {
            state.basis.assign(1, l);
            return true;
        }
        rest -= gain;
    }
    return false;
}

/// What plane j costs alone, and a multiplier that proves it.
void BoxVertexNodes::look_at_plane(Index j) {
    Single& single = single_[static_cast<std::size_t>(j)];
    single.distance = base_;
    single.lambda = 1.0 / planes_.size()[j];
    if (goal_from_[j] <= 0.0) return;
    const auto w = planes_.W().row(j);
    if (is_linf()) {
        end_g_ = w.transpose();
        single.distance = std::max(base_, level_of(end_g_, goal_[j], 0.0));
        return;
    }
    double rest = goal_[j];
    for (int l : steepest_[static_cast<std::size_t>(j)]) {
        const double way = room(l, w[l]);
        if (!(way > 0.0)) continue;
        const double size = std::abs(w[l]);
        if (size * way >= rest) {
            single.distance += rest / size;
            single.lambda = 1.0 / size;
            return;
        }
        rest -= size * way;
        single.distance += way;
    }
    // Out of reach: any multiplier proves that.
    single.distance = HUGE_VAL;
}

/// linf: the least level >= `level` at which g'e can reach `value`, features going as far as the
/// level or their ends; infinite when they cannot.
double BoxVertexNodes::level_of(const Vector& g, double value, double level) const {
    for (Index round = 0; round < kMaxLevels + g.size(); ++round) {
        double next = HUGE_VAL;
        const kernels::LevelSums sums =
            base_ > 0.0 ? sums_with_held(g, level, next)
                        : kernels::sums_at_level(g.data(), lo_.data(), hi_.data(), level, g.size());
        const double missing = value - sums.reached;
        if (missing <= kLevelEps * std::abs(value)) return level;
        const double reached =
            sums.slope > kVertexTolerance * sums.sizes ? level + missing / sums.slope : HUGE_VAL;
        const double old = level;
        level = std::min(reached, next);
        // A step to where another feature begins may be as small as it likes.
        const bool is_still = reached <= next && level <= old * (1.0 + kLevelEps);
        if (level == HUGE_VAL || is_still) return level;
    }
    return level;
}

/// The sums for a box that holds some features away from 0; `next` is the least level at which
/// another one of them begins to follow.
kernels::LevelSums BoxVertexNodes::sums_with_held(const Vector& g, double level,
                                                  double& next) const {
    kernels::LevelSums sums{0.0, 0.0, 0.0};
    for (Index l = 0; l < g.size(); ++l) {
        const double size = std::abs(g[l]);
        const double near = g[l] < 0.0 ? -hi_[l] : lo_[l];
        const double far = g[l] < 0.0 ? -lo_[l] : hi_[l];
        sums.sizes += size;
        sums.reached += size * std::min(std::max(level, near), far);
        if (level < near) {
            next = std::min(next, near);
        } else if (level < far) {
            sums.slope += size;
        }
    }
    return sums;
}

/// Where the features are that are not basic. linf: some follow the level.
void BoxVertexNodes::settle(const NodeState& state) {
    const Index n = planes_.n_features();
    is_basic_.assign(static_cast<std::size_t>(n), 0);
    for (int l : state.basis) is_basic_[static_cast<std::size_t>(l)] = 1;
    if (!is_linf()) {
        for (Index l = 0; l < n; ++l) {
            const double side = state.sign[l];
            settled_[l] = side == 0.0 ? 0.0 : side > 0.0 ? hi_[l] : lo_[l];
        }
        for (int l : state.basis) settled_[l] = 0.0;
        return;
    }
    if (base_ > 0.0) {
        settle_with_held(state);
        return;
    }
    kernels::settle_at_level(state.sign.data(), lo_.data(), hi_.data(), state.level, n,
                             follow_.data(), settled_.data());
}

/// linf: does all that hold for the state's new level, too?
bool BoxVertexNodes::is_settled(const NodeState& state) const {
    if (base_ > 0.0) return state.level >= settled_from_ && state.level <= settled_to_;
    return kernels::is_settled_at_level(state.sign.data(), lo_.data(), hi_.data(), follow_.data(),
                                        state.level, follow_.size());
}

/// linf, in a box that holds some features away from 0.
void BoxVertexNodes::settle_with_held(const NodeState& state) {
    settled_from_ = 0.0;
    settled_to_ = HUGE_VAL;
    const double level = state.level;
    for (Index l = 0; l < follow_.size(); ++l) {
        const double side = state.sign[l];
        follow_[l] = 0.0;
        settled_[l] = is_basic_[static_cast<std::size_t>(l)] != 0 ? 0.0 : origin_[l];
        if (side == 0.0) continue;
        const double near = side < 0.0 ? -hi_[l] : lo_[l];
        const double far = side < 0.0 ? -lo_[l] : hi_[l];
        if (level >= far) {
            settled_[l] = side * far;
            settled_from_ = std::max(settled_from_, far);
        } else if (level <= near) {
            settled_[l] = side * near;
            settled_to_ = std::min(settled_to_, near);
        } else {
            follow_[l] = side;
            settled_[l] = 0.0;
            settled_from_ = std::max(settled_from_, near);
            settled_to_ = std::min(settled_to_, far);
        }
    }
}

bool BoxVertexNodes::move_straight(Index required_weight, double cutoff, NodeState& state) {
    if (is_linf()) return false;
    const auto move = straight_.best(goal_, required_weight, cutoff - base_,
                                     [&](Index l, double side) { return room(l, side); });
    if (!move) return false;
    state.active.assign(1, move->plane);
    state.lambda.assign(1, 1.0 / move->speed);
    state.distance = base_ + move->length;
    state.e = origin_;
    state.e[move->feature] += move->side * move->length;
    return true;
}

}  // namespace redoubt
