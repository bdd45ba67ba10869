/// Every option of the discrete parts and every set of planes: the oracle.

#include <algorithm>
#include <bit>
#include <cmath>

#include "reference/set_search.hpp"

namespace redoubt::reference {

namespace {

/// Two sizes closer than this are equal: a radius that ends on a plane reaches it.
constexpr Real kSameSize = 1e-12L;
/// Integers without a limit end this many steps away.
constexpr double kMostSteps = 64.0;

class Enumeration : public SetSearch {
public:
    using SetSearch::SetSearch;

    SetAnswer least_within(std::int64_t need, double radius) override;
    AdversaryAnswer largest_sum(const Hinges& hinges, double radius) override;

private:
    void choose_options(Real price);
    void choose_planes(std::size_t end, std::int64_t missing);
    void offer(std::int64_t missing);
    std::int64_t weight(int plane) const { return system_.ensemble.weight_units(plane); }
    bool must_stop() {
        is_stopped_ = is_stopped_ || limits_.reached(n_nodes_, &best_.status);
        return is_stopped_;
    }
    /// No move as large as this is wanted any more.
    bool is_too_large(Real size) const {
        return size >= best_.size || size > radius_ * (1 + kSameSize);
    }

    std::int64_t need_ = 0;
    Real radius_ = 0;
    bool is_stopped_ = false;
    SetAnswer best_{};
    PlaneChoice choice_{};               ///< looked at
    std::vector<int> order_{};           ///< planes that a step moves, cheapest first
    std::vector<std::int64_t> up_to_{};  ///< weight of the first 0, 1, .. of them
};

SetAnswer Enumeration::least_within(std::int64_t need, double radius) {
    need_ = need;
    radius_ = radius;
    is_stopped_ = false;
    best_ = {Status::Optimal};
    choice_ = {};
    choose_options(0);
    best_.bound = best_.status == Status::Optimal ? static_cast<double>(best_.size) : 0.0;
    return best_;
}

void Enumeration::choose_options(Real price) {
    const std::size_t p = choice_.options.size();
    if (p < system_.parts.size()) {
        const DiscretePart& part = system_.parts[p];
        for (const int side : {1, -1}) {
            const double end = side > 0 ? part.last : -part.first;
            const double most = std::isinf(end) ? kMostSteps : end;
            for (int steps = side > 0 ? 0 : 1; steps <= most && !is_stopped_; ++steps) {
                const Real size = part.size(system_.x, side * steps);
                if (is_too_large(join(system_.threat.norm, price, size))) break;
                choice_.options.push_back(side * steps);
                choose_options(join(system_.threat.norm, price, size));
                choice_.options.pop_back();
            }
        }
        return;
    }
    if (must_stop()) return;
    system_.choose(choice_.options);
    std::int64_t missing = need_;
    order_.clear();
    for (int i = 0; i < system_.n_planes(); ++i) {
        if (system_.size[i] > 0) order_.push_back(i);
        if (system_.size[i] == 0 && system_.met[i]) missing -= weight(i);
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [&](int i, int j) { return system_.cost[i] < system_.cost[j]; });
    up_to_.assign(1, 0);
    for (int i : order_) up_to_.push_back(up_to_.back() + weight(i));
    choose_planes(order_.size(), missing);
}

/// Adds planes from the first `end` of the order, the most expensive of the set first: once that
/// one costs too much, so does every later set.
void Enumeration::choose_planes(std::size_t end, std::int64_t missing) {
    if (missing <= 0) offer(missing);
    for (std::size_t j = 0; j < end && missing > 0 && !is_stopped_; ++j) {
        if (is_too_large(system_.joined(system_.cost[order_[j]]))) return;
        if (up_to_[j + 1] < missing) continue;
        choice_.planes.push_back(order_[j]);
        choose_planes(j, missing - weight(order_[j]));
        choice_.planes.pop_back();
    }
}

/// Prices the set, unless a smaller one has the weight too: that one costs no more.
void Enumeration::offer(std::int64_t missing) {
    const std::vector<int>& planes = choice_.planes;
    const auto is_spare = [&](int i) { return missing + weight(i) <= 0; };
    if (std::any_of(planes.begin(), planes.end(), is_spare) || must_stop()) return;
    ++n_nodes_;
    const std::optional<LeastStep> step = system_.least_step(planes, 0);
    if (!step) return;
    const Real size = system_.joined(step->length);
    // A strict inequality needs room beyond the least step, which counts unless the parts' move is
    // the larger one anyway.
    const bool has_room = system_.threat.norm == Norm::LInf && step->length < system_.price;
    const bool is_met =
        std::all_of(planes.begin(), planes.end(), [&](int i) { return system_.met[i]; });
    const bool is_open = system_.strict && !has_room && !is_met;
    if (is_too_large(size) || (is_open && size >= radius_ * (1 - kSameSize))) return;
    best_.choice = choice_;
    best_.weight = need_ - missing;
    best_.size = size;
}

/// max over v in {0,1}^k of h(A'v) + c'v, h the support function of the moves; neighbours in Gray
/// code differ in one plane.
AdversaryAnswer Enumeration::largest_sum(const Hinges& hinges, double radius) {
    RealVector g = RealVector::Zero(hinges.a.cols());
    Real sum = 0;
    Real best = 0;
    AdversaryAnswer answer{Status::Optimal, Vector::Zero(g.size()), 0.0, HUGE_VAL};
    std::uint64_t code = 0;
    for (std::uint64_t step = 1; step < (std::uint64_t{1} << hinges.c.size()); ++step) {
        if (limits_.reached(n_nodes_++, &answer.status)) return answer;
        const int plane = std::countr_zero(step);
        const Real sign = (code >> plane & 1U) != 0 ? -1 : 1;
        code ^= std::uint64_t{1} << plane;
        g += sign * hinges.a.row(plane).transpose();
        sum += sign * hinges.c[plane];
        const Vector d = hinges.support.maximise(g.cast<double>(), radius);
        const Real value = g.dot(d.cast<Real>()) + sum;
        if (value <= best) continue;
        best = value;
        answer.d = d;
    }
    answer.bound = static_cast<double>(best);
    return answer;
}

}  // namespace

std::unique_ptr<SetSearch> make_enumeration(PlaneSystem* system, const PointLimits& limits) {
    return std::make_unique<Enumeration>(system, limits);
}

}  // namespace redoubt::reference
