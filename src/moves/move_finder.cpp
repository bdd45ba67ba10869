#include "moves/move_finder.hpp"

#include <utility>

namespace redoubt {

namespace {

/// The move in all n features.
Vector written_out(const Vector& steps, const std::vector<Index>& features, Index n) {
    if (features.empty()) return steps;
    Vector d = Vector::Zero(n);
    for (std::size_t i = 0; i < features.size(); ++i) d[features[i]] = steps[static_cast<Index>(i)];
    return d;
}

}  // namespace

ThreatenedVote::ThreatenedVote(const Ensemble& ensemble, const MoveSpace& space)
    : ensemble_(ensemble), space_(space), steps_(StepVote::of(ensemble, space)) {}

const ThreatPlanes& ThreatenedVote::planes() const {
    std::call_once(made_, [this] { planes_.emplace(ensemble_, space_); });
    return *planes_;
}

const CountedPlanes& ThreatenedVote::counted() const {
    std::call_once(made_, [this] { counted_.emplace(ensemble_, space_); });
    return *counted_;
}

MoveFinder::MoveFinder(const ThreatenedVote& vote) : vote_(vote) {
    if (vote.steps() != nullptr) stepper_.emplace(*vote.steps());
}

void MoveFinder::record_proofs(bool is_recorded) {
    is_recorded_ = is_recorded && !vote_.counts();
    if (is_recorded_) stepper_.reset();
}

Flipper& MoveFinder::flipper() {
    if (!flipper_) {
        flipper_.emplace(vote_.planes());
        flipper_->record_proofs(is_recorded_);
    }
    return *flipper_;
}

CountFlipper& MoveFinder::counter() {
    if (!counter_) counter_.emplace(vote_.counted());
    return *counter_;
}

MoveFinder::Answer MoveFinder::find(const PointRef& x, int current_label, Index required_weight,
                                    double cutoff, const PointLimits& limits) {
    if (stepper_) {
        std::optional<Flip> found =
            stepper_->fool_planes(x.to_dense(), current_label, required_weight, cutoff, limits);
        if (found) return {std::move(*found), {}};
    }
    if (!vote_.counts()) {
        return {flipper().fool_planes(x.to_dense(), current_label, required_weight, cutoff, limits),
                {}};
    }
    CountFlipper::Answer found =
        counter().fool_planes(x, current_label, required_weight, cutoff, limits);
    return {std::move(found.flip), std::move(found.features)};
}

MoveFinder::Answer MoveFinder::flip_answer(const PointRef& x, int current_label,
                                           const PointLimits& limits) {
    Answer answer = find(x, current_label, weight_needed(vote_.ensemble(), current_label), HUGE_VAL,
                         limits);
    if (x.is_sparse() || answer.features.empty()) return answer;
    answer.flip.d = written_out(answer.flip.d, answer.features, x.size());
    answer.features.clear();
    return answer;
}

Flip MoveFinder::fool_planes(const VectorRef& x, int current_label, Index required_weight,
                             double cutoff, const PointLimits& limits) {
    Answer answer = find(x, current_label, required_weight, cutoff, limits);
    answer.flip.d = written_out(answer.flip.d, answer.features, x.size());
    return std::move(answer.flip);
}

}  // namespace redoubt
