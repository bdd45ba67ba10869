/// The tree of CountFlipper: planes first, then changes.

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/rounding.hpp"
#include "counting/count_flipper.hpp"
#include "counting/place.hpp"

namespace redoubt {

namespace {

/// Shares of changes that differ by less are taken as equal.
constexpr double kWhole = 1e-7;
/// Bounds that exceed the last but one sum of costs by this share of a cost are rounded up to the
/// next.
constexpr double kAboveSum = 1e-9;

}  // namespace

/// Lowest bound first; among equals the one that decides most, then the first.
bool CountFlipper::ComesLater::operator()(const Node& a, const Node& b) const {
    if (a.lower != b.lower) return a.lower > b.lower;
    const std::size_t a_decided = a.planes.size() + a.decisions.size();
    const std::size_t b_decided = b.planes.size() + b.decisions.size();
    if (a_decided != b_decided) return a_decided < b_decided;
    return a.number > b.number;
}

void CountFlipper::push(Node node) {
    if (is_closed(node.lower)) {
        close(node.lower);
        return;
    }
    node.number = n_pushed_++;
    queue_.push_back(std::move(node));
    std::push_heap(queue_.begin(), queue_.end(), ComesLater{});
}

Index CountFlipper::weight(const std::vector<int>& planes) const {
    return weight_of(planes_.ensemble(), planes);
}

void CountFlipper::load(const Node& node) {
    const int n = changes_.n_changes();
    columns_.lo.assign(to_size(n), 0.0);
    columns_.hi.assign(to_size(n), 1.0);
    columns_.cost.resize(to_size(n));
    is_decided_.assign(to_size(n), 0);
    for (int c = 0; c < n; ++c) columns_.cost[to_size(c)] = changes_.change(c).cost;
    paid_ = 0.0;
    for (const Decision& each : node.decisions) {
        const std::size_t at = to_size(each.column);
        is_decided_[at] = 1;
        if (!each.happens) {
            columns_.hi[at] = 0.0;
            continue;
        }
        columns_.lo[at] = each.least;
        columns_.hi[at] = each.most;
        if (columns_.cost[at] > 0.0 && each.is_paid) paid_ += changes_.change(each.column).cost;
        columns_.cost[at] = 0.0;
    }
}

bool CountFlipper::extend() {
    if (!changes_.extend(program_, columns_)) return false;
    is_decided_.resize(columns_.lo.size(), 0);
    return true;
}

/// What fooling these planes costs at least, with the decisions of the node that is loaded.
double CountFlipper::bound(const std::vector<int>& planes, CoverBasis& basis) {
    // From there on, rounding up closes the node.
    const double enough =
        std::min(upper_, cutoff_) - (1.0 - kAboveSum) * planes_.cost_unit() - paid_;
    while (true) {
        const auto outcome = program_.solve(planes, changes_.wanted(), columns_, enough, basis);
        // Changes that are not there yet would help where they are worth more than they cost.
        const double beyond = changes_.worth_beyond();
        const bool is_complete = beyond == 0.0 || (outcome != CoverProgram::Outcome::Infeasible &&
                                                   program_.multiplier_sum() * beyond <= 1.0);
        if (is_complete) break;
        if (!extend()) break;
    }
    const double sum = paid_ + std::max(0.0, program_.bound());
    return sum < HUGE_VAL ? up_to_cost(sum * (1.0 - 4.0 * kEps)) : HUGE_VAL;
}

void CountFlipper::process(Node node) {
    load(node);
    const bool is_root = node.number == 0 && !node.is_bounded;
    if (is_root && alone_.size() > 1) bound_planes_alone();
    if (!node.is_bounded && !raise_bound(node)) return;
    if (weight(node.planes) >= required_) {
        solve_cover(node);
    } else {
        branch_planes(node);
    }
}

void CountFlipper::bound_planes_alone() {
    for (int i = 0; i < static_cast<int>(alone_.size()); ++i) {
        CoverBasis basis;
        alone_[to_size(i)] = bound({i}, basis);
        if (is_beyond(i)) close(alone_[to_size(i)]);
    }
}

/// Takes planes in without which the rest is not enough; false if all are not.
bool CountFlipper::add_needed_planes(Node& node) const {
    const Ensemble& ensemble = planes_.ensemble();
    Index most = weight(node.planes);
    std::vector<int> others;
    for (int i = 0; i < static_cast<int>(ensemble.n_planes()); ++i) {
        const bool is_in =
            std::find(node.planes.begin(), node.planes.end(), i) != node.planes.end();
        if (is_in || node.is_out[to_size(i)] != 0 || is_beyond(i)) continue;
        most += ensemble.weight_units(i);
        others.push_back(i);
    }
    if (most < required_) return false;
    for (int i : others) {
        if (most - ensemble.weight_units(i) < required_) node.planes.push_back(i);
    }
    return true;
}

/// The bound of the node's own program; false if that closes it or puts it back into the queue.
bool CountFlipper::raise_bound(Node& node) {
    if (!add_needed_planes(node)) return false;
    const double before = node.lower;
    node.lower = std::max(node.lower, bound(node.planes, node.basis));
    node.is_bounded = true;
    if (is_closed(node.lower)) {
        close(node.lower);
        return false;
    }
    if (node.lower == before || queue_.empty() || node.lower <= queue_.front().lower) return true;
    push(std::move(node));
    return false;
}

/// The planes that are still open, those first that the program's solution comes nearest to.
std::vector<CountFlipper::Further> CountFlipper::further_planes(const Node& node) const {
    const int n = program_.n_columns();
    std::vector<Further> found;
    for (int i = 0; i < static_cast<int>(node.is_out.size()); ++i) {
        const bool is_in =
            std::find(node.planes.begin(), node.planes.end(), i) != node.planes.end();
        if (is_in || node.is_out[to_size(i)] != 0 || is_beyond(i)) continue;
        const std::vector<double>& gains = program_.gains_of_plane(i);
        double missing = changes_.wanted()[to_size(i)];
        double most = 0.0;
        for (int c = 0; c < n; ++c) {
            missing -= gains[to_size(c)] * program_.x()[to_size(c)];
            most = std::max(most, gains[to_size(c)]);
        }
        found.push_back({missing > 0.0 ? missing / most : 0.0, alone_[to_size(i)], i});
    }
    std::sort(found.begin(), found.end(), [](const Further& a, const Further& b) {
        return std::tie(a.missing, a.alone, a.plane) < std::tie(b.missing, b.alone, b.plane);
    });
    return found;
}

/// Among the planes that are fooled as well, some plane is the last one in that order, and those up
/// to it must be enough.
void CountFlipper::branch_planes(Node& node) {
    bound(node.planes, node.basis);
    const std::vector<Further> others = further_planes(node);
    Index reached = weight(node.planes);
    std::size_t least = 0;
    while (least < others.size()) {
        reached += planes_.ensemble().weight_units(others[least].plane);
        if (reached >= required_) break;
        ++least;
    }
    if (reached < required_) return;
    std::vector<int> likely = node.planes;
    for (std::size_t i = 0; i <= least; ++i) likely.push_back(others[i].plane);
    const std::vector<double> x = program_.x();
    round(likely, x);
    for (std::size_t i = least; i < others.size(); ++i) {
        Node child;
        child.lower = std::max(node.lower, others[i].alone);
        child.planes = node.planes;
        child.planes.push_back(others[i].plane);
        child.is_out = node.is_out;
        for (std::size_t j = i + 1; j < others.size(); ++j)
            child.is_out[to_size(others[j].plane)] = 1;
        child.decisions = node.decisions;
        child.basis = node.basis;
        push(std::move(child));
    }
}

/// All planes that are to be fooled are known: only changes are left to decide.
void CountFlipper::solve_cover(Node& node) {
    node.lower = std::max(node.lower, bound(node.planes, node.basis));
    if (is_closed(node.lower)) {
        close(node.lower);
        return;
    }
    const std::vector<double> x = program_.x();
    round(node.planes, x);
    if (!is_closed(node.lower) && has_length(node)) {
        go_past_planes(node);
        if (is_refuted(node)) return;
        bound(node.planes, node.basis);
    }
    node.lower = raise_one_plane(node, node.lower);
    if (is_closed(node.lower)) {
        close(node.lower);
        return;
    }
    int column = broken_change(node);
    if (column < 0) column = undecided_change(node);
    if (column < 0) {
        // All that can happen is decided. Rounded sums may have kept it from being tried.
        const bool is_whole = std::all_of(
            node.decisions.begin(), node.decisions.end(),
            [&](const Decision& each) { return !each.happens || each.least == each.most; });
        if (is_whole) {
            offer_decided(node);
            return;
        }
        is_open_ = true;
        close(node.lower);
        return;
    }
    branch_changes(node, is_decided(column) ? column : first_to_branch(column));
}

/// What the node says happens, as exact arithmetic sees it.
void CountFlipper::offer_decided(const Node& node) {
    chosen_.clear();
    for (const Decision& each : node.decisions) {
        if (each.happens) chosen_.push_back({each.column, each.least});
    }
    offer(chosen_);
}

/// With equal costs the changes that gain a plane most are the best of their number: if they are
/// not enough in exact arithmetic, none are.
double CountFlipper::raise_one_plane(const Node& node, double lower) {
    if (node.planes.size() != 1 || !node.decisions.empty() || !changes_.has_exact_gains() ||
        planes_.model().cost.size() > 0 || !planes_.space().groups.empty()) {
        return lower;
    }
    const int plane = node.planes[0];
    while (true) {
        order_.clear();
        for (int c = 0; c < program_.n_columns(); ++c) {
            if (program_.gains(c)[plane] > 0.0) order_.push_back(c);
        }
        const auto n = static_cast<std::size_t>(lower);
        std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) {
            return program_.gains(a)[plane] > program_.gains(b)[plane];
        });
        const bool is_known = changes_.worth_beyond() == 0.0 ||
                              (order_.size() >= n && n > 0 &&
                               program_.gains(order_[n - 1])[plane] >= changes_.worth_beyond());
        if (!is_known) {
            if (!extend()) return lower;
            continue;
        }
        chosen_.clear();
        for (std::size_t i = 0; i < std::min(n, order_.size()); ++i)
            chosen_.push_back({order_[i], 1.0});
        const std::vector<int> fooled = changes_.moved(chosen_).fooled;
        if (std::find(fooled.begin(), fooled.end(), plane) != fooled.end()) {
            offer(chosen_);
            return lower;
        }
        if (n >= order_.size()) return HUGE_VAL;
        lower += 1.0;
        if (is_closed(lower)) return lower;
    }
}

