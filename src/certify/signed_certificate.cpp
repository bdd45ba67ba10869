#include "certify/signed_certificate.hpp"

#include <utility>

namespace redoubt {

Certificate make_certificate(Flip flip, bool is_correct) {
    Certificate result;
    result.status = flip.status;
    result.lower = is_correct ? flip.lower : -flip.upper;
    result.upper = is_correct ? flip.upper : -flip.lower;
    const bool is_known = flip.upper < HUGE_VAL;
    // [0, infinity] settles nothing, however the search ended.
    if (!is_known && flip.lower == 0.0 && flip.status == Status::Optimal)
        result.status = Status::NumericalFailure;
    const bool is_impossible = !is_known && result.status == Status::Optimal;
    const double estimate = is_known ? flip.upper : is_impossible ? HUGE_VAL : flip.lower;
    result.radius = is_correct ? estimate : -estimate;
    result.n_nodes = flip.n_nodes;
    result.fooled = std::move(flip.fooled);
    result.proof = std::move(flip.proof);
    result.why_no_proof = flip.why_no_proof;
    result.witness = std::move(flip.d);
    return result;
}

Flip no_flip() {
    Flip flip;
    flip.lower = HUGE_VAL;
    flip.proof.emplace();
    return flip;
}

}  // namespace redoubt
