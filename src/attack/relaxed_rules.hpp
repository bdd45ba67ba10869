#pragma once

/// The relaxed adversary under any rules: branch and bound on the planes that count.

#include <vector>

#include "attack/adversary.hpp"
#include "threat/support.hpp"

namespace redoubt {

/// max over all moves of sum_i alpha_i [c_i + a_i'd]_+ . Bounds come from the chords of the hinges
/// between the ends that each plane can reach by itself; what remains is one value of the support
/// function. Balls have a search of their own, relaxed_search.hpp, with tighter bounds.
class RelaxedRuleSearch {
public:
    /// The space must be that of the point's threat and outlive this.
    explicit RelaxedRuleSearch(const MoveSpace& space) : support_(space) {}

    AdversaryAnswer solve(const PointProblem& point, const PointLimits& limits);

private:
    struct Hinge {
        int plane;
        double weight;
        double c;   ///< with its weight, as a
        double lo;  ///< least and greatest a'd
        double hi;
    };
    struct Choice {
        std::vector<signed char> v;  ///< of each hinge; -1 = undecided
        double bound = HUGE_VAL;
    };

    void load_hinges(const PointProblem& point);
    double hinge_sum(const PointProblem& point, const Vector& d) const;
    void offer(const PointProblem& point, const Vector& d);
    void improve(const PointProblem& point, Vector d);
    int bound_choice(const PointProblem& point, Choice& choice);

    Support support_;
    std::vector<Hinge> hinges_;
    Vector certain_g_;
    double certain_c_ = 0.0;
    double scale_ = 0.0;  ///< sum of the sizes of all terms, the scale of rounding errors
    Vector best_d_;
    double best_ = 0.0;
    std::vector<Choice> open_;
};

}  // namespace redoubt
