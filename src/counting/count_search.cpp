/// The tree of CountFlipper: planes first, then changes.

#include <algorithm>
#include <cmath>

#include "core/rounding.hpp"
#include "counting/count_flipper.hpp"
#include "counting/place.hpp"

namespace redoubt {

namespace {

/// Shares of changes that differ by less are taken as equal.
constexpr double kWhole = 1e-7;

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
    for (int c = 0; c < n; ++c) columns_.cost[to_size(c)] = changes_.change(c).cost;
    paid_ = 0.0;
    for (const Decision& each : node.decisions) {
        const std::size_t at = to_size(each.column);
        if (!each.happens) {
            columns_.hi[at] = 0.0;
            continue;
        }
        columns_.lo[at] = each.least;
        columns_.hi[at] = each.most;
        if (columns_.cost[at] > 0.0) paid_ += changes_.change(each.column).cost;
        columns_.cost[at] = 0.0;
    }
}

/// What fooling these planes costs at least, with the decisions of the node that is loaded.
double CountFlipper::bound(const std::vector<int>& planes, CoverBasis& basis) {
    while (true) {
        const auto outcome = program_.solve(planes, changes_.wanted(), columns_,
                                            std::min(upper_, cutoff_) - paid_, basis);
        // Changes that are not there yet would help where they are worth more than they cost.
        const double beyond = changes_.worth_beyond();
        const bool is_complete = beyond == 0.0 || (outcome != CoverProgram::Outcome::Infeasible &&
                                                   program_.multiplier_sum() * beyond <= 1.0);
        if (is_complete) break;
        if (!changes_.extend(program_, columns_)) break;
    }
    const double sum = paid_ + std::max(0.0, program_.bound());
    return sum < HUGE_VAL ? up_to_cost(sum * (1.0 - 4.0 * kEps)) : HUGE_VAL;
}

void CountFlipper::process(Node node) {
    load(node);
    if (weight(node.planes) >= required_) {
        solve_cover(node);
    } else {
        branch_planes(node);
    }
}

/// What each further plane costs at least, in that order: among those that are fooled as well, some
/// plane is the costliest, and those up to it must be enough.
void CountFlipper::branch_planes(Node& node) {
    const Ensemble& ensemble = planes_.ensemble();
    std::vector<Bounded> bounded;
    for (int i = 0; i < static_cast<int>(ensemble.n_planes()); ++i) {
        const bool is_in =
            std::find(node.planes.begin(), node.planes.end(), i) != node.planes.end();
        if (is_in || node.is_out[to_size(i)] != 0) continue;
        Bounded one;
        one.plane = i;
        one.basis = node.basis;
        std::vector<int> planes = node.planes;
        planes.push_back(i);
        one.lower = std::max(node.lower, bound(planes, one.basis));
        if (one.lower < HUGE_VAL) one.x = program_.x();
        bounded.push_back(std::move(one));
    }
    std::sort(bounded.begin(), bounded.end(), [](const Bounded& a, const Bounded& b) {
        return a.lower < b.lower || (a.lower == b.lower && a.plane < b.plane);
    });
    Index reached = weight(node.planes);
    std::size_t least = 0;
    while (least < bounded.size() && bounded[least].lower < HUGE_VAL) {
        reached += ensemble.weight_units(bounded[least].plane);
        if (reached >= required_) break;
        ++least;
    }
    if (reached < required_) return;
    std::vector<int> likely = node.planes;
    for (std::size_t i = 0; i <= least; ++i) likely.push_back(bounded[i].plane);
    round(likely, bounded[least].x);
    for (std::size_t i = least; i < bounded.size(); ++i) {
        if (is_closed(bounded[i].lower)) {
            close(bounded[i].lower);
            continue;
        }
        Node child;
        child.lower = bounded[i].lower;
        child.planes = node.planes;
        child.planes.push_back(bounded[i].plane);
        child.is_out = node.is_out;
        for (std::size_t j = i + 1; j < bounded.size(); ++j)
            child.is_out[to_size(bounded[j].plane)] = 1;
        child.decisions = node.decisions;
        child.basis = std::move(bounded[i].basis);
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
    if (!is_closed(node.lower)) go_past_planes(node);
    node.lower = raise_one_plane(node, node.lower);
    if (is_closed(node.lower)) {
        close(node.lower);
        return;
    }
    int column = broken_change(node);
    if (column < 0) column = undecided_change(node);
    if (column < 0) {
        // All that can happen is decided, and what happens was tried.
        const bool is_whole = std::all_of(
            node.decisions.begin(), node.decisions.end(),
            [&](const Decision& each) { return !each.happens || each.least == each.most; });
        if (is_whole) return;
        is_open_ = true;
        close(node.lower);
        return;
    }
    branch_changes(node, column);
}

/// Changes of any length end where the planes are, as the program says; a witness lies beyond.
void CountFlipper::go_past_planes(Node& node) {
    const bool has_length =
        std::any_of(node.decisions.begin(), node.decisions.end(), [&](const Decision& each) {
            const Change& change = changes_.change(each.column);
            return each.happens && !change.is_whole && change.n_steps == 0.0;
        });
    if (!has_length) return;
    // A margin may have no terms at all.
    std::vector<double> scale = changes_.magnitudes();
    for (const Decision& each : node.decisions) {
        if (!each.happens) continue;
        const double* gains = program_.gains(each.column);
        for (std::size_t i = 0; i < scale.size(); ++i)
            scale[i] = std::max(scale[i], std::abs(gains[i]));
    }
    for (double share = 1e-14; share < 1e-7 && !is_closed(node.lower); share *= 100.0) {
        std::vector<double> aim = changes_.margins();
        for (std::size_t i = 0; i < aim.size(); ++i)
            aim[i] += share * (scale[i] + std::abs(aim[i]));
        CoverBasis basis = node.basis;
        const auto outcome = program_.solve(node.planes, aim, columns_, HUGE_VAL, basis);
        if (outcome != CoverProgram::Outcome::Solved) break;
        const std::vector<double> beyond = program_.x();
        round(node.planes, beyond);
    }
    bound(node.planes, node.basis);
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
            if (!changes_.extend(program_, columns_)) return lower;
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

bool CountFlipper::is_decided(const Node& node, int column) const {
    return std::any_of(node.decisions.begin(), node.decisions.end(),
                       [&](const Decision& each) { return each.column == column; });
}

/// The change that the program breaks most; one that happens may stop between integers, too.
int CountFlipper::broken_change(const Node& node) const {
    const std::vector<double>& x = program_.x();
    int best = -1;
    double most = kWhole;
    for (int c = 0; c < static_cast<int>(x.size()); ++c) {
        const double share = x[to_size(c)];
        if (is_decided(node, c)) continue;
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
        if (is_decided(node, c)) continue;
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
        if (!changes_.extend(program_, columns_)) break;
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
        const double share = program_.x()[to_size(column)];
        double below = std::floor(share * n + kWhole);
        below =
            std::clamp(below, std::round(decided->least * n), std::round(decided->most * n) - 1.0);
        Node low = node;
        low.decisions[at].most = below / n;
        Node high = node;
        high.decisions[at].least = (below + 1.0) / n;
        push(std::move(low));
        push(std::move(high));
        return;
    }
    Node without = node;
    without.decisions.push_back({column, false});
    push(std::move(without));
    Node with = node;
    with.decisions.push_back({column, true, change.is_whole ? 1.0 : 0.0, 1.0});
    for (int c = 0; c < changes_.n_changes(); ++c) {
        const bool is_rival = c != column && changes_.change(c).lever == change.lever;
        if (is_rival && !is_decided(node, c)) with.decisions.push_back({c, false});
    }
    push(std::move(with));
}

}  // namespace redoubt
