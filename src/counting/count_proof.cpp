/// The proof that no cheaper change alters the answer, by a search of its own for the end that is
/// known.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>

#include "core/rounding.hpp"
#include "counting/cost_unit.hpp"
#include "counting/count_flipper.hpp"
#include "counting/place.hpp"
#include "flip/exact_terms.hpp"

namespace redoubt {

namespace {

/// A proof of more nodes than this is of no use to anybody.
constexpr std::int64_t kMostProofNodes = 200'000;
/// Nodes for each one that the search itself took, and at least.
constexpr std::int64_t kPerNode = 8;
constexpr std::int64_t kLeastNodes = 2'000;
/// Digits that multipliers are tried with before all are used.
constexpr int kDigits[] = {4, 12};

double with_digits(double value, int digits) {
    if (!(value > 0.0)) return 0.0;
    const double unit = std::ldexp(1.0, std::ilogb(value) - digits);
    return unit * std::round(value / unit);
}

std::vector<double> with_digits(std::vector<double> values, int digits) {
    for (double& value : values) value = with_digits(value, digits);
    return values;
}

}  // namespace

/// Depth first: the end is known, and so is every bound that is enough. The checkers follow neither
/// changes that are taken in order nor planes that are left out for what they cost.
class CountFlipper::Prover {
public:
    Prover(CountFlipper& flipper, double radius, const std::atomic<bool>* stop)
        : flipper_(flipper),
          stop_(stop),
          program_(flipper.program_),
          changes_(flipper.changes_),
          radius_(radius),
          unit_(cost_unit(flipper.planes_.model())),
          most_nodes_(std::min(kMostProofNodes, kLeastNodes + kPerNode * flipper.n_nodes_)) {
        flipper_.cutoff_ = flipper_.upper_ = radius;
        std::fill(flipper_.alone_.begin(), flipper_.alone_.end(), 0.0);
        if (!(unit_ > 0.0) || radius == HUGE_VAL) return;
        n_units_ = std::round(radius / unit_) + 1.0;
        while (std::fma(n_units_, unit_, -radius) >= 0.0) n_units_ -= 1.0;
    }

    bool prove(ProofNode& proof) {
        Node root;
        root.is_out.assign(flipper_.alone_.size(), 0);
        return prove_node(root, proof);
    }
    bool is_too_long() const { return n_nodes_ > most_nodes_; }
    /// Doubles could not tell, or moves were split.
    bool is_doubtful() const { return is_doubtful_; }

private:
    struct Span {
        double first;
        double last;
    };

    /// Takes all nodes that are left, so that no further one is opened.
    void hear_stop() {
        if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) n_nodes_ = most_nodes_;
    }
    bool prove_node(Node& node, ProofNode& proof);
    bool prove_planes(Node& node, ProofNode& proof);
    bool prove_changes(Node& node, ProofNode& proof);
    bool split(Node& node, int column, ProofNode& proof);
    bool split_group(Node& node, int column, ProofNode& proof);
    bool split_range(Node& node, int column, ProofNode& proof);
    bool split_integer(Node& node, int column, ProofNode& proof);
    Span span_of(const Change& change) const;
    std::vector<int> open_planes(const Node& node) const;

    bool refute_by_program(const Node& node, const std::vector<int>& planes, Refutation& by);
    bool refute_alone(const Node& node, int plane, Refutation& by);
    bool take(const Node& node, const std::vector<int>& planes, const std::vector<double>& lambda,
              double charge, Refutation& by);
    bool shows(const Node& node, const Refutation& by);
    bool shows_exactly(const Refutation& by, const std::vector<Chosen>& chosen,
                       const std::vector<double>& costs);
    /// What sizes below the radius are at most.
    double budget() const { return n_units_ >= 0.0 ? n_units_ * unit_ : radius_; }

    CountFlipper& flipper_;
    const std::atomic<bool>* stop_;
    CoverProgram& program_;
    PointChanges& changes_;
    double radius_;
    double unit_;
    double n_units_ = -1.0;  ///< sizes below the radius are at most so many, if there is a unit
    std::int64_t most_nodes_;
    std::int64_t n_nodes_ = 0;
    bool is_doubtful_ = false;
    std::map<int, Span> spans_{};  ///< of integers that were split
    std::vector<double> products_;
};