/// The change that the program breaks most; one that happens may stop between integers, too.
int CountFlipper::broken_change(const Node& node) const {
    const std::vector<double>& x = program_.x();
    int best = -1;
    double most = kWhole;
    for (int c = 0; c < static_cast<int>(x.size()); ++c) {
        const double share = x[to_size(c)];
        if (is_decided(c)) continue;
        const double broken = std::min(share, 1.0 - share);
        if (broken > most) {
            most = broken;
            best = c;
        }
    }
    if (best >= 0) return best;
    for (const Decision& each : node.decisions) {
        const double n_steps = changes_.change(each.column).n_steps;
        if (!each.happens || n_steps == 0.0 || each.least == each.most) continue;
        const double steps = x[to_size(each.column)] * n_steps;
        const double broken = std::abs(steps - std::round(steps));
        if (broken > most) {
            most = broken;
            best = each.column;
        }
    }
    return best;
}

/// The program's changes are whole, and yet not enough or not the cheapest: any other may help. The
/// one that happens and is not decided, else the one that gains most.
int CountFlipper::undecided_change(const Node& node) {
    int best = -1;
    double most = 0.0;
    for (int c = 0; c < static_cast<int>(program_.x().size()); ++c) {
        if (is_decided(c)) continue;
        double gain = 0.0;
        for (int plane : node.planes) gain += std::max(0.0, program_.gains(c)[plane]);
        const double score = program_.x()[to_size(c)] > 0.5 ? gain + 1e300 : gain;
        if (score > most) {
            most = score;
            best = c;
        }
    }
    while (best < 0 && changes_.worth_beyond() > 0.0) {
        const int first = program_.n_columns();
        if (!extend()) break;
        if (program_.n_columns() > first) best = first;
    }
    if (best >= 0) return best;
    // Integers that happen and may take more than one value.
    for (const Decision& each : node.decisions) {
        const double n_steps = changes_.change(each.column).n_steps;
        if (each.happens && n_steps > 0.0 && each.most - each.least > 0.5 / n_steps)
            return each.column;
    }
    return -1;
}

