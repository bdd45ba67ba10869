#include "search/proof_shortener.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

namespace redoubt {

namespace {

/// Digits that multipliers are tried with; in vain, they stay as they are.
constexpr int kDigits[] = {1, 3, 5, 8, 12, 18, 26, 36, 50};

}  // namespace

ProofShortener::ProofShortener(RefutationJudge& judge, const PlaneSet& planes, Amounts required)
    : judge_(judge),
      planes_(planes),
      required_(std::move(required)),
      is_member_(static_cast<std::size_t>(planes.n_planes()), 0),
      is_free_(is_member_.size(), 1) {}

ProofNode ProofShortener::shorten(const SearchLog& log) {
    log_ = &log;
    Amounts none;
    none.reset(planes_.n_counts());
    ProofNode node = log.empty() ? ProofNode{} : shorten(0, none);
    use_ensemble(node);
    return node;
}

Index ProofShortener::weight(int plane) const {
    Index sum = 0;
    for (std::size_t r = 0; r < planes_.n_counts(); ++r) sum += planes_.weight(plane, r);
    return sum;
}

Amounts ProofShortener::with_free(const Amounts& fooled) const {
    Amounts sum = fooled;
    for (std::size_t i = 0; i < is_free_.size(); ++i) {
        if (is_free_[i]) planes_.add_weight(static_cast<Index>(i), sum);
    }
    return sum;
}

bool ProofShortener::is_of_members(const Refutation& by) const {
    return std::all_of(by.planes.begin(), by.planes.end(),
                       [&](int i) { return is_member_[static_cast<std::size_t>(i)]; });
}

/// Takes a plane out; or refutes the whole node, and returns true, if the plane has no part in it.
bool ProofShortener::bar(ProofNode& node, int plane, Refutation by, Amounts& possible) {
    if (is_of_members(by)) {
        node.refute(by);
        return true;
    }
    is_free_[static_cast<std::size_t>(plane)] = 0;
    for (std::size_t r = 0; r < possible.size(); ++r) possible[r] -= planes_.weight(plane, r);
    node.bars.push_back({plane, std::move(by), HUGE_VAL});
    return false;
}

/// Leaves is_free_ and is_member_ as they were. `fooled` is the weight of the
/// members.
ProofNode ProofShortener::shorten(int at, const Amounts& fooled) {
    const SearchLog::Node& node = log_->node(at);
    ProofNode result;
    Amounts possible = with_free(fooled);
    if (!possible.covers(required_)) return result;
    if (node.is_refuted) {
        result.refute(few_digits(node.by));
        return result;
    }
    const std::vector<char> free_before = is_free_;
    const auto leave = [&] { is_free_ = free_before; };
    std::vector<const SearchLog::Bar*> bars;
    for (int i = node.first_bar; i >= 0; i = log_->bar(i).next) {
        const SearchLog::Bar& one = log_->bar(i);
        if (judge_.is_enough(one.proven)) bars.push_back(&one);
    }
    std::stable_sort(bars.begin(), bars.end(), [&](auto* a, auto* b) {
        return std::pair(-weight(a->plane), a->by.size) < std::pair(-weight(b->plane), b->by.size);
    });
    for (const SearchLog::Bar* one : bars) {
        if (!is_free_[static_cast<std::size_t>(one->plane)]) continue;
        if (bar(result, one->plane, few_digits(one->by), possible) || !possible.covers(required_)) {
            leave();
            return result;
        }
    }
    for (int each = node.first_child; each >= 0; each = log_->node(each).next) {
        const int plane = log_->node(each).plane;
        if (!is_free_[static_cast<std::size_t>(plane)]) continue;
        const std::vector<char> free_here = is_free_;
        for (int later = each; later >= 0; later = log_->node(later).next)
            is_free_[static_cast<std::size_t>(log_->node(later).plane)] = 0;
        is_member_[static_cast<std::size_t>(plane)] = 1;
        Amounts more = fooled;
        planes_.add_weight(plane, more);
        ProofNode child = shorten(each, more);
        is_member_[static_cast<std::size_t>(plane)] = 0;
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

/// Multipliers of the planes' coefficients as integers of few digits, if they
/// still prove the radius.
Refutation ProofShortener::few_digits(SearchLog::By by) {
    const int* const planes = log_->planes(by);
    const double* const lambda = log_->lambda(by);
    Refutation result;
    double greatest = 0.0;
    std::vector<double> raw;
    for (std::uint32_t i = 0; i < by.size; ++i) {
        if (!(lambda[i] > 0.0)) continue;
        result.planes.push_back(planes[i]);
        result.lambda.push_back(lambda[i]);
        raw.push_back(lambda[i] * planes_.scale(planes[i]));
        greatest = std::max(greatest, raw.back());
    }
    if (!std::isfinite(greatest)) {
        is_doubtful_ = true;
        return result;
    }
    Refutation trial;
    for (int digits : kDigits) {
        trial.planes.clear();
        trial.lambda.clear();
        trial.charge.reset();
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
    if (!judge_.settle(result)) is_doubtful_ = true;
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
