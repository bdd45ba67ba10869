#pragma once

#include "attack/adversary.hpp"
#include "attack/relaxed_search.hpp"

namespace redoubt {

/// The relaxed adversary for many points of one ensemble: what depends on the planes is computed
/// once, and memory is reused. One per thread; `planes` may be shared.
class RelaxedAdversary {
public:
    explicit RelaxedAdversary(const RelaxedPlanes& planes, const RelaxedTuning& tuning = {})
        : planes_(planes), tuning_(tuning), search_(planes, tuning) {}

    /// See relaxed_adversary in adversary.hpp. The point's ensemble and norm must be the planes'.
    AdversaryAnswer solve(const PointProblem& point, const PointLimits& limits);

private:
    void load_terms(const PointProblem& point);
    void sort_out_certain_planes();
    void solve_l1();
    void solve_box_vertices();
    void solve_search(const PointLimits& limits);
    AdversaryAnswer finish(const PointProblem& point) const;

    const RelaxedPlanes& planes_;
    RelaxedTuning tuning_;
    RelaxedSearch search_;
    RelaxedTerms terms_{};
    Vector c_{};             ///< of all planes
    std::vector<char> v_{};  ///< of all planes
    double bound_ = 0.0;
    Status status_ = Status::Optimal;
    std::int64_t n_nodes_ = 0;

    // Of the box's vertices.
    Matrix columns_{};
    Vector at_{};
    Vector best_at_{};
    Vector signs_{};
};

}  // namespace redoubt