void CountFlipper::branch_changes(const Node& node, int column) {
    const Change& change = changes_.change(column);
    const auto decided = std::find_if(node.decisions.begin(), node.decisions.end(),
                                      [&](const Decision& each) { return each.column == column; });
    if (decided != node.decisions.end()) {
        // An integer: the values below and above.
        const std::size_t at = static_cast<std::size_t>(decided - node.decisions.begin());
        const double n = change.n_steps;
        const double below = integers_below(*decided);
        Node low = node;
        low.is_bounded = false;
        low.decisions[at].most = below / n;
        Node high = node;
        high.is_bounded = false;
        high.decisions[at].least = (below + 1.0) / n;
        push(std::move(low));
        push(std::move(high));
        return;
    }
    // Changes that are alike may be taken to happen in their order.
    const std::vector<int> same = alike(column);
    Node without = node;
    without.is_bounded = false;
    Node with = without;
    for (int c : same) {
        if (c >= column) without.decisions.push_back({c, false});
        if (c < column) with.decisions.push_back({c, true, 1.0, 1.0});
    }
    push(std::move(without));
    push(where_it_happens(with, column));
}

/// Of an integer that happens, how far it goes below the value at which the program stops.
double CountFlipper::integers_below(const Decision& decided) const {
    const double n = changes_.change(decided.column).n_steps;
    const double below = std::floor(program_.x()[to_size(decided.column)] * n + kWhole);
    return std::clamp(below, std::round(decided.least * n), std::round(decided.most * n) - 1.0);
}

