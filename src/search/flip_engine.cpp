#include "search/flip_engine.hpp"

#include <optional>

#include "search/l2_nodes.hpp"
#include "search/vertex_nodes.hpp"

namespace redoubt {

struct FlipEngine::Searches {
    std::optional<FlipSearch<L2Nodes>> l2;
    std::optional<FlipSearch<VertexNodes>> vertex;
};

FlipEngine::FlipEngine(const PlaneSet& planes) : searches_(std::make_unique<Searches>()) {
    if (planes.norm() == Norm::L2) {
        searches_->l2.emplace(planes);
    } else {
        searches_->vertex.emplace(planes);
    }
}

FlipEngine::~FlipEngine() = default;

FlipResult FlipEngine::run(const PointMargins& margins, Index need, double cutoff,
                           const PointLimits& limits) {
    if (searches_->l2) return searches_->l2->run(margins, need, cutoff, limits);
    return searches_->vertex->run(margins, need, cutoff, limits);
}

}  // namespace redoubt
