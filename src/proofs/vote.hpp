#pragma once

#include "proofs/exact_number.hpp"
#include "redoubt/norm.hpp"
#include "redoubt/types.hpp"

#include <string>
#include <vector>

namespace redoubt::proofs {

/// The planes of a proof file and how moves are measured, as doubles, which are exact numbers.
struct Vote {
    Norm norm = Norm::L2;
    Matrix planes;
    Vector intercepts;
    std::vector<std::int64_t> weights;
    Vector scale;  ///< 0 = does not move
    std::string model_hash;

    std::vector<ExactNumber> margins(const Vector& point) const;
    int answer(const std::vector<ExactNumber>& margins) const;
};

/// What a proof claims of its point.
struct Claim {
    const Vote& vote;
    int answer = 1;
    double radius = 0.0;                 ///< may be infinite
    std::vector<ExactNumber> support{};  ///< y (w_i'x + b_i)
    Vector near_support{};               ///< rounded
    std::int64_t need = 0;               ///< weight that changes the vote

    /// Can no move below the radius fool these planes together? The multipliers are > 0.
    bool refutes(const std::vector<int>& planes, const std::vector<double>& multipliers) const;

private:
    bool refutes_clearly(const std::vector<int>& planes,
                         const std::vector<double>& multipliers) const;
};

}  // namespace redoubt::proofs
