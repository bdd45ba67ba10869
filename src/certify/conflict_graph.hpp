#pragma once

#include <cstdint>
#include <vector>

namespace redoubt {

/// The least weight of a vertex cover of a bipartite graph that only grows.
///
/// By duality it is the largest flow from left to right vertices along the edges that sends at most
/// its weight through each vertex, found by Dinic's method: shortest augmenting paths, layer by
/// layer. With all weights 1 the flow is a matching, and this is the method of Hopcroft and Karp.
class ConflictGraph {
public:
    ConflictGraph(std::size_t n_left, std::int64_t left_weight, std::size_t n_right,
                  std::int64_t right_weight);

    /// The flow found so far stays valid: edges are only added.
    void add_edge(std::size_t left, std::size_t right) {
        edges_[left].push_back(static_cast<int>(right));
    }

    std::int64_t least_cover_weight();

private:
    struct Share {
        int left;
        std::int64_t amount;
    };

    bool find_layers();
    std::int64_t push(std::size_t left, std::int64_t amount);
    void send(std::size_t left, std::size_t right, std::int64_t amount);

    std::vector<std::vector<int>> edges_;   ///< of each left vertex
    std::vector<std::vector<Share>> flow_;  ///< into each right vertex
    std::vector<std::int64_t> left_spare_;
    std::vector<std::int64_t> right_spare_;
    std::vector<int> left_layer_;
    std::vector<int> right_layer_;
    std::vector<std::size_t> next_edge_;
    std::vector<int> queue_;
    std::int64_t total_ = 0;
};

}  // namespace redoubt
