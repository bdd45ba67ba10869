#pragma once

/// Why no smaller move changes an answer: a tree of cases that anyone can check in exact
/// arithmetic. docs/formats.md specifies the claim, the rules and the file.

#include <optional>
#include <vector>

namespace redoubt {

/// Planes that no move within some distance can fool together, with the multipliers that prove it.
struct Refutation {
    std::vector<int> planes{};
    std::vector<double> lambda{};
    /// The price of a move's size, in l1 and l2 under rules for moves: any number >= 0 gives a
    /// valid bound, and the best depends on the multipliers.
    std::optional<double> charge{};

    void set(const std::vector<int>& p, const std::vector<double>& l) {
        planes = p;
        lambda = l;
        charge.reset();
    }
};

/// A node of the tree: a set I of planes that are fooled and a set F of planes that may be, both
/// determined by the path to the node. Either its planes are refuted together. Or some planes of F
/// are barred, and then the rest weighs too little (no children), or the children cover every set
/// that weighs enough. Or the moves are split into cases, by the values of an integer feature, the
/// members of a one-hot group or, in l0, by whether a feature of any value changes.
struct ProofNode {
    struct Bar {
        int plane;
        Refutation by;  ///< for I and this plane together
        double proven;  ///< the distance up to which it holds, as computed in floating point
    };
    struct Child;
    struct Case;

    bool is_refuted = false;
    Refutation refutation{};
    std::vector<Bar> bars{};
    /// Ordered: below a child, the planes of the children after it are excluded.
    std::vector<Child> children;
    std::vector<Case> cases;
    /// For cases: the integer feature, the first of the group, or the one that may change.
    int split_feature = 0;
    bool splits_change = false;  ///< in l0: the feature stays, or it changes

    void refute(const Refutation& by);
};

struct ProofNode::Child {
    int plane;
    ProofNode node;
};

struct ProofNode::Case {
    /// For a group: its members by position. Empty = the cases of an integer.
    std::vector<int> members{};
    double first = 0.0;  ///< the integers from here ...
    double last = 0.0;   ///< ... to here, which may be infinite
    ProofNode node{};
};

inline void ProofNode::refute(const Refutation& by) {
    is_refuted = true;
    refutation = by;
    bars.clear();
    children.clear();
    cases.clear();
}

}  // namespace redoubt
