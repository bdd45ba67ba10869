#pragma once

#include "io/json_field.hpp"
#include "proofs/vote.hpp"

#include <stdexcept>
#include <vector>

namespace redoubt::proofs {

/// A proof that does not prove its claim; `what` says where and why.
struct Refusal : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A hexadecimal double, or an integer of at most 53 bits. Throws ParseError.
double exact_value(const io::JsonField& field);

/// Follows the tree of one proof. Throws Refusal where it fails, ParseError where it is none.
class ProofTree {
public:
    explicit ProofTree(const Claim& claim);

    void check(const io::JsonField& root);

private:
    void check_node(const io::JsonField& node, int depth);
    void refute(const io::JsonField& planes, const io::JsonField& multipliers);
    int plane_of(const io::JsonField& field, const std::vector<char>& allowed) const;
    std::int64_t weight_of(const std::vector<char>& planes) const;

    const Claim& claim_;
    std::vector<char> is_member_;
    std::vector<char> is_free_;
};

}  // namespace redoubt::proofs
