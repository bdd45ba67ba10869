/// The proof that no smaller move changes the answer, put together from what was proven of boxes.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/rounding.hpp"
#include "flip/flipper.hpp"
#include "search/proof_shortener.hpp"

namespace redoubt {

namespace {

/// A proof of more nodes than this is of no use to anybody.
constexpr std::size_t kMostNodes = 200'000;
/// Digits that a charge is tried with before all are used.
constexpr int kChargeDigits[] = {3, 8, 20};

/// To so many binary digits, to nearest or up.
double with_digits(double value, int digits, bool is_up) {
    if (!(value > 0.0)) return 0.0;
    const double unit = std::ldexp(1.0, std::ilogb(value) - digits);
    return unit * (is_up ? std::ceil(value / unit) : std::round(value / unit));
}

}  // namespace

/// In a ball the search's own bound says it.
class Flipper::BallJudge final : public RefutationJudge {
public:
    explicit BallJudge(Flipper& flipper) : flipper_(flipper), radius_(flipper.flip_.lower) {}

    bool is_enough(double proven) const override { return proven >= radius_; }
    bool refutes(Refutation& by) override {
        return radius_ < HUGE_VAL && flipper_.engine_.proven_by(by.planes, by.lambda) >= radius_;
    }
    /// The radius often is what these very multipliers prove.
    bool settle(Refutation& by) override { return refutes(by); }

private:
    Flipper& flipper_;
    double radius_;
};

/// In the box of a node that is loaded.
class Flipper::BoxJudge final : public RefutationJudge {
public:
    BoxJudge(Flipper& flipper, const Node& node)
        : flipper_(flipper),
          radius_(flipper.flip_.lower),
          bound_(flipper.ensemble_, flipper.threat_.norm(), flipper.moves_.x()) {
        const double power = flipper.is_discrete_ ? flipper.sizes_.power_below(radius_)
                             : flipper.threat_.norm() == Norm::L2 ? radius_ * radius_ * (1.0 + kEps)
                                                                  : radius_;
        bound_.load(flipper.current_label_, flipper.moves_in(node), radius_, power);
    }

    bool is_enough(double proven) const override {
        return flipper_.size_with_switches(proven) >= radius_;
    }

    bool refutes(Refutation& by) override {
        to_ensemble(by);
        return is_shown(by.charge);
    }

    /// Planes that are never fooled say it by themselves; touching ones by multipliers on a grid.
    bool settle(Refutation& by) override {
        const PlaneSet& planes = flipper_.planes_;
        if (by.planes.empty()) {
            if (!flipper_.is_linf()) by.charge = 1.0;
            return false;
        }
        for (int i : by.planes) {
            if (!flipper_.proof_.is_never_fooled(i)) continue;
            by = {{i}, {1.0 / planes.scale(i)}, flipper_.no_charge()};
            return false;
        }
        drop_what_is_fooled(by);
        if (refutes(by)) return false;
        const std::optional<double> best = by.charge;
        by.charge = flipper_.no_charge();
        if (by.planes.size() == 2 && is_opposite(by.planes)) return false;
        if (flipper_.proof_.holds(by.planes, by.lambda)) {
            take_multiples(by);
        } else {
            by.charge = best;
        }
        return false;
    }

    /// Of one plane of the ensemble.
    Refutation alone(int plane) {
        Refutation by{{plane}, {1.0}, 0.0};
        planes_ = by.planes;
        lambda_ = by.lambda;
        bound_.ask(planes_, lambda_);
        if (!is_shown(by.charge)) flipper_.flip_.is_proof_doubtful = true;
        return by;
    }

private:
    void to_ensemble(const Refutation& by) {
        planes_.clear();
        lambda_.clear();
        for (std::size_t a = 0; a < by.planes.size(); ++a) {
            planes_.push_back(flipper_.planes_.index(by.planes[a]));
            lambda_.push_back(by.lambda[a] * flipper_.planes_.scale(by.planes[a]));
        }
        bound_.ask(planes_, lambda_);
    }

    bool is_shown(std::optional<double>& charge) {
        if (flipper_.is_linf()) {
            charge.reset();
            return bound_.is_shown(0.0);
        }
        const double best = planes_.empty() ? 1.0 : bound_.best_charge();
        for (int digits : kChargeDigits) {
            charge = with_digits(best, digits, flipper_.threat_.norm() == Norm::L1);
            if (bound_.is_shown(*charge)) return true;
        }
        for (double last : {best, 0.0}) {
            charge = last;
            if (bound_.is_shown(last)) return true;
        }
        charge = best;
        return false;
    }

    /// Their goals in the search are easier than the planes' own: no multiplier is needed.
    void drop_what_is_fooled(Refutation& by) const {
        for (std::size_t a = by.planes.size(); a-- > 0 && by.planes.size() > 1;) {
            if (!flipper_.proof_.is_always_fooled(by.planes[a])) continue;
            by.planes.erase(by.planes.begin() + static_cast<std::ptrdiff_t>(a));
            by.lambda.erase(by.lambda.begin() + static_cast<std::ptrdiff_t>(a));
        }
    }

