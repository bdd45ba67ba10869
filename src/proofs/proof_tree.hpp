#pragma once

#include "io/json_field.hpp"
#include "proofs/vote.hpp"

#include <vector>

namespace redoubt::proofs {

/// Follows the tree of one proof. Throws Refusal where it fails, ParseError where it is not a
/// proof.
class ProofTree {
public:
    explicit ProofTree(const Claim& claim);

    void check(const io::JsonField& root);

private:
    void check_node(const io::JsonField& node, int depth);
    void check_cases(const io::JsonField& node, int depth);
    void check_members(const io::JsonField& node, const io::JsonField& cases, int depth);
    void check_range(const io::JsonField& node, const io::JsonField& cases, int depth);
    void check_integers(const io::JsonField& node, const io::JsonField& cases, int depth);
    void refute(const io::JsonField& by, std::size_t first, const std::vector<int>& planes);
    void check_children(const io::JsonField& node, int depth);
    int plane_of(const io::JsonField& field, const std::vector<char>& allowed) const;
    bool is_open() const;

    const Claim& claim_;
    std::vector<int> members_{};  ///< the one that was chosen last comes first
    std::vector<char> is_member_;
    std::vector<char> is_free_;
    Box box_;
};

}  // namespace redoubt::proofs
