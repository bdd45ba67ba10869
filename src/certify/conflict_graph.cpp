#include "certify/conflict_graph.hpp"

#include <algorithm>

namespace redoubt {

ConflictGraph::ConflictGraph(std::size_t n_left, std::int64_t left_weight, std::size_t n_right,
                             std::int64_t right_weight)
    : edges_(n_left),
      flow_(n_right),
      left_spare_(n_left, left_weight),
      right_spare_(n_right, right_weight),
      left_layer_(n_left),
      right_layer_(n_right),
      next_edge_(n_left) {}

std::int64_t ConflictGraph::least_cover_weight() {
    while (find_layers()) {
        std::fill(next_edge_.begin(), next_edge_.end(), 0);
        for (std::size_t left = 0; left < edges_.size(); ++left) {
            while (left_spare_[left] > 0) {
                const std::int64_t amount = push(left, left_spare_[left]);
                if (amount == 0) break;
                left_spare_[left] -= amount;
                total_ += amount;
            }
        }
    }
    return total_;
}

/// Breadth first from the left vertices with something to spare; true if a right vertex with room
/// is reached.
bool ConflictGraph::find_layers() {
    std::fill(left_layer_.begin(), left_layer_.end(), -1);
    std::fill(right_layer_.begin(), right_layer_.end(), -1);
    queue_.clear();
    for (std::size_t left = 0; left < edges_.size(); ++left) {
        if (left_spare_[left] == 0) continue;
        left_layer_[left] = 0;
        queue_.push_back(static_cast<int>(left));
    }
    bool is_reached = false;
    for (std::size_t head = 0; head < queue_.size(); ++head) {
        const auto left = static_cast<std::size_t>(queue_[head]);
        for (int edge : edges_[left]) {
            const auto right = static_cast<std::size_t>(edge);
            if (right_layer_[right] >= 0) continue;
            right_layer_[right] = left_layer_[left] + 1;
            is_reached = is_reached || right_spare_[right] > 0;
            for (const Share& share : flow_[right]) {
                auto& layer = left_layer_[static_cast<std::size_t>(share.left)];
                if (share.amount == 0 || layer >= 0) continue;
                layer = right_layer_[right] + 1;
                queue_.push_back(share.left);
            }
        }
    }
    return is_reached;
}

/// Sends up to `amount` from a left vertex along one path through the layers; the amount sent.
std::int64_t ConflictGraph::push(std::size_t left, std::int64_t amount) {
    for (std::size_t& at = next_edge_[left]; at < edges_[left].size(); ++at) {
        const auto right = static_cast<std::size_t>(edges_[left][at]);
        if (right_layer_[right] != left_layer_[left] + 1) continue;
        if (right_spare_[right] > 0) {
            const std::int64_t sent = std::min(amount, right_spare_[right]);
            right_spare_[right] -= sent;
            send(left, right, sent);
            return sent;
        }
        for (std::size_t i = 0; i < flow_[right].size(); ++i) {
            const Share share = flow_[right][i];
            const auto other = static_cast<std::size_t>(share.left);
            if (share.amount == 0 || left_layer_[other] != right_layer_[right] + 1) continue;
            const std::int64_t sent = push(other, std::min(amount, share.amount));
            if (sent == 0) continue;
            flow_[right][i].amount -= sent;
            send(left, right, sent);
            return sent;
        }
    }
    return 0;
}

void ConflictGraph::send(std::size_t left, std::size_t right, std::int64_t amount) {
    for (Share& share : flow_[right]) {
        if (share.left != static_cast<int>(left)) continue;
        share.amount += amount;
        return;
    }
    flow_[right].push_back({static_cast<int>(left), amount});
}

}  // namespace redoubt
