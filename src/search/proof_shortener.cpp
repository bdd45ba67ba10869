#include "search/proof_shortener.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

namespace redoubt {

namespace {

/// Digits that multipliers are tried with; in vain, they stay as they are.
constexpr int kDigits[] = {3, 5, 8, 12, 18, 26, 36, 50};

}  // namespace

ProofShortener::ProofShortener(RefutationJudge& judge, const PlaneSet& planes,
                               Index required_weight)
    : judge_(judge),
      planes_(planes),
      required_weight_(required_weight),
      is_member_(static_cast<std::size_t>(planes.n_planes()), 0),
      is_free_(is_member_.size(), 1) {}

ProofNode ProofShortener::shorten(const ProofNode& root) {
    ProofNode node = shorten(root, 0);
    use_ensemble(node);
    return node;
}

Index ProofShortener::free_weight() const {
    Index sum = 0;
    for (std::size_t i = 0; i < is_free_.size(); ++i) {
        if (is_free_[i]) sum += weight(static_cast<int>(i));
    }
    return sum;
}

bool ProofShortener::is_of_members(const Refutation& by) const {
    return std::all_of(by.planes.begin(), by.planes.end(),
                       [&](int i) { return is_member_[static_cast<std::size_t>(i)]; });
}

/// Takes a plane out; or refutes the whole node, and returns true, if the plane has no part in it.
bool ProofShortener::bar(ProofNode& node, int plane, Refutation by, Index& possible) {
    if (is_of_members(by)) {
        node.refute(by);
        return true;
    }
    is_free_[static_cast<std::size_t>(plane)] = 0;
    possible -= weight(plane);
    node.bars.push_back({plane, std::move(by), HUGE_VAL});
    return false;
}

/// Leaves is_free_ and is_member_ as they were. `fooled` is the weight of the members.
ProofNode ProofShortener::shorten(const ProofNode& node, Index fooled) {
    ProofNode result;
    Index possible = fooled + free_weight();
    if (possible < required_weight_) return result;
    if (node.is_refuted) {
        result.refute(few_digits(node.refutation));
        return result;
    }
    const std::vector<char> free_before = is_free_;
    const auto leave = [&] { is_free_ = free_before; };
    std::vector<const ProofNode::Bar*> bars;
    for (const ProofNode::Bar& one : node.bars) {
        if (judge_.is_enough(one.proven)) bars.push_back(&one);
    }
    std::stable_sort(bars.begin(), bars.end(), [&](auto* a, auto* b) {
        return std::pair(-weight(a->plane), a->by.planes.size()) <
               std::pair(-weight(b->plane), b->by.planes.size());
    });
    for (const ProofNode::Bar* one : bars) {
        if (!is_free_[static_cast<std::size_t>(one->plane)]) continue;
        if (bar(result, one->plane, few_digits(one->by), possible) || possible < required_weight_) {
            leave();
            return result;
        }
    }
    for (std::size_t t = 0; t < node.children.size(); ++t) {
        const int plane = node.children[t].plane;
        const auto at = static_cast<std::size_t>(plane);
        if (!is_free_[at]) continue;
        const std::vector<char> free_here = is_free_;
        for (std::size_t later = t; later < node.children.size(); ++later) {
            is_free_[static_cast<std::size_t>(node.children[later].plane)] = 0;
        }
        is_member_[at] = 1;
        ProofNode child = shorten(node.children[t].node, fooled + weight(plane));
        is_member_[at] = 0;
        is_free_ = free_here;
        if (!child.is_refuted) {
            // One that weighs too little by itself covers nothing that the count does not.
            result.children.push_back({plane, std::move(child)});
        } else if (bar(result, plane, std::move(child.refutation), possible)) {
            leave();
            return result;
        }
    }
    leave();
    return result;
}

/// Multipliers of the planes' coefficients as integers of few digits, if they still prove the
/// radius.
Refutation ProofShortener::few_digits(const Refutation& by) {
    Refutation result;
    double greatest = 0.0;
    std::vector<double> raw;
    for (std::size_t i = 0; i < by.planes.size(); ++i) {
        if (!(by.lambda[i] > 0.0)) continue;
        result.planes.push_back(by.planes[i]);
        result.lambda.push_back(by.lambda[i]);
        raw.push_back(by.lambda[i] * planes_.scale(by.planes[i]));
        greatest = std::max(greatest, raw.back());
    }
    if (!std::isfinite(greatest)) return result;
    for (int digits : kDigits) {
        Refutation trial;
        std::int64_t divisor = 0;
        for (std::size_t i = 0; i < raw.size(); ++i) {
            const double rounded = std::round(std::ldexp(raw[i] / greatest, digits));
            if (rounded == 0.0) continue;
            divisor = std::gcd(divisor, static_cast<std::int64_t>(rounded));
            trial.planes.push_back(result.planes[i]);
            trial.lambda.push_back(rounded);
        }
        for (std::size_t i = 0; i < trial.planes.size(); ++i) {
            trial.lambda[i] /= static_cast<double>(divisor) * planes_.scale(trial.planes[i]);
        }
        if (judge_.refutes(trial)) return trial;
    }
    judge_.settle(result);
    return result;
}

void ProofShortener::use_ensemble(Refutation& by) const {
    for (std::size_t i = 0; i < by.planes.size(); ++i) {
        by.lambda[i] *= planes_.scale(by.planes[i]);
        by.planes[i] = planes_.index(by.planes[i]);
    }
}

void ProofShortener::use_ensemble(ProofNode& node) const {
    use_ensemble(node.refutation);
    for (ProofNode::Bar& one : node.bars) {
        one.plane = planes_.index(one.plane);
        use_ensemble(one.by);
    }
    for (ProofNode::Child& child : node.children) {
        child.plane = planes_.index(child.plane);
        use_ensemble(child.node);
    }
}

}  // namespace redoubt
