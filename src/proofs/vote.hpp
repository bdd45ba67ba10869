#pragma once

#include "proofs/exact_number.hpp"
#include "proofs/moves.hpp"
#include "proofs/rules.hpp"
#include "redoubt/types.hpp"

#include <optional>
#include <string>
#include <vector>

namespace redoubt::proofs {

/// Planes that are to answer otherwise than now, by number, and what they must weigh together.
struct Question {
    struct Count {
        std::vector<std::int64_t> weights{};
        std::int64_t need = 0;
    };

    /// By plane: the answer that is wanted of it, -1 or +1, or 0 if it has no part in this.
    std::vector<int> wanted{};
    /// By plane: its answer where it is 0.
    std::vector<int> at_zero{};
    /// All of them must be reached.
    std::vector<Count> counts{};
    // By value the planes are differences of classes; empty if they are those of the vote.
    Matrix differences{};
    Vector difference_intercepts{};

    bool is_touched(std::size_t plane) const { return wanted[plane] == at_zero[plane]; }
    bool is_reached(const std::vector<char>& planes) const;
};

/// The planes of a proof file, how they make an answer, and its rules for moves. Doubles are exact
/// numbers.
struct Vote {
    Matrix planes;
    Vector intercepts;
    std::vector<std::int64_t> weights;
    std::vector<int> at_zero;
    std::int64_t quota = 0;  ///< of two classes
    /// For several classes: the class of each plane.
    std::vector<int> class_of{};
    int n_classes = 0;  ///< 0: the answers are -1 and +1
    bool is_by_value = false;
    Rules rules;
    std::string model_hash;

    bool is_answer(std::int64_t answer) const;
    /// Questions any of which changes this answer.
    std::vector<Question> leaving(int answer) const;
    /// Does this class beat all these rivals?
    Question entering(int label, const std::vector<int>& rivals) const;
    /// All classes but this one.
    std::vector<int> others(int label) const;
    /// Are enough planes fooled at this point?
    bool changes(const Question& question, const Vector& point) const;

private:
    Question by_value(int label, const std::vector<int>& rivals, bool is_leaving) const;
};

/// What a proof claims about its point: no move answers the question with yes. Margins are computed
/// exactly only where doubles cannot decide.
class Claim {
public:
    /// All must outlive this. The radius may be infinite.
    Claim(const Vote& vote, const Question& question, const Moves& moves, const Vector& point,
          double radius);
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;

    const Vote& vote() const { return vote_; }
    const Question& question() const { return question_; }
    const Moves& moves() const { return moves_; }
    /// True if no move of the box below the radius can fool these planes together. The multipliers
    /// are > 0; the charge is >= 0, or absent.
    bool refutes(const std::vector<int>& planes, const std::vector<double>& multipliers,
                 std::optional<double> charge, const Box& box) const;

private:
    /// Planes with their multipliers, turned so that all are to become +1.
    struct Sum {
        const std::vector<int>& planes;
        const std::vector<double>& multipliers;
        bool is_strict;  ///< some plane is not fooled where it is 0
    };

    /// Most refutations are far from equality: doubles show them, with room for
    /// all roundings.
    struct NearSum {
        double least;  ///< a lower end of lambda'g; NaN if doubles cannot tell
        Moves::NearSlopes slopes;
    };
    NearSum add_up(const Sum& sum) const;
    bool refutes_in_ball(const Sum& sum) const;
    bool refutes_clearly(const Sum& sum) const;
    bool refutes_clearly(const Sum& sum, double charge, const Box& box) const;
    ExactNumber slope_of(int feature, const Sum& sum) const;
    ExactNumber missing(const Sum& sum) const;
    double turned(const Sum& sum, std::size_t i) const {
        return question_.wanted[static_cast<std::size_t>(sum.planes[i])] * sum.multipliers[i];
    }
    const ExactNumber& support(int plane) const;

    const Vote& vote_;
    const Question& question_;
    const Moves& moves_;
    const Vector& point_;
    double radius_;
    const Matrix& planes_;
    const Vector& intercepts_;
    Vector scale_;  ///< of features that move in a ball; 0 for the others
    // How far each plane is from being fooled, rounded, a bound on its error, and the exact value
    // if it was needed.
    Vector near_support_;
    Vector support_error_;
    mutable std::vector<std::optional<ExactNumber>> support_;
};

}  // namespace redoubt::proofs