/// The node with one more change, and without the others of its lever.
CountFlipper::Node CountFlipper::where_it_happens(const Node& node, int column) const {
    const Change& change = changes_.change(column);
    Node with = node;
    with.decisions.push_back({column, true, change.is_whole ? 1.0 : 0.0, 1.0});
    for (int c = 0; c < changes_.n_changes(); ++c) {
        const bool is_rival = c != column && changes_.change(c).lever == change.lever;
        if (is_rival && !is_decided(c)) with.decisions.push_back({c, false});
    }
    return with;
}

/// The column and the undecided ones that cost as much and do the same to all planes, ascending;
/// itself alone where it has rivals or a length.
std::vector<int> CountFlipper::alike(int column) const {
    const Change& change = changes_.change(column);
    const auto k = static_cast<std::size_t>(planes_.ensemble().n_planes());
    const auto has_rival = [&](int c) {
        const int lever = changes_.change(c).lever;
        return (c > 0 && changes_.change(c - 1).lever == lever) ||
               (c + 1 < changes_.n_changes() && changes_.change(c + 1).lever == lever);
    };
    const bool is_single = !change.is_whole || has_rival(column) || !changes_.has_exact_gains();
    if (is_single) return {column};
    std::vector<int> found;
    const double* gains = program_.gains(column);
    for (int c = 0; c < changes_.n_changes(); ++c) {
        const Change& other = changes_.change(c);
        if (is_decided(c) || !other.is_whole || other.cost != change.cost || has_rival(c)) continue;
        if (std::equal(gains, gains + k, program_.gains(c))) found.push_back(c);
    }
    return found;
}

/// Of the changes that are like this one, so many come first as happen in the program's solution.
int CountFlipper::first_to_branch(int column) const {
    const std::vector<int> same = alike(column);
    double sum = 0.0;
    for (int c : same) sum += program_.x()[to_size(c)];
    const auto n = static_cast<std::size_t>(std::max(0.0, std::floor(sum + kWhole)));
    return same[std::min(n, same.size() - 1)];
}

}  // namespace redoubt
