#pragma once

/// Why no smaller move changes an answer: a tree of cases that a stranger can check in exact
/// arithmetic. docs/formats.md has the claim, the rules and the file.

#include <vector>

namespace redoubt {

/// Planes that cannot be fooled together by a move within some distance, with the multipliers that
/// show it.
struct Refutation {
    std::vector<int> planes{};
    std::vector<double> lambda{};

    void set(const std::vector<int>& p, const std::vector<double>& l) {
        planes = p;
        lambda = l;
    }
};

/// A node of the tree: planes I that are fooled and planes F that may be, which follow from the way
/// to it. Either its planes are refuted together; or some planes of F are barred, and then the rest
/// weighs too little (no children), or the children cover every set that does not.
struct ProofNode {
    struct Bar {
        int plane;
        Refutation by;  ///< of I and this plane
        double proven;  ///< the distance up to which it holds, as floating point shows it
    };
    struct Child;

    bool is_refuted = false;
    Refutation refutation{};
    std::vector<Bar> bars{};
    /// In an order: those after a child are out below it.
    std::vector<Child> children;

    void refute(const Refutation& by);
};

struct ProofNode::Child {
    int plane;
    ProofNode node;
};

inline void ProofNode::refute(const Refutation& by) {
    is_refuted = true;
    refutation = by;
    bars.clear();
    children.clear();
}

}  // namespace redoubt
