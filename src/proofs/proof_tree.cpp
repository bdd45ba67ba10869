#include "proofs/proof_tree.hpp"

#include <charconv>
#include <cmath>

#include "redoubt/error.hpp"

namespace redoubt::proofs {

namespace {

constexpr int kMaxDepth = 2000;
constexpr std::int64_t kExactIntegers = std::int64_t{1} << 53;

}  // namespace

double exact_value(const io::JsonField& field) {
    if (field.is_integer()) {
        const std::int64_t value = field.integer();
        if (value > kExactIntegers || value < -kExactIntegers) field.fail("at most 53 bits");
        return static_cast<double>(value);
    }
    std::string_view text = field.is_text() ? std::string_view(field.text()) : std::string_view();
    const bool is_negative = text.starts_with('-');
    if (is_negative) text.remove_prefix(1);
    double value = 0.0;
    if (text.starts_with("0x")) {
        text.remove_prefix(2);
        const char* const end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, value, std::chars_format::hex);
        if (error == std::errc() && rest == end && std::isfinite(value)) {
            return is_negative ? -value : value;
        }
    }
    field.fail("an integer or a hexadecimal double such as \"0x1.8p+1\"");
}

ProofTree::ProofTree(const Claim& claim)
    : claim_(claim), is_member_(claim.vote().weights.size(), 0), is_free_(is_member_.size(), 1) {}

void ProofTree::check(const io::JsonField& root) {
    check_node(root, 0);
}

std::int64_t ProofTree::weight_of(const std::vector<char>& planes) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < planes.size(); ++i) sum += planes[i] ? claim_.vote().weights[i] : 0;
    return sum;
}

int ProofTree::plane_of(const io::JsonField& field, const std::vector<char>& allowed) const {
    if (!field.is_integer()) field.fail("the number of a plane");
    const std::int64_t plane = field.integer();
    if (plane < 0 || plane >= static_cast<std::int64_t>(allowed.size()) ||
        !allowed[static_cast<std::size_t>(plane)]) {
        throw Refusal(field.place() + ": expected a plane that may be fooled here, found " +
                      std::to_string(plane));
    }
    return static_cast<int>(plane);
}

void ProofTree::refute(const io::JsonField& planes, const io::JsonField& multipliers) {
    const std::size_t n = planes.n_entries();
    if (n == 0 || multipliers.n_entries() != n)
        multipliers.fail("a multiplier for each plane, at least one");
    std::vector<int> list;
    std::vector<double> lambda;
    std::vector<char> allowed = is_member_;
    for (std::size_t i = 0; i < n; ++i) {
        list.push_back(plane_of(planes.entry(i), allowed));
        allowed[static_cast<std::size_t>(list.back())] = 0;
        lambda.push_back(exact_value(multipliers.entry(i)));
        if (!(lambda.back() > 0.0))
            throw Refusal(multipliers.place() + ": expected multipliers > 0");
    }
    if (!claim_.refutes(list, lambda)) {
        throw Refusal(multipliers.place() + ": the multipliers prove less than the radius");
    }
}

/// Leaves members and free planes as they were.
void ProofTree::check_node(const io::JsonField& node, int depth) {
    if (depth > kMaxDepth) throw Refusal("more than " + std::to_string(kMaxDepth) + " levels");
    node.expect_fields({"refuted", "barred", "children"});
    const io::JsonField refuted = node.at("refuted");
    const io::JsonField barred = node.at("barred");
    const io::JsonField children = node.at("children");
    if (!refuted.is_missing()) {
        if (!barred.is_missing() || !children.is_missing())
            refuted.fail("no barred and no children beside it");
        if (refuted.n_entries() != 2) refuted.fail("planes and multipliers");
        refute(refuted.entry(0), refuted.entry(1));
        return;
    }
    const std::vector<char> free_before = is_free_;
    for (std::size_t i = 0; !barred.is_missing() && i < barred.n_entries(); ++i) {
        const io::JsonField bar = barred.entry(i);
        if (bar.n_entries() != 3) bar.fail("a plane, planes and multipliers");
        const auto plane = static_cast<std::size_t>(plane_of(bar.entry(0), is_free_));
        is_member_[plane] = 1;
        refute(bar.entry(1), bar.entry(2));
        is_member_[plane] = 0;
        is_free_[plane] = 0;
    }
    std::vector<std::size_t> planes;
    for (std::size_t i = 0; !children.is_missing() && i < children.n_entries(); ++i) {
        const io::JsonField child = children.entry(i);
        if (child.n_entries() != 2) child.fail("a plane and a node");
        planes.push_back(static_cast<std::size_t>(plane_of(child.entry(0), is_free_)));
        is_free_[planes.back()] = 0;
    }
    if (weight_of(is_member_) + weight_of(is_free_) >= claim_.need()) {
        throw Refusal(node.place() + ": planes that are not covered weigh enough");
    }
    // The cases by the last child that is fooled.
    for (std::size_t i = 0; i < planes.size(); ++i) {
        is_member_[planes[i]] = 1;
        check_node(children.entry(i).entry(1), depth + 1);
        is_member_[planes[i]] = 0;
        is_free_[planes[i]] = 1;
    }
    is_free_ = free_before;
}

}  // namespace redoubt::proofs
