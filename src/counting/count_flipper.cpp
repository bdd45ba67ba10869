#include "counting/count_flipper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/rounding.hpp"
#include "threat/exact_size.hpp"

namespace redoubt {

namespace {

/// Nodes of one point; beyond that the bracket is left as it is.
constexpr std::int64_t kMaxNodes = 1'000'000;
/// Costs without a common unit are equal up to this share.
constexpr double kSameCost = 1e-11;

}  // namespace

CountFlipper::Answer CountFlipper::fool_planes(const PointRef& x, int current_label,
                                               Index required_weight, double cutoff,
                                               const PointLimits& limits) {
    label_ = current_label;
    required_ = required_weight;
    cutoff_ = cutoff;
    n_nodes_ = 0;
    n_pushed_ = 0;
    status_ = Status::Optimal;
    is_stopped_ = false;
    is_open_ = false;
    lower_ = HUGE_VAL;
    upper_ = HUGE_VAL;
    best_.clear();
    best_move_ = {};
    queue_.clear();
    alone_.assign(static_cast<std::size_t>(planes_.ensemble().n_planes()), 0.0);
    changes_.load(x, label_, program_);
    run(limits);
    Answer answer;
    write(answer);
    if (is_recorded_) prove(answer.flip, limits.stop);
    return answer;
}

CountFlipper::Relaxed CountFlipper::relax(const std::vector<int>& planes) {
    upper_ = cutoff_ = HUGE_VAL;
    load(Node{});
    CoverBasis basis;
    bound(planes, basis);
    Relaxed relaxed{program_.multipliers(), {}};
    const std::vector<double> x = program_.x();
    for (int c = 0; c < static_cast<int>(x.size()); ++c) {
        const double share = x[static_cast<std::size_t>(c)];
        if (!(share > 0.0)) continue;
        for (const auto& [feature, step] : changes_.moved({{c, 1.0}}).steps)
            relaxed.steps.emplace_back(feature, share * step);
    }
    return relaxed;
}

void CountFlipper::run(const PointLimits& limits) {
    Node root;
    root.is_out.assign(static_cast<std::size_t>(planes_.ensemble().n_planes()), 0);
    push(std::move(root));
    while (!queue_.empty()) {
        std::pop_heap(queue_.begin(), queue_.end(), ComesLater{});
        Node node = std::move(queue_.back());
        queue_.pop_back();
        if (!is_stopped_ && limits.reached_now(n_nodes_, &status_)) is_stopped_ = true;
        if (!is_stopped_ && n_nodes_ >= kMaxNodes) {
            is_stopped_ = true;
            status_ = Status::IterationLimit;
        }
        if (is_stopped_ || is_closed(node.lower)) {
            close(node.lower);
            continue;
        }
        ++n_nodes_;
        process(std::move(node));
    }
}

/// Nothing below this bound is worth looking for.
bool CountFlipper::is_closed(double lower) const {
    if (lower >= cutoff_ || lower == HUGE_VAL) return true;
    if (planes_.cost_unit() > 0.0) return lower >= upper_;
    return lower >= upper_ * (1.0 - kSameCost);
}

void CountFlipper::close(double lower) {
    lower_ = std::min(lower_, lower);
}

/// The least sum of costs from there on.
double CountFlipper::up_to_cost(double lower) const {
    if (!(lower > 0.0)) return 0.0;
    const double unit = planes_.cost_unit();
    if (!(unit > 0.0) || lower == HUGE_VAL) return lower;
    const double n = std::ceil(lower / unit * (1.0 - 4.0 * kEps));
    if (!(n < 0x1p52)) return lower;
    const double size = n * unit;
    return std::fma(n, unit, -size) < 0.0 ? std::nextafter(size, 0.0) : size;
}

/// Takes the move if it fools enough planes and is the cheapest so far. Is it one that does?
bool CountFlipper::offer(const std::vector<Chosen>& chosen) {
    ExactSize size(Norm::L0);
    for (const Chosen& one : chosen) size.add(changes_.change(one.column).cost);
    const double cost = size.ends().up;
    if (chosen.empty()) return false;
    const auto is_enough = [&](const PointChanges::Moved& moved) {
        return weight_of(planes_.ensemble(), moved.fooled) >= required_;
    };
    PointChanges::Moved moved = changes_.moved(chosen);
    const bool has_parts = std::any_of(chosen.begin(), chosen.end(),
                                       [](const Chosen& one) { return one.share < 1.0; });
    if (!is_enough(moved) && has_parts) moved = changes_.moved(chosen, true);
    if (!is_enough(moved)) return false;
    if (cost < upper_) {
        upper_ = cost;
        best_ = chosen;
        best_move_ = std::move(moved);
    }
    return true;
}

void CountFlipper::write(Answer& answer) {
    Flip& flip = answer.flip;
    flip.n_nodes = n_nodes_;
    flip.lower = std::min(lower_, upper_);
    flip.status = status_;
    if (!is_stopped_ && is_open_ && flip.lower < upper_ * (1.0 - kProvenGap))
        flip.status = Status::NumericalFailure;
    if (best_.empty()) return;
    flip.upper = upper_;
    flip.fooled = std::move(best_move_.fooled);
    flip.d.resize(static_cast<Index>(best_move_.steps.size()));
    for (std::size_t s = 0; s < best_move_.steps.size(); ++s) {
        answer.features.push_back(best_move_.steps[s].first);
        flip.d[static_cast<Index>(s)] = best_move_.steps[s].second;
    }
}

}  // namespace redoubt
