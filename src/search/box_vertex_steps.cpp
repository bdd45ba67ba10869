/// The steps of BoxVertexNodes: how far a direction goes, and the vertex at its end.

#include <algorithm>
#include <cmath>

#include "search/box_vertex_nodes.hpp"
#include "search/breakpoints.hpp"

namespace redoubt {

void BoxVertexNodes::collect_linf(const NodeState& state, double longest) {
    const double least = kVertexTolerance * g_direction_.lpNorm<Eigen::Infinity>();
    kernels::ratios_to_zero({g_.data(), g_direction_.data(), least, g_.size()}, state.sign.data(),
                            ratio_.data());
    for (Index l = 0; l < g_.size(); ++l) {
        if (!(ratio_[l] < longest)) continue;
        const double rate = std::abs(g_direction_[l]);
        const double width = clip(l, state.level) - clip(l, -state.level);
        breakpoints_.push_back({ratio_[l], rate * width, static_cast<int>(l), 0,
                                static_cast<signed char>(-state.sign[l])});
    }
}

void BoxVertexNodes::collect_l1(const NodeState& state, const Violation& violation,
                                double longest) {
    const double least = kVertexTolerance * g_direction_.lpNorm<Eigen::Infinity>();
    kernels::ratios_to_one({g_.data(), g_direction_.data(), least, g_.size()}, ratio_.data());
    const int own = violation.plane < 0 ? state.basis[violation.basic] : -1;
    for (Index l = 0; l < g_.size(); ++l) {
        const double sign = state.sign[l];
        if (!(ratio_[l] < longest) && sign == 0.0) continue;
        const double rate = std::abs(g_direction_[l]);
        const bool is_own = l == own;
        if (rate <= least || (is_basic_[static_cast<std::size_t>(l)] != 0 && !is_own)) continue;
        // From the far end back to rest, then on to the near end. The feature that leaves the basis
        // starts at its limit: on its way out it meets nothing, on its way in only the other limit.
        const double side = g_direction_[l] > 0.0 ? 1.0 : -1.0;
        if (sign == side) continue;
        const double away = side * g_[l];
        const auto feature = static_cast<int>(l);
        const auto limit = static_cast<signed char>(side);
        const double back = std::max(0.0, (-1.0 - away) / rate);
        if (!is_own && sign == -side && back < longest)
            breakpoints_.push_back(
                {back, rate * room(l, -side), feature, static_cast<signed char>(-limit), 0});
        const double on = std::max(0.0, (1.0 - away) / rate);
        if (room(l, side) > 0.0 && on < longest)
            breakpoints_.push_back({on, rate * room(l, side), feature, limit, limit});
    }
}

/// The direction ends where a multiplier reaches 0 or the objective its greatest value, at a
/// feature's limit; n_passed_ breakpoints lie before that. Nothing ends it where no point reaches
/// all goals.
BoxVertexNodes::Step BoxVertexNodes::find_step(const NodeState& state, const Violation& violation) {
    Step step = step_to_leaving(state);
    breakpoints_.clear();
    if (is_linf()) {
        collect_linf(state, step.length);
    } else {
        collect_l1(state, violation, step.length);
    }
    n_passed_ = use_up_slope(violation.amount, breakpoints_,
                             [](const Breakpoint& point) { return point.weight; });
    if (n_passed_ < breakpoints_.size()) {
        const Breakpoint& last = breakpoints_[n_passed_];
        step.entering = last.feature;
        step.side = last.side;
        step.length = last.step;
    }
    return step;
}

/// The multipliers at the end of the step, and their g. Of an endless one: its direction (l1), or
/// where it has passed everything (linf, where lambda'goal stays the same).
void BoxVertexNodes::follow(const NodeState& state, const Violation& violation, const Step& step) {
    const bool is_endless = step.length == HUGE_VAL && !is_linf();
    double length = step.length;
    if (length == HUGE_VAL) {
        length = 1.0;
        for (std::size_t i = 0; i < n_passed_; ++i)
            length = std::max(length, 2.0 * breakpoints_[i].step);
    }
    end_planes_ = state.active;
    end_lambda_.resize(state.lambda.size());
    for (std::size_t j = 0; j < end_lambda_.size(); ++j) {
        const double start = is_endless ? 0.0 : state.lambda[j];
        end_lambda_[j] = std::max(0.0, start + length * lambda_direction_[j]);
    }
    if (violation.plane >= 0) {
        end_planes_.push_back(violation.plane);
        end_lambda_.push_back(length);
    }
    const bool has_rays = step.length == HUGE_VAL && is_linf();
    for (const bool is_full : {false, true}) {
        std::vector<double>& ray = is_full ? full_ray_ : ray_;
        ray.assign(has_rays ? end_planes_.size() : 0, 1.0);
        for (std::size_t j = 0; has_rays && j < state.lambda.size(); ++j) {
            const double kept = is_full ? share_ * state.lambda[j] : 0.0;
            ray[j] = std::max(0.0, kept + lambda_direction_[j]);
        }
    }
    end_g_ = length * g_direction_;
    if (!is_endless) end_g_ += g_;
    if (!is_linf()) return;
    for (std::size_t c = 0; c < state.basis.size(); ++c) {
        if (violation.plane >= 0 || c != violation.basic) end_g_[state.basis[c]] = 0.0;
    }
}

double BoxVertexNodes::end_value() const {
    double value = 0.0;
    for (std::size_t j = 0; j < end_planes_.size(); ++j)
        value += end_lambda_[j] * goal_[end_planes_[j]];
    return value;
}

/// Goes to the vertex at the end of the step; false when there is none.
bool BoxVertexNodes::pivot(const Violation& violation, const Step& step, NodeState& state) {
    if (step.entering < 0 && step.leaving == state.active.size()) return false;
    if (is_linf()) {
        if (step.entering >= 0) end_g_[step.entering] = 0.0;
        const double level = level_of(end_g_, end_value(), std::max(0.0, state.level));
        if (!(level < HUGE_VAL)) return false;
        state.level = level;
    }
    // A feature may pass two limits; what it is beyond the second is what counts.
    for (const bool is_rest : {true, false}) {
        for (std::size_t i = 0; i < n_passed_; ++i) {
            const Breakpoint& point = breakpoints_[i];
            if ((point.next == 0) == is_rest) state.sign[point.feature] = point.next;
        }
    }
    if (violation.plane < 0) {
        const int feature = state.basis[violation.basic];
        const bool is_turned = std::any_of(
            breakpoints_.begin(), breakpoints_.begin() + static_cast<std::ptrdiff_t>(n_passed_),
            [&](const Breakpoint& point) { return point.feature == feature; });
        if (!is_turned) {
            const bool is_out = is_linf() || violation.side == state.sign[feature];
            state.sign[feature] = is_out ? violation.side : 0.0;
        }
    }
    exchange(violation, step, state);
    return true;
}

}  // namespace redoubt
