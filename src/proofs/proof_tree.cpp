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
      is_free_(is_member_.size()),
      box_(claim.moves().box()) {
    for (std::size_t i = 0; i < is_free_.size(); ++i)
        is_free_[i] = claim.question().wanted[i] != 0 ? 1 : 0;
}

void ProofTree::check(const io::JsonField& root) {
    check_node(root, 0);
}

/// Do the planes that are fooled and those that may be weigh enough?
bool ProofTree::is_open() const {
    std::vector<char> planes = is_member_;
    for (std::size_t i = 0; i < planes.size(); ++i) planes[i] |= is_free_[i];
    return claim_.question().is_reached(planes);
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

/// Perhaps a charge, in a list, and multipliers of these planes, from entry `first` on.
void ProofTree::refute(const io::JsonField& by, std::size_t first, const std::vector<int>& planes) {
    const std::size_t size = by.n_entries();
    std::optional<double> charge;
    if (size > first && by.entry(first).is_list()) {
        const io::JsonField given = by.entry(first++);
        if (given.n_entries() != 1 || !claim_.moves().may_charge()) given.fail("no such charge");
        charge = exact_value(given.entry(0));
        if (*charge < 0.0) given.fail("a charge >= 0");
    }
    if (size > first + planes.size()) by.fail("at most a multiplier for each plane");
    std::vector<int> list;
    std::vector<double> lambda;
    for (std::size_t i = first; i < size; ++i) {
        const double multiplier = exact_value(by.entry(i));
        if (multiplier < 0.0) throw Refusal(by.place() + ": expected multipliers >= 0");
        if (multiplier == 0.0) continue;
        list.push_back(planes[i - first]);
        lambda.push_back(multiplier);
    }
    if (list.empty() && !claim_.vote().rules.are_any)
        throw Refusal(by.place() + ": expected at least one plane");
    if (!claim_.refutes(list, lambda, charge, box_)) {
        throw Refusal(by.place() + ": the multipliers prove less than the radius");
    }
}

void ProofTree::check_cases(const io::JsonField& node, int depth) {
    const io::JsonField cases = node.at("cases");
    int n_others = 0;
    for (const char* name : {"refuted", "group", "integer", "range"})
        n_others += node.at(name).is_missing() ? 0 : 1;
    if (!node.at("refuted").is_missing() || n_others != 1)
        cases.fail("a group, an integer or a range beside it, and nothing else");
    if (const io::JsonField integer = node.at("integer"); !integer.is_missing())
        return check_integers(integer, cases, depth);
    if (const io::JsonField range = node.at("range"); !range.is_missing())
        return check_range(range, cases, depth);
    check_members(node.at("group"), cases, depth);
}

/// Of a feature that stays, and then one that changes.
void ProofTree::check_range(const io::JsonField& place, const io::JsonField& cases, int depth) {
    const auto feature = static_cast<int>(place.count(INT32_MAX));
    if (!claim_.moves().is_range(feature))
        throw Refusal(place.place() + ": nothing to split at " + std::to_string(feature));
    if (cases.n_entries() != 2) throw Refusal(cases.place() + ": the cases are not all");
    const std::vector<int> whole = box_.members.at(feature);
    for (int i : {0, 1}) {
        const io::JsonField one = cases.entry(static_cast<std::size_t>(i));
        if (one.n_entries() != 1) one.fail("a node");
        box_.members[feature] = {i};
        check_node(one.entry(0), depth + 1);
    }
    box_.members[feature] = whole;
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
    if (node.is_list()) return check_children(node, depth);
    node.expect_fields({"refuted", "group", "integer", "range", "cases"});
    if (!node.at("cases").is_missing()) return check_cases(node, depth);
    for (const char* name : {"group", "integer", "range"}) {
        if (!node.at(name).is_missing()) node.fail("cases beside the " + std::string(name));
    }
    refute(node.at("refuted"), 0, members_);
}

/// Bars, then children.
void ProofTree::check_children(const io::JsonField& node, int depth) {
    const std::vector<char> free_before = is_free_;
    const io::JsonField barred = node.entry(0);
    for (std::size_t i = 0; i < barred.n_entries(); ++i) {
        const io::JsonField bar = barred.entry(i);
        if (bar.n_entries() == 0) bar.fail("a plane and multipliers");
        std::vector<int> planes{plane_of(bar.entry(0), is_free_)};
        is_free_[static_cast<std::size_t>(planes[0])] = 0;
        planes.insert(planes.end(), members_.begin(), members_.end());
        refute(bar, 1, planes);
    }
    if (node.n_entries() % 2 == 0) node.fail("a node for each child");
    std::vector<int> children;
    for (std::size_t i = 1; i < node.n_entries(); i += 2) {
        children.push_back(plane_of(node.entry(i), is_free_));
        is_free_[static_cast<std::size_t>(children.back())] = 0;
    }
    if (is_open()) throw Refusal(node.place() + ": planes that are not covered weigh enough");
    // The cases by the last child that is fooled.
    for (std::size_t i = 0; i < children.size(); ++i) {
        const auto plane = static_cast<std::size_t>(children[i]);
        members_.insert(members_.begin(), children[i]);
        is_member_[plane] = 1;
        check_node(node.entry(2 * i + 2), depth + 1);
        is_member_[plane] = 0;
        members_.erase(members_.begin());
        is_free_[plane] = 1;
    }
    is_free_ = free_before;
}

}  // namespace redoubt::proofs