    bool is_opposite(const std::vector<int>& pair) const {
        const std::vector<int>& others = flipper_.planes_.opposite(pair[0]);
        return std::find(others.begin(), others.end(), pair[1]) != others.end();
    }

    void take_multiples(Refutation& by) const {
        const PlaneSet& planes = flipper_.planes_;
        Refutation exact{{}, {}, flipper_.no_charge()};
        for (std::size_t a = 0; a < by.planes.size(); ++a) {
            const std::vector<int>& shown = flipper_.proof_.shown_planes();
            const auto at = std::find(shown.begin(), shown.end(), planes.index(by.planes[a]));
            if (at == shown.end()) continue;
            const auto place = static_cast<std::size_t>(at - shown.begin());
            exact.planes.push_back(by.planes[a]);
            exact.lambda.push_back(flipper_.proof_.shown_multiples()[place] /
                                   planes.scale(by.planes[a]));
        }
        by = std::move(exact);
    }

    Flipper& flipper_;
    double radius_;
    Refuter bound_;
    std::vector<int> planes_;
    std::vector<double> lambda_;
};

void Flipper::note_search(const Node& node, SearchResult& result) {
    BoxRecord& record = records_[static_cast<std::size_t>(node.record)];
    const double size = size_with_switches(result.proven);
    if (!(size > record.by_search)) return;
    record.by_search = size;
    record.log = std::move(result.log);
    n_recorded_ += record.log.size();
    if (space_.has_box && n_recorded_ > kMostNodes) records_.clear();
}

/// Planes that no coordinate moves are barred at the root, unless they are fooled as it is.
ProofNode Flipper::ball_proof() {
    BallJudge judge(*this);
    Amounts required = required_;
    required -= given_;
    ProofShortener shortener(judge, planes_, required.clamped());
    ProofNode tree = shortener.shorten(records_.front().log);
    flip_.is_proof_doubtful = shortener.is_doubtful();
    if (tree.is_refuted) return tree;
    for (int plane : threat_.still) {
        if (threat_.answer(plane, moves_.x()) != current_label_) continue;
        tree.bars.push_back({plane, {{plane}, {1.0}}, HUGE_VAL});
    }
    return tree;
}

std::optional<ProofNode> Flipper::box_proof() {
    ProofNode proof;
    if (!(flip_.lower > 0.0)) return proof;
    flip_.why_no_proof = records_.empty() ? kProofTooLong : kFloatingPointOnly;
    if (records_.empty() || !prove_box(records_.front(), proof)) return std::nullopt;
    flip_.why_no_proof = {};
    return proof;
}

/// False if nothing says why no smaller move of this box fools enough planes.
bool Flipper::prove_box(const BoxRecord& record, ProofNode& proof) {
    load_node(record.node);
    if (!space_.is_convex() && decided_size(record.node).ends().down >= flip_.lower) {
        proof.refute({{}, {}, is_linf() ? std::nullopt : std::optional(1.0)});
        return true;
    }
    if (record.by_search >= flip_.lower) {
        prove_by_search(record, proof);
        return true;
    }
    if (record.by_planes >= flip_.lower) {
        prove_by_planes(record.node, proof);
        return true;
    }
    if (record.is_counted) {
        prove_by_counting(proof);
        return true;
    }
    return !record.parts.empty() && prove_parts(record, proof);
}

void Flipper::prove_by_search(const BoxRecord& record, ProofNode& proof) {
    compute_margins(record.node, 1.0);
    BoxJudge judge(*this, record.node);
    Amounts required = required_;
    required -= given_;
    ProofShortener shortener(judge, planes_, required.clamped());
    proof = shortener.shorten(record.log);
    flip_.is_proof_doubtful = flip_.is_proof_doubtful || shortener.is_doubtful();
    if (proof.is_refuted) return;
    const bool has_open_group = std::any_of(record.node.member.begin(), record.node.member.end(),
                                            [](int m) { return m < 0; });
    for (int plane : threat_.still) {
        double error = 0.0;
        const Vector& start = start_of_box();
        const bool may_be_fooled = has_open_group
                                       ? margin_of(plane, record.node, start, error) - error <= 0.0
                                       : threat_.answer(plane, start) != current_label_;
        if (!may_be_fooled) proof.bars.push_back({plane, {{plane}, {1.0}, no_charge()}, HUGE_VAL});
    }
}

/// The planes that cannot be fooled alone, the heaviest first, until too little is left.
void Flipper::prove_by_planes(const Node& node, ProofNode& proof) {
    if (help_.empty()) load_help();
    compute_margins(node, 1.0);
    BoxJudge judge(*this, node);
    const Vector start = start_of_box();
    std::vector<int> order(static_cast<std::size_t>(ensemble_.n_planes()));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int i, int j) { return threat_.weight(i, 0) > threat_.weight(j, 0); });
    Amounts left = threat_.weight_of(order);
    for (int plane : order) {
        if (!left.covers(required_)) return;
        if (!(size_with_switches(least_size_of(plane, node, start)) >= flip_.lower)) continue;
        proof.bars.push_back({plane, judge.alone(plane), HUGE_VAL});
        left -= threat_.weight_of({plane});
    }
}

