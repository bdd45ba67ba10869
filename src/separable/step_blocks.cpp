/// What groups, and planes on features of their own, offer to StepFlipper.

#include <algorithm>
#include <cmath>

#include "core/rounding.hpp"
#include "separable/step_flipper.hpp"

namespace redoubt {

/// Every switch, with what it wins over and loses among the planes that look at the group.
void StepFlipper::load_group(std::size_t at, const VectorRef& x, int label) {
    const StepVote::GroupBlock& block = vote_.group_blocks()[at];
    const Ensemble& ensemble = vote_.ensemble();
    const auto answer = [&](int plane, const Vector& where) {
        return sign_of_plane(ensemble.coef().row(plane).transpose(), ensemble.intercept()[plane],
                             where);
    };
    std::vector<int> before;
    Vector moved = x;
    for (int plane : block.planes) before.push_back(answer(plane, moved));
    found_.clear();
    const std::size_t n = moves_->group(block.group).features.size();
    for (std::size_t member = 0; member < n; ++member) {
        if (member == moves_->on(block.group) || !moves_->can_switch(block.group, member)) continue;
        moved = x;
        moves_->apply_switch(block.group, member, moved);
        std::int64_t weight = 0;
        for (std::size_t i = 0; i < block.planes.size(); ++i) {
            const int now = answer(block.planes[i], moved);
            if (now == before[i]) continue;
            const std::int64_t units = ensemble.weight_units(block.planes[i]);
            weight += now != label ? units : -units;
        }
        if (weight <= 0) continue;
        Offer offer{weight, 0.0, 0.0, static_cast<double>(member),
                    static_cast<int>(vote_.blocks().size() + at)};
        const double cost = moves_->cost(block.group, member);
        offer.lower = offer.upper = cost;
        if (vote_.model().norm == Norm::L2) set_price(cost, cost, offer);
        found_.push_back(offer);
    }
    keep_found();
}

/// The least move that fools the plane, if it is not fooled yet.
void StepFlipper::load_private(std::size_t at, const VectorRef& x, int label,
                               const PointLimits& limits) {
    const StepVote::PrivateBlock& block = vote_.private_blocks()[at];
    found_.clear();
    if (block.alone->vote.predict(x) == label) {
        const Flip flip = flip_alone(at, x, label, limits);
        if (flip.status != Status::Optimal) private_status_ = flip.status;
        Offer offer{vote_.ensemble().weight_units(block.plane), 0.0, 0.0, 0.0,
                    static_cast<int>(vote_.blocks().size() + vote_.group_blocks().size() + at)};
        const bool counts = vote_.model().counts();
        if (!counts) set_price(flip.lower, flip.upper, offer);
        if (counts) offer.lower = flip.lower;
        if (counts) offer.upper = flip.upper;
        has_unseen_ = has_unseen_ || !offer.is_seen();
        if (flip.lower < HUGE_VAL) found_.push_back(offer);
        if (flip.d.size() > 0) private_moves_[at] = x + flip.d;
    }
    keep_found();
}

Flip StepFlipper::flip_alone(std::size_t at, const VectorRef& x, int label,
                             const PointLimits& limits) {
    if (flippers_[at]) return flippers_[at]->flip_answer(x, label, limits);
    const Ensemble& vote = vote_.private_blocks()[at].alone->vote;
    CountFlipper::Answer answer =
        counters_[at]->fool_planes(x, label, weight_needed(vote, label), HUGE_VAL, limits);
    Vector d = Vector::Zero(answer.features.empty() ? 0 : x.size());
    for (std::size_t i = 0; i < answer.features.size(); ++i)
        d[answer.features[i]] = answer.flip.d[static_cast<Index>(i)];
    answer.flip.d = std::move(d);
    return std::move(answer.flip);
}

/// Puts what is offered into `moved`.
void StepFlipper::apply(const Offer& offer, Vector& moved) const {
    auto at = static_cast<std::size_t>(offer.block);
    if (at < vote_.blocks().size()) {
        moved[vote_.blocks()[at].feature] = offer.value;
        return;
    }
    at -= vote_.blocks().size();
    if (at < vote_.group_blocks().size()) {
        moves_->apply_switch(vote_.group_blocks()[at].group, static_cast<std::size_t>(offer.value),
                             moved);
        return;
    }
    at -= vote_.group_blocks().size();
    // Loose planes have none.
    for (int l : vote_.private_blocks()[at].features) moved[l] = private_moves_[at][l];
}

}  // namespace redoubt