/// The last multipliers of the program, of few digits if those are enough.
bool CountFlipper::Prover::refute_by_program(const Node& node, const std::vector<int>& planes,
                                             Refutation& by) {
    const std::vector<double> lambda = program_.multipliers();
    const double charge = program_.bound() < HUGE_VAL ? 1.0 : 0.0;
    if (std::none_of(lambda.begin(), lambda.end(), [](double each) { return each > 0.0; }))
        return false;
    for (int digits : kDigits) {
        if (take(node, planes, with_digits(lambda, digits), charge, by)) return true;
    }
    if (take(node, planes, lambda, charge, by)) return true;
    // On a grid, ratios of small integers meet the end itself.
    std::vector<int> places;
    std::vector<double> shares;
    for (std::size_t i = 0; i < lambda.size(); ++i) {
        if (!(lambda[i] > 1e-9)) continue;
        places.push_back(planes[i]);
        shares.push_back(lambda[i]);
    }
    if (shares.empty()) return false;
    if (charge > 0.0) shares.push_back(charge);
    std::vector<double> multiples = integer_multiples(shares);
    if (multiples.empty()) return false;
    const double whole_charge = charge > 0.0 ? multiples.back() : 0.0;
    multiples.resize(places.size());
    return take(node, places, multiples, whole_charge, by);
}

/// The changes that gain the plane most per cost are the best: the first that cannot be paid in
/// full says what a charge must be.
bool CountFlipper::Prover::refute_alone(const Node& node, int plane, Refutation& by) {
    if (take(node, {plane}, {1.0}, 0.0, by)) return true;
    std::vector<std::pair<double, double>> rates;
    for (int c = 0; c < changes_.n_changes(); ++c) {
        const double gain = program_.gains(c)[plane];
        if (flipper_.is_decided(c) || !(gain > 0.0)) continue;
        rates.emplace_back(gain / changes_.change(c).cost, changes_.change(c).cost);
    }
    std::sort(rates.begin(), rates.end(), std::greater<>());
    double left = budget() - flipper_.paid_;
    for (const auto& [rate, cost] : rates) {
        left -= cost;
        if (left < -1e-9 * cost) return take(node, {plane}, {1.0}, rate, by);
    }
    return false;
}

bool CountFlipper::Prover::take(const Node& node, const std::vector<int>& planes,
                                const std::vector<double>& lambda, double charge, Refutation& by) {
    by.planes.clear();
    by.lambda.clear();
    for (std::size_t i = 0; i < planes.size(); ++i) {
        if (!(lambda[i] > 0.0)) continue;
        by.planes.push_back(planes[i]);
        by.lambda.push_back(lambda[i]);
    }
    by.charge.reset();
    if (charge > 0.0) by.charge = charge;
    return !by.planes.empty() && shows(node, by);
}

/// The rule of the checkers, in the node that is loaded: in doubles where they can tell.
bool CountFlipper::Prover::shows(const Node& node, const Refutation& by) {
    const double charge = by.charge.value_or(0.0);
    double sum = 0.0;
    for (double each : by.lambda) sum += each;
    while (changes_.worth_beyond() * sum * (1.0 + 64.0 * kEps) > charge) {
        if (!flipper_.extend()) break;
    }
    double rest = charge > 0.0 ? -charge * (budget() - flipper_.paid_) : 0.0;
    double sizes = std::abs(rest) + charge * flipper_.paid_;
    products_.assign(to_size(program_.n_columns()), 0.0);
    for (std::size_t i = 0; i < by.planes.size(); ++i) {
        const auto plane = to_size(by.planes[i]);
        rest += by.lambda[i] * changes_.margins()[plane];
        sizes += by.lambda[i] * (changes_.magnitudes()[plane] + program_.magnitude(by.planes[i]));
        const std::vector<double>& gains = program_.gains_of_plane(by.planes[i]);
        for (std::size_t c = 0; c < products_.size(); ++c) products_[c] += by.lambda[i] * gains[c];
    }
    std::vector<Chosen> chosen;
    std::vector<double> costs;
    for (const Decision& each : node.decisions) {
        if (!each.happens) continue;
        const double product = products_[to_size(each.column)];
        const double share = product > 0.0 ? each.most : each.least;
        rest -= product * share;
        sizes += std::abs(product);
        if (share > 0.0) chosen.push_back({each.column, share});
        if (each.is_paid) costs.push_back(changes_.change(each.column).cost);
    }
    int best = -1;
    double most = 0.0;
    for (int c = 0; c <= program_.n_columns(); ++c) {
        const bool is_end = c == program_.n_columns();
        if (best >= 0 && (is_end || changes_.change(c).lever != changes_.change(best).lever)) {
            rest -= most;
            sizes += most + charge * changes_.change(best).cost;
            chosen.push_back({best, 1.0});
            costs.push_back(changes_.change(best).cost);
            best = -1;
            most = 0.0;
        }
        if (is_end || flipper_.is_decided(c)) continue;
        const double gain = products_[to_size(c)] - charge * changes_.change(c).cost;
        if (!(gain > most)) continue;
        best = c;
        most = gain;
    }
    const double n_terms = static_cast<double>(program_.n_columns()) + 64.0 +
                           static_cast<double>(changes_.n_entries() + by.planes.size());
    const double error = 4.0 * n_terms * kEps * sizes;
    if (std::abs(rest) > error) return rest > 0.0;
    return radius_ < HUGE_VAL || charge == 0.0 ? shows_exactly(by, chosen, costs) : false;
}

