#pragma once

#include <vector>

#include "redoubt/proof.hpp"
#include "search/flip_engine.hpp"
#include "search/plane_set.hpp"

namespace redoubt {

/// Makes the proof of a search short: cases that others cover are left out, what refutes a child
/// without its plane refutes the parent, and multipliers get as few digits as their case allows.
class ProofShortener {
public:
    /// For the point that the engine has searched last. No set of planes below `required_weight`
    /// counts.
    ProofShortener(FlipEngine& engine, const PlaneSet& planes, Index required_weight,
                   double radius);

    /// The proof that no move below the radius fools enough planes, in planes of the ensemble and
    /// multipliers of their coefficients.
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

    FlipEngine& engine_;
    const PlaneSet& planes_;
    Index required_weight_;
    double radius_;
    std::vector<char> is_member_;
    std::vector<char> is_free_;
};

}  // namespace redoubt
