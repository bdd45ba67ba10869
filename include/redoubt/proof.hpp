#pragma once

/// Why no smaller move changes an answer: a tree of cases that a stranger can check in exact
/// arithmetic. docs/formats.md has the claim, the rules and the file.

#include <optional>
#include <vector>

namespace redoubt {

/// Planes that cannot be fooled together by a move within some distance, with the multipliers that
/// show it.
struct Refutation {
    std::vector<int> planes{};
    std::vector<double> lambda{};
    /// What a move pays for its size, in l1 and l2 where moves have rules: any number >= 0 shows
    /// something, and the best depends on the multipliers.
    std::optional<double> charge{};

    void set(const std::vector<int>& p, const std::vector<double>& l) {
        planes = p;
        lambda = l;
        charge.reset();
    }
};

/// A node of the tree: planes I that are fooled and planes F that may be, which follow from the way
/// to it. Either its planes are refuted together; or some planes of F are barred, and then the rest
/// weighs too little (no children), or the children cover every set that does not. Or the moves are
/// split into cases, by the values of an integer feature or the members of a one-hot group.
struct ProofNode {
    struct Bar {
        int plane;
        Refutation by;  ///< of I and this plane
        double proven;  ///< the distance up to which it holds, as floating point shows it
    };
    struct Child;
    struct Case;

    bool is_refuted = false;
    Refutation refutation{};
    std::vector<Bar> bars{};
    /// In an order: those after a child are out below it.
    std::vector<Child> children;
    std::vector<Case> cases;
    /// Of cases: the integer feature, or the first feature of the group.
    int split_feature = 0;

    void refute(const Refutation& by);
};

struct ProofNode::Child {
    int plane;
    ProofNode node;
};

struct ProofNode::Case {
    /// Of a group, by their places in it. None = these are the cases of an integer.
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
