#include "search/flip_engine.hpp"

#include <optional>

#include "search/box_l2_nodes.hpp"
#include "search/box_vertex_nodes.hpp"
#include "search/l2_nodes.hpp"
#include "search/vertex_nodes.hpp"

namespace redoubt {

struct FlipEngine::Searches {
    std::optional<FlipSearch<L2Nodes>> l2;
    std::optional<FlipSearch<VertexNodes>> vertex;
    std::optional<FlipSearch<BoxL2Nodes>> box_l2;
    std::optional<FlipSearch<BoxVertexNodes>> box_vertex;

    template <typename Use>
    auto with_one(Use use);
};

FlipEngine::FlipEngine(const PlaneSet& planes) : FlipEngine(planes, false) {}

FlipEngine::FlipEngine(const PlaneSet& planes, bool has_box)
    : searches_(std::make_unique<Searches>()) {
    const bool is_l2 = planes.norm() == Norm::L2;
    if (has_box && is_l2) searches_->box_l2.emplace(planes);
    if (has_box && !is_l2) searches_->box_vertex.emplace(planes);
    if (!has_box && is_l2) searches_->l2.emplace(planes);
    if (!has_box && !is_l2) searches_->vertex.emplace(planes);
}

FlipEngine::~FlipEngine() = default;

template <typename Use>
auto FlipEngine::Searches::with_one(Use use) {
    if (l2) return use(*l2);
    if (box_l2) return use(*box_l2);
    if (box_vertex) return use(*box_vertex);
    return use(*vertex);
}

SearchResult FlipEngine::run(const PointMargins& margins, const Amounts& required, double cutoff,
                             const PointLimits& limits, SearchWish wish) {
    return searches_->with_one(
        [&](auto& search) { return search.run(margins, required, cutoff, limits, wish); });
}

double FlipEngine::proven_by(const std::vector<int>& planes, const std::vector<double>& lambda) {
    return searches_->with_one(
        [&](auto& search) { return search.nodes().proven_by(planes, lambda); });
}

}  // namespace redoubt