/// `chosen` gain most. Equality is enough where planes must be passed, or no sum of costs is so
/// large.
bool CountFlipper::Prover::shows_exactly(const Refutation& by, const std::vector<Chosen>& chosen,
                                         const std::vector<double>& costs) {
    std::vector<PointChanges::Product> products;
    const double charge = by.charge.value_or(0.0);
    const bool is_counted = n_units_ >= 0.0;
    if (charge > 0.0) {
        products.push_back({-charge, is_counted ? n_units_ : radius_, is_counted ? unit_ : 1.0});
        for (double cost : costs) products.push_back({charge, cost, 1.0});
    }
    const auto sign = changes_.sign_of_sum(by.planes, by.lambda, chosen, products);
    const bool is_strict = flipper_.label_ > 0 || (charge > 0.0 && !is_counted);
    is_doubtful_ = true;
    return sign && (*sign > 0 || (*sign == 0 && is_strict));
}

std::vector<int> CountFlipper::Prover::open_planes(const Node& node) const {
    std::vector<int> open;
    for (int i = 0; i < static_cast<int>(node.is_out.size()); ++i) {
        const bool is_in =
            std::find(node.planes.begin(), node.planes.end(), i) != node.planes.end();
        if (!is_in && node.is_out[to_size(i)] == 0) open.push_back(i);
    }
    return open;
}

bool CountFlipper::Prover::prove_node(Node& node, ProofNode& proof) {
    hear_stop();
    if (++n_nodes_ > most_nodes_) return false;
    flipper_.load(node);
    const bool is_counted = n_units_ >= 0.0;
    if (is_counted ? budget() < flipper_.paid_ : radius_ <= flipper_.paid_) {
        // What happens costs more than that.
        proof.refute({{}, {}, 1.0});
        return true;
    }
    if (!node.planes.empty()) {
        flipper_.bound(node.planes, node.basis);
        Refutation by;
        if (refute_by_program(node, node.planes, by)) {
            proof.refute(by);
            return true;
        }
    }
    const bool are_enough = flipper_.weight(node.planes) >= flipper_.required_;
    return are_enough ? prove_changes(node, proof) : prove_planes(node, proof);
}

/// Bars what can be barred, and goes on with the sets that are left.
bool CountFlipper::Prover::prove_planes(Node& node, ProofNode& proof) {
    Index left = flipper_.weight(node.planes) + flipper_.weight(open_planes(node));
    for (int plane : open_planes(node)) {
        if (left < flipper_.required_) return true;
        std::vector<int> planes = node.planes;
        planes.push_back(plane);
        CoverBasis basis = node.basis;
        flipper_.bound(planes, basis);
        Refutation by;
        if (!refute_by_program(node, planes, by)) continue;
        proof.bars.push_back({plane, by, HUGE_VAL});
        node.is_out[to_size(plane)] = 1;
        left -= flipper_.weight({plane});
    }
    if (left < flipper_.required_) return true;
    flipper_.bound(node.planes, node.basis);
    const std::vector<Further> others = flipper_.further_planes(node);
    Index reached = flipper_.weight(node.planes);
    for (std::size_t i = 0; i < others.size(); ++i) {
        reached += flipper_.weight({others[i].plane});
        if (reached < flipper_.required_) continue;
        Node child = node;
        child.planes.push_back(others[i].plane);
        for (std::size_t j = i + 1; j < others.size(); ++j)
            child.is_out[to_size(others[j].plane)] = 1;
        proof.children.push_back({others[i].plane, {}});
        if (!prove_node(child, proof.children.back().node)) return false;
    }
    return true;
}

/// The planes are enough: only changes are left to decide.
bool CountFlipper::Prover::prove_changes(Node& node, ProofNode& proof) {
    Refutation by;
    for (int plane : node.planes) {
        if (!refute_alone(node, plane, by)) continue;
        proof.refute(by);
        return true;
    }
    std::vector<int> planes;
    std::vector<double> multiples;
    if (flipper_.find_multiples(node, planes, multiples) &&
        take(node, planes, multiples, 0.0, by)) {
        proof.refute(by);
        return true;
    }
    flipper_.bound(node.planes, node.basis);
    int column = flipper_.broken_change(node);
    if (column < 0) column = flipper_.undecided_change(node);
    return column >= 0 && split(node, column, proof);
}

bool CountFlipper::Prover::split(Node& node, int column, ProofNode& proof) {
    const Change& change = changes_.change(column);
    is_doubtful_ = true;
    if (change.n_steps > 0.0) return split_integer(node, column, proof);
    if (flipper_.is_decided(column)) return false;
    return change.group >= 0 ? split_group(node, column, proof) : split_range(node, column, proof);
}

