#include "flip/flipper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/rounding.hpp"

namespace redoubt {

namespace {

/// A witness that lost its effect to rounding is sought again this much further past the planes...
constexpr double kSlackGrowth = 64.0;
/// ... this often.
constexpr int kMaxAttempts = 5;
/// Boxes of one point; beyond that the bracket is left as it is.
constexpr std::int64_t kMaxBoxes = 100'000;
/// A bound this many times beyond the planes and no point: the planes contradict each other, which
/// rounding cannot show any better.
constexpr double kNowhere = 1e8;

}  // namespace

Flipper::Flipper(const ThreatPlanes& planes)
    : threat_(planes),
      ensemble_(planes.ensemble),
      planes_(planes.planes),
      space_(planes.space),
      engine_(planes_, space_.has_box),
      moves_(space_),
      proof_(ensemble_, planes_, moves_),
      sizes_(space_) {
    if (space_.has_box) margins_.proof = &proof_;
    for (Index c = 0; space_.has_integers && c < space_.size(); ++c) {
        if (space_.integer_at[static_cast<std::size_t>(c)] < 0) continue;
        integers_.push_back(c);
        steps_.push_back(space_.step_unit(c));
    }
}

Flip Flipper::flip_answer(const VectorRef& x, int current_label, const PointLimits& limits) {
    return fool_planes(x, current_label, weight_needed(ensemble_, current_label), HUGE_VAL, limits);
}

Flip Flipper::fool_planes(const VectorRef& x, int current_label, const Amounts& required,
                          double cutoff, const PointLimits& limits) {
    moves_.load(x);
    current_label_ = current_label;
    required_ = required;
    cutoff_ = cutoff;
    limits_ = &limits;
    flip_ = Flip{};
    lower_ = HUGE_VAL;
    widest_gap_ = 0.0;
    is_stopped_ = false;
    is_troubled_ = false;
    n_boxes_ = 0;
    n_ties_ = 0;
    floor_ = HUGE_VAL;
    records_.clear();
    n_recorded_ = 0;
    queue_.clear();
    help_.clear();
    load_sizes();
    open_root();
    while (!queue_.empty()) {
        std::pop_heap(queue_.begin(), queue_.end(), HasHigherBound{});
        Node node = std::move(queue_.back());
        queue_.pop_back();
        process(std::move(node));
    }
    flip_.lower = std::min(lower_, flip_.upper);
    if (is_shortened_) flip_.proof = space_.has_box ? box_proof() : ball_proof();
    if (flip_.d.size() == 0) flip_.fooled.clear();
    // Without a witness, half-spaces and box meet in touching points at most.
    const bool is_failed = is_open(flip_.lower) && (flip_.d.size() > 0 || is_troubled_);
    if (!is_stopped_) flip_.status = is_failed ? Status::NumericalFailure : Status::Optimal;
    return std::move(flip_);
}

void Flipper::open_root() {
    Node root;
    root.member.assign(space_.groups.size(), -1);
    for (Index c : integers_) root.spans.push_back({moves_.range(c).first, moves_.range(c).last});
    if (is_recorded_) records_.push_back({root});
    queue_.push_back(std::move(root));
}

void Flipper::push(Node node) {
    if (!records_.empty()) {
        const auto place = static_cast<int>(records_.size());
        records_[static_cast<std::size_t>(node.record)].parts.push_back(place);
        node.record = place;
        records_.push_back({node});
    }
    queue_.push_back(std::move(node));
    std::push_heap(queue_.begin(), queue_.end(), HasHigherBound{});
}

bool Flipper::is_leaf(const Node& node) const {
    return std::all_of(node.member.begin(), node.member.end(), [](int m) { return m >= 0; }) &&
           std::all_of(node.spans.begin(), node.spans.end(),
                       [](const Span& span) { return span.first == span.last; });
}

PointLimits Flipper::rest_of_limits() const {
    PointLimits rest = *limits_;
    if (rest.max_nodes < std::numeric_limits<std::int64_t>::max())
        rest.max_nodes = std::max<std::int64_t>(0, rest.max_nodes - flip_.n_nodes);
    return rest;
}

void Flipper::process(Node node) {
    if (is_stopped_ || limits_->reached(flip_.n_nodes, &flip_.status)) {
        is_stopped_ = true;
        close(node.lower);
        return;
    }
    if (is_closed(node.lower)) {
        close(node.lower);
        return;
    }
    if (++n_boxes_ > kMaxBoxes) {
        is_stopped_ = true;
        flip_.status = Status::IterationLimit;
        close(node.lower);
        return;
    }
    load_node(node);
    raise_to_decided(node, false, node.lower);
    const bool has_open_group =
        std::any_of(node.member.begin(), node.member.end(), [](int m) { return m < 0; });
    if (has_open_group && !is_closed(node.lower)) {
        const double size = size_with_switches(bound_by_planes(node));
        if (!records_.empty()) records_[static_cast<std::size_t>(node.record)].by_planes = size;
        node.lower = std::max(node.lower, size);
    }
    const bool is_spent = rest_of_size(threat_.norm(), cutoff(), price_) <= 0.0 && price_ > 0.0;
    if (is_spent || is_closed(node.lower)) {
        close(node.lower);
        return;
    }
    if (is_tie(node.lower)) ++n_ties_;
    if (is_leaf(node)) {
        solve_leaf(node);
        return;
    }
    // Of one plane all is known that the search could say.
    if (has_open_group && ensemble_.n_planes() == 1) {
        ++flip_.n_nodes;
        branch_group(node, {});
        return;
    }
    const SearchResult result = run(1.0, node);
    node.lower = std::max(node.lower, size_with_switches(result.proven));
    const bool is_nowhere = result.e.size() == 0 && result.proven > kNowhere * farthest_plane();
    if (is_stopped_ || is_nowhere || is_closed(node.lower)) {
        close(node.lower);
        return;
    }
    if (result.e.size() > 0) {
        offer(node, result.e, true);
        // Is the best of the relaxed problem one of the true one?
        const bool is_met = offer(node, result.e, false);
        if (is_met && is_closed(node.lower)) {
            close(node.lower);
            return;
        }
    }
    branch(node, result);
}

SearchResult Flipper::run(double slack_factor, const Node& node) {
    compute_margins(node, slack_factor);
    const double rest = rest_of_size(space_.model->norm, cutoff(), price_);
    const PointLimits limits = rest_of_limits();
    rest_ = required_;
    rest_ -= given_;
    SearchResult result =
        engine_.run(margins_, rest_.clamped(), rest, limits, {.proof = is_recorded_});
    if (!records_.empty()) note_search(node, result);
    flip_.n_nodes += result.n_nodes;
    if (result.status != Status::Optimal && result.status != Status::NumericalFailure) {
        is_stopped_ = true;
        flip_.status = result.status;
    }
    return result;
}

/// The distance of the farthest plane, or 1.
double Flipper::farthest_plane() const {
    double farthest = 1.0;
    for (Index i = 0; i < planes_.n_planes(); ++i)
        farthest = std::max(farthest, std::abs(margins_.floor[i]) / planes_.size()[i]);
    return farthest;
}

/// Is the bracket wider than rounding explains?
bool Flipper::is_open(double lower) const {
    return lower < cutoff() * (1.0 - kProvenGap) - kRoundings * widest_gap_;
}

/// All switches and integers are decided.
void Flipper::solve_leaf(const Node& node) {
    double lower = node.lower;
    if (space_.has_box && is_pinned()) {
        ++flip_.n_nodes;
        const bool is_found = offer(node, Vector::Zero(space_.size()), false);
        const bool is_possible =
            is_found || threat_.weight_of(threat_.fooled(base_, current_label_)).covers(required_);
        if (!is_possible && !records_.empty())
            records_[static_cast<std::size_t>(node.record)].is_counted = true;
        close(is_possible ? std::max(lower, decided_size(node).ends().down) : HUGE_VAL);
        return;
    }
    double slack_factor = 1.0;
    for (int attempt = 0; attempt < kMaxAttempts; ++attempt, slack_factor *= kSlackGrowth) {
        const SearchResult result = run(slack_factor, node);
        lower = std::max(lower, size_with_switches(result.proven));
        is_troubled_ = is_troubled_ || result.status == Status::NumericalFailure;
        if (is_stopped_ || result.e.size() == 0 || offer(node, result.e, false)) break;
        is_troubled_ = true;
    }
    if (!is_stopped_ && threat_.may_touch(current_label_) && is_open(lower))
        touch_leaf(node, lower);
    raise_to_decided(node, true, lower);
    close(lower);
}

/// Towards its answer at zero, +1 in an ensemble, a plane that is touched counts. Half-spaces that
/// meet in touching points only have no point beyond their goals, so the search is run again with
/// the margins themselves as goals, and its point is accepted if it really touches.
void Flipper::touch_leaf(const Node& node, double& lower) {
    const SearchResult result = run(0.0, node);
    lower = std::max(lower, size_with_switches(result.proven));
    if (result.e.size() == 0) return;
    if (offer(node, result.e, false) || offer(node, snapped(result.e), false)) return;
    // Values of features may lie on a grid where their shares of a scale do not.
    if (!space_.is_ball) {
        const Vector d = snapped(result.e.cwiseProduct(space_.unit));
        if (offer(node, d.cwiseQuotient(space_.unit), false)) return;
    }
    // They may touch where no double is: what happens beyond that place was not looked at.
    is_troubled_ = true;
}

/// Tries the move e, integers rounded to the nearest or away from 0, as a witness. True when it
/// fools enough planes; it is kept when it is the smallest so far. Undecided groups stay as they
/// are.
bool Flipper::offer(const Node& node, const Vector& e, bool rounds_out) {
    Vector d = step_of(node, e, rounds_out);
    const double best = flip_.upper;
    if (!try_step(d)) return false;
    if (space_.is_convex() || floor_ < HUGE_VAL || flip_.upper == best) return true;
    // The search goes beyond the planes a little, where integers and groups alone may do.
    const double decided = split_move(*space_.model, moves_.x(), d).first.value();
    if (decided >= flip_.upper * (1.0 - kClosedGap)) {
        for (Index c = 0; c < space_.size(); ++c) {
            const auto at = static_cast<std::size_t>(c);
            if (space_.integer_at[at] < 0) d[space_.features[at]] = 0.0;
        }
        try_step(d);
    }
    return true;
}

bool Flipper::try_step(const Vector& d) {
    moved_ = moves_.x() + d;
    if (!moved_.allFinite()) return false;
    std::vector<int> fooled = threat_.fooled(moved_, current_label_);
    if (!threat_.weight_of(fooled).covers(required_)) return false;
    const SizeEnds size = move_size_ends(space_, moves_.x(), moved_);
    if (!(size.up < flip_.upper)) return true;
    flip_.upper = size.up;
    floor_ = size.is_exact ? size.down : HUGE_VAL;
    flip_.d = d;
    flip_.fooled = std::move(fooled);
    return true;
}

/// The step of features behind the oriented move e of the node's coordinates.
Vector Flipper::step_of(const Node& node, const Vector& e, bool rounds_out) {
    if (space_.is_ball) return -current_label_ * e;
    moved_ = space_.has_box ? base_ : moves_.x();
    std::size_t w = 0;
    for (Index c = 0; c < space_.size(); ++c) {
        const auto at = static_cast<std::size_t>(c);
        const double u = -current_label_ * e[c];
        if (space_.integer_at[at] < 0) {
            moved_[space_.features[at]] = moves_.value_at(c, u);
            continue;
        }
        const Span span = node.spans[w++];
        const IntegerFeature& one =
            space_.model->integers[static_cast<std::size_t>(space_.integer_at[at])];
        const double now = moves_.range(c).now;
        const double steps = u * space_.unit[c] * one.scale;
        double integer = now + std::round(steps);
        if (rounds_out && std::abs(steps - std::round(steps)) > kIntegral)
            integer = now + (steps > 0.0 ? std::ceil(steps) : std::floor(steps));
        moved_[space_.features[at]] =
            moves_.value_of_integer(c, std::clamp(integer, span.first, span.last));
    }
    return moves_.step_to(moved_);
}

}  // namespace redoubt
