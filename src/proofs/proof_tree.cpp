#include "proofs/proof_tree.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "proofs/refusal.hpp"
#include "redoubt/error.hpp"

namespace redoubt::proofs {

namespace {

constexpr int kMaxDepth = 2000;

}  // namespace

ProofTree::ProofTree(const Claim& claim)
    : claim_(claim),
      is_member_(claim.vote().weights.size(), 0),
      is_free_(is_member_.size(), 1),
      box_(claim.moves().box()) {}

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

/// A list of planes, multipliers and perhaps a charge, which begins at entry `first`.
void ProofTree::refute(const io::JsonField& by, std::size_t first) {
    const std::size_t size = by.n_entries();
    if (size < first + 2 || size > first + 3) by.fail("planes and multipliers");
    const io::JsonField planes = by.entry(first);
    const io::JsonField multipliers = by.entry(first + 1);
    const std::size_t n = planes.n_entries();
    if (multipliers.n_entries() != n) multipliers.fail("a multiplier for each plane");
    if (n == 0 && !claim_.vote().rules.are_any)
        throw Refusal(planes.place() + ": expected at least one plane");
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
    std::optional<double> charge;
    if (size == first + 3) {
        charge = exact_value(by.entry(first + 2));
        if (*charge < 0.0 || !claim_.moves().may_charge())
            by.entry(first + 2).fail("no such charge");
    }
    if (!claim_.refutes(list, lambda, charge, box_)) {
        throw Refusal(multipliers.place() + ": the multipliers prove less than the radius");
    }
}

void ProofTree::check_cases(const io::JsonField& node, int depth) {
    const io::JsonField cases = node.at("cases");
    if (!node.at("refuted").is_missing() || !node.at("barred").is_missing() ||
        !node.at("children").is_missing() ||
        node.at("group").is_missing() == node.at("integer").is_missing())
        cases.fail("a group or an integer beside it, and nothing else");
    if (node.at("integer").is_missing()) {
        check_members(node.at("group"), cases, depth);
    } else {
        check_integers(node.at("integer"), cases, depth);
    }
}

void ProofTree::check_members(const io::JsonField& place, const io::JsonField& cases, int depth) {
    const auto feature = static_cast<int>(place.count(INT32_MAX));
    const GroupRule* group = claim_.moves().group_at(feature);
    if (group == nullptr) throw Refusal(place.place() + ": no group " + std::to_string(feature));
    const std::vector<int> members = box_.members.at(feature);
    std::vector<std::vector<int>> parts;
    std::set<int> covered;
    for (std::size_t i = 0; i < cases.n_entries(); ++i) {
        const io::JsonField one = cases.entry(i);
        if (one.n_entries() != 2) one.fail("members and a node");
        parts.emplace_back();
        for (std::size_t m = 0; m < one.entry(0).n_entries(); ++m) {
            const auto member = static_cast<int>(one.entry(0).entry(m).count(INT32_MAX));
            if (std::find(members.begin(), members.end(), member) == members.end()) continue;
            parts.back().push_back(member);
            covered.insert(member);
        }
    }
    for (int member : members) {
        if (!covered.contains(member) && claim_.moves().can_switch(*group, member))
            throw Refusal(cases.place() + ": the cases are not all");
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        box_.members[feature] = parts[i];
        check_node(cases.entry(i).entry(1), depth + 1);
    }
    box_.members[feature] = members;
}

void ProofTree::check_integers(const io::JsonField& place, const io::JsonField& cases, int depth) {
    const auto feature = static_cast<int>(place.count(INT32_MAX));
    if (claim_.moves().integer_at(feature) == nullptr)
        throw Refusal(place.place() + ": no integer " + std::to_string(feature));
    const Box::Span whole = box_.spans.at(feature);
    const auto end_of = [](const io::JsonField& field, double infinite) {
        if (!field.is_null() && !field.is_integer()) field.fail("an integer or null");
        return field.is_null() ? infinite : static_cast<double>(field.integer());
    };
    std::vector<Box::Span> spans;
    double next = whole.first;
    for (std::size_t i = 0; i < cases.n_entries(); ++i) {
        const io::JsonField one = cases.entry(i);
        if (one.n_entries() != 3) one.fail("two integers and a node");
        spans.push_back({end_of(one.entry(0), -HUGE_VAL), end_of(one.entry(1), HUGE_VAL)});
        const bool is_late = spans.back().first > next;
        if (is_late || (spans.back().last == HUGE_VAL && i + 1 < cases.n_entries()))
            throw Refusal(cases.place() + ": the cases are not all");
        next = spans.back().last + 1.0;
    }
    const bool is_covered = !spans.empty() && (std::isinf(next) || next > whole.last);
    if (!is_covered) throw Refusal(cases.place() + ": the cases are not all");
    for (std::size_t i = 0; i < spans.size(); ++i) {
        box_.spans[feature] = spans[i];
        check_node(cases.entry(i).entry(2), depth + 1);
    }
    box_.spans[feature] = whole;
}

/// Leaves members and free planes as they were.
void ProofTree::check_node(const io::JsonField& node, int depth) {
    if (depth > kMaxDepth) throw Refusal("more than " + std::to_string(kMaxDepth) + " levels");
    node.expect_fields({"refuted", "barred", "children", "group", "integer", "cases"});
    if (!node.at("cases").is_missing()) return check_cases(node, depth);
    const io::JsonField refuted = node.at("refuted");
    const io::JsonField barred = node.at("barred");
    const io::JsonField children = node.at("children");
    if (!refuted.is_missing()) {
        if (!barred.is_missing() || !children.is_missing()) refuted.fail("nothing beside it");
        refute(refuted, 0);
        return;
    }
    const std::vector<char> free_before = is_free_;
    for (std::size_t i = 0; !barred.is_missing() && i < barred.n_entries(); ++i) {
        const io::JsonField bar = barred.entry(i);
        if (bar.n_entries() == 0) bar.fail("a plane, planes and multipliers");
        const auto plane = static_cast<std::size_t>(plane_of(bar.entry(0), is_free_));
        is_member_[plane] = 1;
        refute(bar, 1);
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