void Flipper::prove_by_counting(ProofNode& proof) {
    const std::vector<int> fooled = threat_.fooled(base_, current_label_);
    std::vector<int> all(static_cast<std::size_t>(ensemble_.n_planes()));
    std::iota(all.begin(), all.end(), 0);
    Amounts left = threat_.weight_of(all);
    flip_.is_proof_doubtful = true;
    for (int plane : all) {
        if (!left.covers(required_)) return;
        if (std::binary_search(fooled.begin(), fooled.end(), plane)) continue;
        proof.bars.push_back({plane, {{plane}, {1.0}, no_charge()}, HUGE_VAL});
        left -= threat_.weight_of({plane});
    }
}

bool Flipper::prove_parts(const BoxRecord& record, ProofNode& proof) {
    const Node& whole = record.node;
    for (int at : record.parts) {
        const BoxRecord& part = records_[static_cast<std::size_t>(at)];
        ProofNode::Case one;
        for (std::size_t g = 0; g < whole.member.size(); ++g) {
            if (part.node.member[g] == whole.member[g]) continue;
            proof.split_feature = moves_.group(g).features.front();
            one.members = members_at(g, part.node.member[g]);
        }
        for (std::size_t w = 0; w < integers_.size(); ++w) {
            const Span& span = part.node.spans[w];
            if (span.first == whole.spans[w].first && span.last == whole.spans[w].last) continue;
            proof.split_feature = space_.features[static_cast<std::size_t>(integers_[w])];
            one.first = span.first;
            one.last = span.last;
        }
        if (!prove_box(part, one.node)) return false;
        proof.cases.push_back(std::move(one));
    }
    std::sort(proof.cases.begin(), proof.cases.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    return true;
}

/// All members that a box with this one speaks for.
std::vector<int> Flipper::members_at(std::size_t group, int member) const {
    const std::vector<int>& stand_in = threat_.useful(current_label_, group).stand_in;
    std::vector<int> members;
    for (std::size_t m = 0; m < stand_in.size(); ++m) {
        const auto one = static_cast<int>(m);
        if (one == member || (stand_in[m] == member && m != moves_.on(group)))
            members.push_back(one);
    }
    return members;
}

MoveBox Flipper::moves_in(const Node& node) const {
    MoveBox box;
    std::size_t w = 0;
    for (Index c = 0; c < space_.size(); ++c) {
        const auto at = static_cast<std::size_t>(c);
        MoveBox::Coordinate one{space_.features[at], space_.unit[c], moves_.lo()[c],
                                moves_.hi()[c]};
        if (space_.integer_at[at] >= 0) {
            const Span& span = node.spans[w++];
            const Excess excess = excess_of(c);
            const auto end_of = [&](double integer, double side) {
                if (std::isinf(integer)) return integer;
                const double u = moves_.u_of_integer(c, integer);
                return u + side * 4.0 * kEps * std::abs(u);
            };
            one.lo = end_of(span.first, -1.0);
            one.hi = end_of(span.last, 1.0);
            one.slack = excess.size;
            one.share = excess.share;
            if (excess.share > 0.0)
                one.value_error = 8.0 * kEps * std::abs(moves_.x()[one.feature]) / one.unit;
        }
        if (one.lo != 0.0 || one.hi != 0.0) box.coordinates.push_back(one);
    }
    for (std::size_t g = 0; g < node.member.size(); ++g) {
        const OneHotGroup& group = moves_.group(g);
        MoveBox::Group one{group.features, {}};
        std::vector<int> members(group.features.size());
        std::iota(members.begin(), members.end(), 0);
        if (node.member[g] >= 0) members = members_at(g, node.member[g]);
        Vector moved = moves_.x();
        for (int m : members) {
            const auto member = static_cast<std::size_t>(m);
            if (!moves_.can_switch(g, member)) continue;
            moves_.apply_switch(g, member, moved);
            MoveBox::Member each{moves_.cost(g, member),
                                 Vector(static_cast<Index>(group.features.size()))};
            for (std::size_t i = 0; i < group.features.size(); ++i) {
                const int l = group.features[i];
                each.change[static_cast<Index>(i)] = moved[l] - moves_.x()[l];
            }
            one.members.push_back(std::move(each));
        }
        box.groups.push_back(std::move(one));
    }
    return box;
}

}  // namespace redoubt
