#pragma once

#include <functional>

#include "attack/adversary.hpp"
#include "certify/flip.hpp"

namespace redoubt {

/// How an adversary of one point asks and judges; weights are in the ensemble's units.
struct FoolingQuestion {
    /// The smallest move that fools planes of this weight, looked for a hair beyond the radius.
    std::function<Flip(Index need)> fool;
    /// Is the move within the radius? It may be exchanged for one that is and fools as much.
    std::function<bool(Index need, Flip& flip)> fits;
    /// No more than this can be fooled: the weight of the planes that can be fooled alone, say.
    Index most = 0;
};

/// The most weight fooled within the radius, then the smallest move. Asks for all of `most` at
/// once, which settles the ordinary case, where few planes are within reach or all are; then for
/// weights between what was fooled and what cannot be: half-way in a majority vote, and in a
/// weighted one by turns half-way and for anything more, because most weights in between are those
/// of no set. The weight is exact unless a limit strikes or a plane can be fooled at the very edge
/// only, where rounding decides: then `bound` is larger than `objective` and the status says so.
AdversaryAnswer most_fooled(const PointProblem& point, const FoolingQuestion& question);

}  // namespace redoubt
