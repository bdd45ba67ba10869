#pragma once

/// What a search writes down of its tree while it runs: appended to a few
/// lists, so that it costs next to nothing. ProofShortener makes a proof of it.

#include <cstdint>
#include <vector>

#include "redoubt/proof.hpp"

namespace redoubt {

class SearchLog {
public:
    /// Multipliers, as places in the lists of all.
    struct By {
        std::uint32_t first = 0;
        std::uint32_t size = 0;
    };
    struct Bar {
        int plane;
        By by;
        double proven;  ///< the distance up to which it holds, as computed in
                        ///< floating point
        int next;       ///< of the same node; -1 = none
    };
    struct Node {
        int plane = -1;  ///< the member that it has beyond its parent
        bool is_refuted = false;
        By by{};
        int first_bar = -1;
        int last_bar = -1;
        int first_child = -1;
        int last_child = -1;
        int next = -1;  ///< the next child of the same parent
    };

    bool empty() const { return nodes_.empty(); }
    /// Nodes and bars.
    std::size_t size() const { return nodes_.size() + bars_.size(); }
    const Node& node(int at) const { return nodes_[static_cast<std::size_t>(at)]; }
    const Bar& bar(int at) const { return bars_[static_cast<std::size_t>(at)]; }
    const int* planes(By by) const { return planes_.data() + by.first; }
    const double* lambda(By by) const { return lambda_.data() + by.first; }

    void clear() {
        nodes_.clear();
        bars_.clear();
        planes_.clear();
        lambda_.clear();
    }
    /// A node that is nobody's child yet. The first is the root.
    int add_node() {
        nodes_.emplace_back();
        return static_cast<int>(nodes_.size()) - 1;
    }
    void add_child(int parent, int plane, int child) {
        Node& above = nodes_[static_cast<std::size_t>(parent)];
        nodes_[static_cast<std::size_t>(child)].plane = plane;
        if (above.last_child < 0) {
            above.first_child = child;
        } else {
            nodes_[static_cast<std::size_t>(above.last_child)].next = child;
        }
        above.last_child = child;
    }
    void add_bar(int node, int plane, const Refutation& by, double proven) {
        const auto place = static_cast<int>(bars_.size());
        Node& of = nodes_[static_cast<std::size_t>(node)];
        bars_.push_back({plane, keep(by), proven, -1});
        if (of.last_bar < 0) {
            of.first_bar = place;
        } else {
            bars_[static_cast<std::size_t>(of.last_bar)].next = place;
        }
        of.last_bar = place;
    }
    /// All that is below the node is of no account any more.
    void refute(int node, const Refutation& by) {
        Node& of = nodes_[static_cast<std::size_t>(node)];
        of.is_refuted = true;
        of.by = keep(by);
    }

private:
    By keep(const Refutation& by) {
        const By place{static_cast<std::uint32_t>(planes_.size()),
                       static_cast<std::uint32_t>(by.planes.size())};
        planes_.insert(planes_.end(), by.planes.begin(), by.planes.end());
        lambda_.insert(lambda_.end(), by.lambda.begin(), by.lambda.end());
        return place;
    }

    std::vector<Node> nodes_{};
    std::vector<Bar> bars_{};
    std::vector<int> planes_{};
    std::vector<double> lambda_{};
};

}  // namespace redoubt
