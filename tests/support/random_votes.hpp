#pragma once

/// Seeded ensembles and points of every kind that the exact engine has to answer for.

#include <cstdint>
#include <string>
#include <vector>

#include "redoubt/ensemble.hpp"
#include "redoubt/types.hpp"

namespace redoubt::testing {

enum class VoteKind {
    Random,          ///< normals in all directions
    Bagged,          ///< one direction with noise, as bagging gives
    Dependent,       ///< duplicates, opposites and multiples of a few planes
    Grid,            ///< small integers everywhere: margins of exactly 0, ties, parallel planes
    ZeroPlanes,      ///< some planes without a direction
    OnPlanes,        ///< points that lie on planes up to rounding
    Scaled,          ///< planes scaled by 1e-8 .. 1e8
    NearlyParallel,  ///< angles of about 1e-7
    Stumps,          ///< one feature each: most pairs are at right angles, parallel or opposite
};

const std::vector<VoteKind>& all_vote_kinds();
std::string to_string(VoteKind kind);

struct RandomVote {
    Ensemble ensemble;
    Vector x;
};

/// k planes in R^n and a point near them. Equal arguments give equal votes.
RandomVote make_random_vote(VoteKind kind, Index k, Index n, std::uint64_t seed);

/// k weights by the seed's remainder: real numbers, 1 to 3, one with more than half of all, equal
/// ones, many sizes.
Vector make_random_weights(Index k, std::uint64_t seed);

/// The same vote with those weights.
RandomVote make_weighted_vote(VoteKind kind, Index k, Index n, std::uint64_t seed);

}  // namespace redoubt::testing
