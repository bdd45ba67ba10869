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

bool is_closed(const Flip& flip) {
    return flip.lower >= flip.upper * (1.0 - kClosedGap);
}

/// What a search found below the witness that was `known`, with what was known before.
void join(Flip& known, MoveFinder::Answer& found) {
    Flip& flip = found.flip;
    // The search may have a move of its own that is no less.
    if (known.d.size() > 0 && !(flip.d.size() > 0 && flip.upper < known.upper)) {
        flip.upper = known.upper;
        flip.d = std::move(known.d);
        flip.fooled = std::move(known.fooled);
        found.features.clear();
    }
    flip.lower = std::min(std::max(flip.lower, known.lower), flip.upper);
    if (is_closed(flip)) flip.status = Status::Optimal;
}

}  // namespace

ThreatenedVote::ThreatenedVote(const Ensemble& ensemble, const MoveSpace& space)
    : ensemble_(ensemble), space_(space), steps_(StepVote::of(ensemble, space)) {
    if (!steps_) steps_ = StepVote::part_of(ensemble, space);
}

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
    is_recorded_ = is_recorded;
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
    if (!counter_) {
        counter_.emplace(vote_.counted());
        counter_->record_proofs(is_recorded_);
    }
    return *counter_;
}

MoveFinder::Answer MoveFinder::find(const PointRef& x, int current_label, Index required_weight,
                                    double cutoff, const PointLimits& limits) {
    if (!stepper_) return search(x, current_label, required_weight, cutoff, limits);
    if (vote_.steps()->loose().empty()) {
        std::optional<Flip> found =
            stepper_->fool_planes(x.to_dense(), current_label, required_weight, cutoff, limits);
        if (found) return {std::move(*found), {}};
        return search(x, current_label, required_weight, cutoff, limits);
    }
    Flip known = stepper_->bracket(x.to_dense(), current_label, required_weight, limits);
    const bool is_exact = is_closed(known) && !stepper_->is_rounded();
    if (known.lower >= cutoff || is_exact) return {std::move(known), {}};
    const double below = std::min(cutoff, known.upper);
    Answer answer = search(x, current_label, required_weight, below, limits);
    join(known, answer);
    return answer;
}

MoveFinder::Answer MoveFinder::search(const PointRef& x, int current_label, Index required_weight,
                                      double cutoff, const PointLimits& limits) {
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
    Answer answer =
        find(x, current_label, weight_needed(vote_.ensemble(), current_label), HUGE_VAL, limits);
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
