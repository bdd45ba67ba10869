#pragma once

#include <memory>

#include "search/flip_search.hpp"
#include "search/plane_set.hpp"

namespace redoubt {

/// The search for the norm that the planes were prepared for. One per thread.
class FlipEngine {
public:
    explicit FlipEngine(const PlaneSet& planes);
    /// With the box of PointMargins, which must be set, if `has_box`.
    FlipEngine(const PlaneSet& planes, bool has_box);
    ~FlipEngine();

    /// See FlipSearch::run.
    SearchResult run(const PointMargins& margins, const Amounts& required, double cutoff,
                     const PointLimits& limits, SearchWish wish = {});
    /// What these multipliers prove about the last point searched, rounded down.
    double proven_by(const std::vector<int>& planes, const std::vector<double>& lambda);

private:
    struct Searches;
    std::unique_ptr<Searches> searches_;
};

}  // namespace redoubt
