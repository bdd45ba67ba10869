#pragma once

#include <vector>

namespace redoubt {

/// Shows in exact arithmetic that planes cannot be fooled together, where rounded bounds cannot.
///
/// Half-spaces and box may do no more than touch. Bounds with floors a little below the margins
/// then see a point where there is none, however good the multipliers are.
class InfeasibilityProof {
public:
    virtual ~InfeasibilityProof() = default;

    /// True when the planes (of the PlaneSet searched) cannot be fooled together anywhere in the
    /// box, which multiples near `lambda` of them show. False says nothing.
    virtual bool holds(const std::vector<int>& planes, const std::vector<double>& lambda) const = 0;
};

}  // namespace redoubt
