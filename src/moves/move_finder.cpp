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
    : ensemble_(ensemble), space_(space) {
    if (space.model->counts()) {
        counted_.emplace(ensemble, space);
    } else {
        planes_.emplace(ensemble, space);
    }
}

MoveFinder::MoveFinder(const ThreatenedVote& vote) {
    if (vote.counted() != nullptr) {
        counter_.emplace(*vote.counted());
    } else {
        flipper_.emplace(*vote.planes());
    }
}

void MoveFinder::record_proofs(bool is_recorded) {
    if (flipper_) flipper_->record_proofs(is_recorded);
}

MoveFinder::Answer MoveFinder::flip_answer(const PointRef& x, int current_label,
                                           const PointLimits& limits) {
    if (flipper_) return {flipper_->flip_answer(x.to_dense(), current_label, limits), {}};
    CountFlipper::Answer found = counter_->flip_answer(x, current_label, limits);
    if (x.is_sparse()) return {std::move(found.flip), std::move(found.features)};
    found.flip.d = written_out(found.flip.d, found.features, x.size());
    return {std::move(found.flip), {}};
}

Flip MoveFinder::fool_planes(const VectorRef& x, int current_label, Index required_weight,
                             double cutoff, const PointLimits& limits) {
    if (flipper_) return flipper_->fool_planes(x, current_label, required_weight, cutoff, limits);
    CountFlipper::Answer found =
        counter_->fool_planes(x, current_label, required_weight, cutoff, limits);
    found.flip.d = written_out(found.flip.d, found.features, x.size());
    return std::move(found.flip);
}

}  // namespace redoubt
