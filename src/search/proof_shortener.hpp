#pragma once

#include <vector>

#include "redoubt/proof.hpp"
#include "search/plane_set.hpp"

namespace redoubt {

/// What a proof must show, and whether it does.
class RefutationJudge {
public:
    virtual ~RefutationJudge() = default;

    /// True if what a search proved about some planes suffices.
    virtual bool is_enough(double proven) const = 0;
    /// True if these multipliers (of planes of the set) suffice, however they are rounded. If so,
    /// the best charge is stored.
    virtual bool refutes(Refutation& by) = 0;
    /// Makes the best of multipliers that are known to suffice even though rounding does not show
    /// it.
    virtual void settle(Refutation& by) = 0;
};

/// Shortens the proof of a search: cases covered by others are left out, a refutation of a child
/// that does not use its plane refutes the parent, and multipliers get as few digits as their case
/// allows.
class ProofShortener {
public:
    /// No set of planes below `required_weight` counts.
    ProofShortener(RefutationJudge& judge, const PlaneSet& planes, Index required_weight);

    /// The same proof, in planes of the ensemble and multipliers of their coefficients.
    ProofNode shorten(const ProofNode& root);

private:
    ProofNode shorten(const ProofNode& node, Index fooled);
    bool bar(ProofNode& node, int plane, Refutation by, Index& possible);
    bool is_of_members(const Refutation& by) const;
    Index weight(int plane) const { return planes_.weight(plane); }
    Index free_weight() const;
    Refutation few_digits(const Refutation& by);
    void use_ensemble(ProofNode& node) const;
    void use_ensemble(Refutation& by) const;

    RefutationJudge& judge_;
    const PlaneSet& planes_;
    Index required_weight_;
    std::vector<char> is_member_;
    std::vector<char> is_free_;
};

}  // namespace redoubt
