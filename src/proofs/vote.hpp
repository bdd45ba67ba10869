#pragma once

#include "proofs/exact_number.hpp"
#include "proofs/moves.hpp"
#include "proofs/rules.hpp"
#include "redoubt/types.hpp"

#include <optional>
#include <string>
#include <vector>

namespace redoubt::proofs {

/// The planes of a proof file and its rules for moves, as doubles, which are exact numbers.
struct Vote {
    Matrix planes;
    Vector intercepts;
    std::vector<std::int64_t> weights;
    Rules rules;
    std::string model_hash;

    /// w_i'x + b_i.
    ExactNumber margin(Index plane, const Vector& point) const;
    /// The same rounded, and a bound on the error; infinite if doubles cannot tell.
    double near_margin(Index plane, const Vector& point, double& error) const;
    int answer(const Vector& point) const;
};

/// What a proof claims about its point. Margins are computed exactly only where doubles cannot
/// decide.
class Claim {
public:
    /// The radius may be infinite; `frozen` are features that do not move.
    Claim(const Vote& vote, Vector point, double radius, const std::vector<int>& frozen);
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;

    const Vote& vote() const { return vote_; }
    int answer() const { return answer_; }
    /// The weight of planes that changes the vote.
    std::int64_t need() const { return need_; }
    const Moves& moves() const { return moves_; }
    /// True if no move of the box below the radius can fool these planes together. The multipliers
    /// are > 0; the charge is >= 0, or absent.
    bool refutes(const std::vector<int>& planes, const std::vector<double>& multipliers,
                 std::optional<double> charge, const Box& box) const;

private:
    bool refutes_in_ball(const std::vector<int>& planes,
                         const std::vector<double>& multipliers) const;
    ExactNumber slope_of(int feature, const std::vector<int>& planes,
                         const std::vector<double>& multipliers) const;
    bool refutes_clearly(const std::vector<int>& planes,
                         const std::vector<double>& multipliers) const;
    const ExactNumber& support(int plane) const;

    const Vote& vote_;
    Vector point_;
    double radius_;
    Moves moves_;
    Vector scale_;  ///< of features that move in a ball; 0 for the others
    int answer_;
    std::int64_t need_ = 0;
    // y (w_i'x + b_i) rounded, a bound on its error, and the exact value if it was needed.
    Vector near_support_;
    Vector support_error_;
    mutable std::vector<std::optional<ExactNumber>> support_;
};

}  // namespace redoubt::proofs
