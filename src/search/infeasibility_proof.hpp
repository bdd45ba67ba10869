#pragma once

#include <vector>

namespace redoubt {

/// Shows in exact arithmetic that planes cannot be fooled together, where rounded bounds cannot.
///
/// Half-spaces and box may just touch. Bounds with floors a little below the margins then see a
/// point where there is none, however good the multipliers are.
class InfeasibilityProof {
public:
    virtual ~InfeasibilityProof() = default;

    /// True if the planes (of the searched PlaneSet) cannot be fooled together anywhere in the box,
    /// as shown by multiples close to `lambda`. False says nothing.
    virtual bool holds(const std::vector<int>& planes, const std::vector<double>& lambda) const = 0;
};

}  // namespace redoubt
