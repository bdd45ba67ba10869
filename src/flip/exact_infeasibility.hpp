#pragma once

#include <vector>

#include "flip/exact_terms.hpp"
#include "redoubt/ensemble.hpp"
#include "search/infeasibility_proof.hpp"
#include "search/plane_set.hpp"
#include "threat/move_space.hpp"

namespace redoubt {

/// Shows in exact arithmetic that planes cannot be fooled together within a box of Flipper.
///
/// Where planes i are fooled, so is the plane sum_i c_i (w_i, b_i) for any c_i > 0. A linear
/// function is greatest in a corner of the box, and corners are known exactly: ends of ranges,
/// integers, values of groups, the point itself. If half-spaces touch each other or the box, and
/// the data lie on a grid, their multipliers c are in the ratio of small integers; for a single
/// plane c = 1.
class ExactInfeasibility final : public InfeasibilityProof {
public:
    /// All three must outlive this.
    ExactInfeasibility(const Ensemble& ensemble, const PlaneSet& planes, const PointMoves& moves);

    /// The box: the least and greatest value of every feature, equal where nothing moves. The
    /// values for members of `open_groups` (positions in the space) are ignored.
    void load(int from, Vector lowest, Vector highest, std::vector<std::size_t> open_groups);

    bool holds(const std::vector<int>& planes, const std::vector<double>& lambda) const override;

    /// The planes of the ensemble and their multipliers that proved it, after `holds`.
    const std::vector<int>& shown_planes() const { return asked_; }
    const std::vector<double>& shown_multiples() const { return multiple_; }

    /// True if plane i of the set is fooled nowhere in the box.
    bool is_never_fooled(Index i) const;
    /// True if it is fooled everywhere in the box. Requires that there are no open groups, else
    /// false.
    bool is_always_fooled(Index i) const;

private:
    void clear() const;
    void ask(Index i) const;
    bool may_hold() const;
    bool find_integer_multiples() const;
    bool find_opposite_multiples(Index feature) const;
    /// True if the plane of the multiples is not fooled in its most favourable corner.
    bool is_shown() const;
    int slope_sign(Index feature) const;
    bool add_group(std::size_t group) const;
    bool add_values(Index feature, double value, double factor, ExactTerms& terms) const;

    const Ensemble& ensemble_;
    const PlaneSet& planes_;
    const PointMoves& moves_;
    int from_ = 1;
    Vector lowest_;
    Vector highest_;
    std::vector<std::size_t> open_groups_;
    std::vector<char> is_open_;  ///< by feature: member of an open group

    // Scratch of one question.
    mutable std::vector<int> asked_;        ///< planes of the ensemble
    mutable bool one_stays_ = false;        ///< some of them is not fooled where it is 0
    mutable std::vector<double> share_;     ///< their multipliers, rounded
    mutable std::vector<double> multiple_;  ///< and the integer ratios tried
    mutable ExactTerms sum_;
    mutable ExactTerms slope_;
};

}  // namespace redoubt