/// The group switches to this member, or to none or another.
bool CountFlipper::Prover::split_group(Node& node, int column, ProofNode& proof) {
    const Change& change = changes_.change(column);
    const int at = flipper_.planes_.space().groups[to_size(change.group)];
    const OneHotGroup& group = flipper_.planes_.model().one_hot[to_size(at)];
    proof.split_feature = group.features.front();
    Node with = flipper_.where_it_happens(node, column);
    Node without = node;
    without.decisions.push_back({column, false});
    proof.cases.resize(2);
    for (int m = 0; m < static_cast<int>(group.features.size()); ++m)
        proof.cases[m == change.member ? 1 : 0].members.push_back(m);
    return prove_node(with, proof.cases[1].node) && prove_node(without, proof.cases[0].node);
}

/// The feature stays, or it changes, either way and as far as it may.
bool CountFlipper::Prover::split_range(Node& node, int column, ProofNode& proof) {
    Node stays = node;
    Node changes = node;
    bool is_paid = true;
    for (int c = 0; c < changes_.n_changes(); ++c) {
        if (changes_.change(c).lever != changes_.change(column).lever) continue;
        stays.decisions.push_back({c, false});
        changes.decisions.push_back({c, true, 0.0, 1.0, is_paid});
        is_paid = false;
    }
    proof.splits_change = true;
    proof.split_feature = changes_.change(column).feature;
    proof.cases.resize(2);
    return prove_node(stays, proof.cases[0].node) && prove_node(changes, proof.cases[1].node);
}

/// Where the feature may stand, as the checkers see it before any split.
CountFlipper::Prover::Span CountFlipper::Prover::span_of(const Change& change) const {
    if (const auto known = spans_.find(change.feature); known != spans_.end()) return known->second;
    const CountedPlanes& planes = flipper_.planes_;
    const IntegerFeature& one = planes.model().integers[to_size(planes.integer_of(change.feature))];
    const double x = changes_.value_of(change.feature);
    Span span{one.nearest(x), one.nearest(x)};
    const FeatureEnds ends = planes.ends(change.feature, x);
    for (int e = 0; e < ends.n; ++e) {
        const double end = one.nearest(ends.ends[to_size(e)].value);
        span = {std::min(span.first, end), std::max(span.last, end)};
    }
    return span;
}

bool CountFlipper::Prover::split_integer(Node& node, int column, ProofNode& proof) {
    const Change& change = changes_.change(column);
    const CountedPlanes& planes = flipper_.planes_;
    const double now = planes.model().integers[to_size(planes.integer_of(change.feature))].nearest(
        changes_.value_of(change.feature));
    const bool is_up = change.step > 0.0;
    const Span whole = span_of(change);
    Node near = node;
    Node far = node;
    double steps = 0.0;  // that the near part takes at most
    const auto decided = std::find_if(node.decisions.begin(), node.decisions.end(),
                                      [&](const Decision& each) { return each.column == column; });
    if (decided == node.decisions.end()) {
        near.decisions.push_back({column, false});
        far = flipper_.where_it_happens(node, column);
    } else {
        const auto at = to_size(decided - node.decisions.begin());
        steps = flipper_.integers_below(*decided);
        if (!(steps >= 1.0)) return false;
        near.decisions[at].most = steps / change.n_steps;
        far.decisions[at].least = (steps + 1.0) / change.n_steps;
    }
    proof.split_feature = change.feature;
    proof.cases.resize(2);
    const double border = is_up ? now + steps : now - steps;
    const Span low{whole.first, is_up ? border : border - 1.0};
    const Span high{is_up ? border + 1.0 : border, whole.last};
    const auto prove_part = [&](Node& part, Span span, ProofNode::Case& one) {
        one.first = span.first;
        one.last = span.last;
        spans_[change.feature] = span;
        return prove_node(part, one.node);
    };
    const bool is_proven = prove_part(is_up ? near : far, low, proof.cases[0]) &&
                           prove_part(is_up ? far : near, high, proof.cases[1]);
    spans_[change.feature] = whole;
    return is_proven;
}

void CountFlipper::prove(Flip& flip, const std::atomic<bool>* stop) {
    flip.proof.emplace();
    if (!(flip.lower > 0.0)) return;
    Prover prover(*this, flip.lower, stop);
    const bool is_proven = prover.prove(*flip.proof);
    flip.is_proof_doubtful = prover.is_doubtful();
    if (is_proven) return;
    flip.proof.reset();
    flip.why_no_proof = prover.is_too_long() ? kProofTooLong : kFloatingPointOnly;
}

}  // namespace redoubt
