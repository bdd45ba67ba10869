#include "separable/step_flipper.hpp"

#include <algorithm>
#include <cmath>

#include "core/rounding.hpp"

namespace redoubt {

namespace {

/// Steps of dynamic programming for one point; more are left to the search.
constexpr std::int64_t kMostSteps = 20'000'000;
/// What steps are asked to win over beside loose planes: so many shares of it are tried.
constexpr std::int64_t kMostGoals = 8;

}  // namespace

StepFlipper::StepFlipper(const StepVote& vote) : vote_(vote) {
    if (!vote.group_blocks().empty()) moves_.emplace(vote.space());
    for (const StepVote::PrivateBlock& block : vote.private_blocks()) {
        const PrivatePlane& alone = *block.alone;
        flippers_.push_back(alone.planes ? std::make_unique<Flipper>(*alone.planes) : nullptr);
        counters_.push_back(alone.counted ? std::make_unique<CountFlipper>(*alone.counted)
                                          : nullptr);
    }
    private_moves_.resize(flippers_.size());
}

/// The nearest value from there on that the rules allow.
std::optional<double> StepFlipper::allowed(const StepVote::Block& block, double x, double value,
                                           bool is_up) const {
    const AttackModel& model = vote_.model();
    const int feature = block.feature;
    if (model.direction_of(feature) == (is_up ? Direction::Down : Direction::Up))
        return std::nullopt;
    const int integer = vote_.integer_of(block);
    if (integer >= 0) {
        const IntegerFeature& one = model.integers[static_cast<std::size_t>(integer)];
        double whole = one.nearest(value);
        if (is_up && one.value(whole) < value) whole += 1.0;
        if (!is_up && one.value(whole) > value) whole -= 1.0;
        if (whole == one.nearest(x)) return std::nullopt;
        value = one.value(whole);
    }
    if (is_up ? value > model.upper_of(feature) : value < model.lower_of(feature))
        return std::nullopt;
    return value;
}

/// The sign of t - u, where planes of one feature have the thresholds t and u: exact.
int StepFlipper::compare_thresholds(int feature, int plane, int other) const {
    const Matrix& W = vote_.ensemble().coef();
    const Vector& b = vote_.ensemble().intercept();
    const double w = W(plane, feature);
    const double v = W(other, feature);
    // t - u = -b / w + c / v, of which v w is the common denominator.
    const Eigen::Vector2d factors(-v, w);
    const Eigen::Vector2d numbers(b[plane], b[other]);
    const bool is_up = sign_of_plane(factors, 0.0, numbers) > 0;
    const bool is_down = sign_of_plane(-factors, 0.0, numbers) > 0;
    if (is_up && is_down) return 0;
    return is_up == ((v > 0.0) == (w > 0.0)) ? 1 : -1;
}

/// The most weight won over at any real number between two neighbouring doubles, when these steps
/// between them are crossed. Planes that turn to +1 do so at their threshold, others beyond it.
std::int64_t StepFlipper::most_between(int feature, int label, bool is_up) {
    const auto place = [&](const Step& a, const Step& b) {
        const int order = compare_thresholds(feature, a.plane, b.plane);
        if (order != 0) return is_up ? order : -order;
        const int a_turns = is_up ? -a.left : a.left;
        const int b_turns = is_up ? -b.left : b.left;
        return b_turns - a_turns;
    };
    std::sort(crossed_.begin(), crossed_.end(),
              [&](const Step& a, const Step& b) { return place(a, b) < 0; });
    std::int64_t weight = 0;
    std::int64_t most = 0;
    for (std::size_t s = 0; s < crossed_.size(); ++s) {
        weight += gain(crossed_[s], label, is_up);
        const bool is_last = s + 1 == crossed_.size() || place(crossed_[s], crossed_[s + 1]) != 0;
        if (is_last) most = std::max(most, weight);
    }
    return most;
}

/// What crossing a step wins over; less than 0 if it loses a plane.
std::int64_t StepFlipper::gain(const Step& step, int label, bool is_up) const {
    const std::int64_t units = vote_.ensemble().weight_units(step.plane);
    return (is_up ? -step.left : step.left) != label ? units : -units;
}

/// The offers of one way, nearest first: a step further, and all planes up to there have changed
/// their answers.
void StepFlipper::walk(int block_at, double x, int label, bool is_up) {
    const StepVote::Block& block = vote_.blocks()[static_cast<std::size_t>(block_at)];
    const AttackModel& model = vote_.model();
    const std::vector<Step>& steps = block.steps;
    const double scale = model.scale_of(block.feature);
    const bool is_integer = vote_.integer_of(block) >= 0;
    const auto first = std::upper_bound(steps.begin(), steps.end(), x,
                                        [](double v, const Step& s) { return v < s.first; });
    auto at = static_cast<std::ptrdiff_t>(first - steps.begin()) - (is_up ? 0 : 1);
    const auto end = is_up ? static_cast<std::ptrdiff_t>(steps.size()) : std::ptrdiff_t{-1};
    std::int64_t weight = 0;
    std::int64_t most = 0;
    while (at != end) {
        const double threshold = steps[static_cast<std::size_t>(at)].first;
        const double before = std::nextafter(threshold, -HUGE_VAL);
        const std::optional<double> value = allowed(block, x, is_up ? threshold : before, is_up);
        if (!value) return;
        crossed_.clear();
        bool wins = false;
        bool loses = false;
        std::int64_t change = 0;
        for (; at != end; at += is_up ? 1 : -1) {
            const Step& step = steps[static_cast<std::size_t>(at)];
            if (is_up ? step.first > *value : step.first <= *value) break;
            crossed_.push_back(step);
            const std::int64_t units = gain(step, label, is_up);
            (units > 0 ? wins : loses) = true;
            change += units;
        }
        Offer offer{0, 0.0, 0.0, *value, block_at};
        if (model.counts()) {
            offer.lower = offer.upper = model.cost_of(block.feature);
        } else if (is_integer) {
            price_integer(block, x, offer);
        } else {
            // The threshold lies between the two doubles.
            const double nearest = is_up ? before : threshold;
            set_price(std::abs(nearest - x) / scale, std::abs(*value - x) / scale, offer);
        }
        if (!std::isfinite(offer.upper)) return;
        if (wins && loses && !is_integer) {
            const std::int64_t between = weight + most_between(block.feature, label, is_up);
            if (between > std::max(most, weight + change)) {
                Offer unseen = offer;
                unseen.weight = between;
                unseen.upper = HUGE_VAL;
                found_.push_back(unseen);
                has_unseen_ = true;
            }
        }
        weight += change;
        if (weight <= most) continue;
        most = weight;
        offer.weight = weight;
        found_.push_back(offer);
    }
}

/// From sizes with a few roundings; in l2 prices are squares.
void StepFlipper::set_price(double lower, double upper, Offer& offer) const {
    offer.lower = lower * (1.0 - 4.0 * kEps);
    offer.upper = upper * (1.0 + 4.0 * kEps);
    if (vote_.model().norm != Norm::L2) return;
    offer.lower *= offer.lower * (1.0 - 2.0 * kEps);
    offer.upper *= offer.upper * (1.0 + 2.0 * kEps);
}

/// Sizes of integers are steps, whatever the values.
void StepFlipper::price_integer(const StepVote::Block& block, double x, Offer& offer) const {
    const auto at = static_cast<std::size_t>(vote_.integer_of(block));
    const IntegerFeature& one = vote_.model().integers[at];
    const SizeUnit unit = vote_.space().step_unit(block.coordinate);
    const double size =
        std::abs(one.nearest(offer.value) - one.nearest(x)) * unit.top / unit.bottom;
    set_price(size, size, offer);
}

void StepFlipper::load_block(int block, double x, int label) {
    found_.clear();
    walk(block, x, label, true);
    walk(block, x, label, false);
    keep_found();
}

/// The offers of one block: those that others beat are left out.
void StepFlipper::keep_found() {
    std::sort(found_.begin(), found_.end(), [](const Offer& a, const Offer& b) {
        return a.lower < b.lower || (a.lower == b.lower && a.weight > b.weight) ||
               (a.lower == b.lower && a.weight == b.weight && a.value < b.value);
    });
    std::int64_t most = 0;
    std::int64_t most_seen = 0;
    for (const Offer& offer : found_) {
        if (offer.weight <= (offer.is_seen() ? most_seen : most)) continue;
        most = std::max(most, offer.weight);
        if (offer.is_seen()) most_seen = offer.weight;
        offers_.push_back(offer);
    }
    starts_.push_back(offers_.size());
}

void StepFlipper::load(const VectorRef& x, int label, const PointLimits& limits) {
    offers_.clear();
    has_unseen_ = false;
    private_status_ = Status::Optimal;
    starts_.assign(1, 0);
    for (std::size_t b = 0; b < vote_.blocks().size(); ++b)
        load_block(static_cast<int>(b), x[vote_.blocks()[b].feature], label);
    if (moves_) moves_->load(x);
    for (std::size_t g = 0; g < vote_.group_blocks().size(); ++g) load_group(g, x, label);
    for (std::size_t p = 0; p < vote_.private_blocks().size(); ++p)
        load_private(p, x, label, limits);
}

double StepFlipper::price(const Offer& offer, Prices prices) {
    switch (prices) {
        case Prices::Lower:
            return offer.lower;
        case Prices::LowerSeen:
            return offer.is_seen() ? offer.lower : HUGE_VAL;
        case Prices::Upper:
            return offer.upper;
    }
    return HUGE_VAL;
}

/// The size at which the weight is enough when each feature goes that far.
double StepFlipper::size_linf(std::int64_t wanted, Prices prices) {
    events_.clear();
    for (std::size_t b = 0; b + 1 < starts_.size(); ++b) {
        std::int64_t last = 0;
        for (std::size_t o = starts_[b]; o < starts_[b + 1]; ++o) {
            const Offer& offer = offers_[o];
            const double size = price(offer, prices);
            if (size == HUGE_VAL || offer.weight <= last) continue;
            events_.emplace_back(size, offer.weight - last);
            last = offer.weight;
        }
    }
    std::sort(events_.begin(), events_.end());
    std::int64_t sum = 0;
    for (const auto& [size, weight] : events_) {
        sum += weight;
        if (sum >= wanted) return size;
    }
    return HUGE_VAL;
}

void StepFlipper::solve_linf(std::int64_t wanted, Bounds& bounds) {
    bounds.lower = size_linf(wanted, Prices::Lower);
    bounds.lower_seen = has_unseen_ ? size_linf(wanted, Prices::LowerSeen) : bounds.lower;
    const double size = size_linf(wanted, Prices::Upper);
    chosen_.clear();
    if (size == HUGE_VAL) return;
    for (std::size_t b = 0; b + 1 < starts_.size(); ++b) {
        std::size_t best = starts_[b + 1];
        for (std::size_t o = starts_[b]; o < starts_[b + 1]; ++o) {
            if (offers_[o].upper > size) continue;
            if (best == starts_[b + 1] || offers_[o].weight > offers_[best].weight) best = o;
        }
        if (best < starts_[b + 1]) chosen_.push_back(best);
    }
}

/// The least sum of prices of that weight at least; of each feature one offer or none.
double StepFlipper::cheapest(std::int64_t wanted, Prices prices) {
    const bool is_kept = prices == Prices::Upper;
    const auto n = static_cast<std::size_t>(wanted) + 1;
    const std::size_t n_blocks = starts_.size() - 1;
    cost_.assign(n, HUGE_VAL);
    cost_[0] = 0.0;
    if (is_kept) choice_.assign(n * n_blocks, -1);
    for (std::size_t b = 0; b < n_blocks; ++b) {
        // From the top down, so that what is read is of the blocks before.
        for (std::size_t g = n; g-- > 1;) {
            double best = cost_[g];
            for (std::size_t o = starts_[b]; o < starts_[b + 1]; ++o) {
                const auto weight = static_cast<std::size_t>(
                    std::min<std::int64_t>(offers_[o].weight, static_cast<std::int64_t>(g)));
                const double sum = cost_[g - weight] + price(offers_[o], prices);
                if (!(sum < best)) continue;
                best = sum;
                if (is_kept) choice_[b * n + g] = static_cast<int>(o);
            }
            cost_[g] = best;
        }
    }
    return cost_[n - 1];
}

bool StepFlipper::solve_sum(std::int64_t wanted, Bounds& bounds) {
    if (wanted > kMostSteps ||
        wanted * static_cast<std::int64_t>(offers_.size() + 1) > kMostSteps) {
        return false;
    }
    const double slack = (static_cast<double>(starts_.size()) + 4.0) * kEps;
    bounds.lower = cheapest(wanted, Prices::Lower);
    bounds.lower_seen = has_unseen_ ? cheapest(wanted, Prices::LowerSeen) : bounds.lower;
    const bool is_exact =
        vote_.model().counts() && std::all_of(offers_.begin(), offers_.end(), [](const Offer& one) {
            return one.lower == std::floor(one.lower) && one.lower < 0x1p30;
        });
    if (!is_exact) {
        bounds.lower *= 1.0 - slack;
        bounds.lower_seen *= 1.0 - slack;
    }
    chosen_.clear();
    if (cheapest(wanted, Prices::Upper) == HUGE_VAL) return true;
    const std::size_t n = static_cast<std::size_t>(wanted) + 1;
    std::size_t g = n - 1;
    for (std::size_t b = starts_.size() - 1; b-- > 0 && g > 0;) {
        const int o = choice_[b * n + g];
        if (o < 0) continue;
        chosen_.push_back(static_cast<std::size_t>(o));
        const std::int64_t weight = offers_[static_cast<std::size_t>(o)].weight;
        g -= static_cast<std::size_t>(std::min<std::int64_t>(weight, static_cast<std::int64_t>(g)));
    }
    return true;
}

Vector StepFlipper::moved_by_chosen(const VectorRef& x) const {
    Vector moved = x;
    for (std::size_t o : chosen_) apply(offers_[o], moved);
    return moved;
}

SizeEnds StepFlipper::write(const VectorRef& x, const Vector& moved, int label, Flip& flip) const {
    Vector d = moved - x;
    // No step may end short of its threshold by rounding.
    for (Index l = 0; l < d.size(); ++l) {
        while (d[l] > 0.0 && x[l] + d[l] < moved[l]) d[l] = std::nextafter(d[l], HUGE_VAL);
        while (d[l] < 0.0 && x[l] + d[l] > moved[l]) d[l] = std::nextafter(d[l], -HUGE_VAL);
    }
    const Vector reached = x + d;
    flip.fooled = fooled_planes(vote_.ensemble(), reached, label);
    const SizeEnds size = move_size_ends(vote_.space(), x, reached);
    flip.upper = size.up;
    flip.d = std::move(d);
    return size;
}

/// The moves that win over so much weight at the least price; false if there are too many.
bool StepFlipper::solve(std::int64_t wanted, Bounds& bounds) {
    if (vote_.model().norm != Norm::LInf) return solve_sum(wanted, bounds);
    solve_linf(wanted, bounds);
    return true;
}

double StepFlipper::lower_end(const Bounds& bounds) const {
    double lower = bounds.lower;
    if (lower == HUGE_VAL) return lower;
    if (vote_.model().norm == Norm::L2) lower = std::sqrt(lower) * (1.0 - 2.0 * kEps);
    return vote_.discrete_sizes() ? vote_.discrete_sizes()->least_from(lower) : lower;
}

std::optional<Flip> StepFlipper::fool_planes(const VectorRef& x, int current_label,
                                             Index required_weight, double cutoff,
                                             const PointLimits& limits) {
    Flip flip;
    if (limits.reached(0, &flip.status)) return flip;
    load(x, current_label, limits);
    const Ensemble& ensemble = vote_.ensemble();
    const std::int64_t wanted =
        required_weight - weight_of(ensemble, fooled_planes(ensemble, x, current_label));
    Bounds bounds;
    if (!solve(wanted, bounds)) return std::nullopt;
    flip.lower = lower_end(bounds);
    if (flip.lower >= cutoff) return flip;
    if (!chosen_.empty()) {
        const SizeEnds size = write(x, moved_by_chosen(x), current_label, flip);
        // Rounding put the move elsewhere.
        if (weight_of(ensemble, flip.fooled) < required_weight) return std::nullopt;
        // Sums of prices without a common unit are rounded here; the search adds them exactly.
        if (vote_.discrete_sizes() && flip.lower < size.down) return std::nullopt;
        flip.lower = std::min(flip.lower, flip.upper);
    }
    // The least move ends where no double is.
    if (bounds.lower < bounds.lower_seen && flip.lower < flip.upper * (1.0 - kProvenGap))
        flip.status = Status::NumericalFailure;
    if (private_status_ != Status::Optimal && flip.lower < flip.upper * (1.0 - kProvenGap))
        flip.status = private_status_;
    return flip;
}

/// Where a feature may go: to the ends of its range, or where its steps are won.
std::vector<double> StepFlipper::places(int feature, double x) const {
    const AttackModel& model = vote_.model();
    std::vector<double> found;
    const auto is_integer_feature = [&](const IntegerFeature& one) {
        return one.feature == feature;
    };
    if (std::none_of(model.integers.begin(), model.integers.end(), is_integer_feature)) {
        const Direction direction = model.direction_of(feature);
        if (direction != Direction::Up) found.push_back(std::min(x, model.lower_of(feature)));
        if (direction != Direction::Down) found.push_back(std::max(x, model.upper_of(feature)));
    }
    for (const Offer& offer : offers_) {
        const auto at = static_cast<std::size_t>(offer.block);
        const bool is_here = at < vote_.blocks().size() && vote_.blocks()[at].feature == feature;
        if (is_here && offer.is_seen()) found.push_back(offer.value);
    }
    return found;
}

/// Moves that are counted: more changes, one after the other, until the loose planes are fooled
/// that are needed. Each is the one that fools most or, among equals, takes most from loose planes.
void StepFlipper::fool_loose(const VectorRef& x, int label, Index required_weight,
                             Vector& moved) const {
    const Ensemble& ensemble = vote_.ensemble();
    const auto standing = [&] {
        double left = 0.0;
        for (int plane : vote_.loose()) {
            const auto w = ensemble.coef().row(plane);
            const double margin = label * (w.dot(moved) + ensemble.intercept()[plane]);
            left += std::max(0.0, margin) / w.cwiseAbs().maxCoeff();
        }
        const Index fooled = weight_of(ensemble, fooled_planes(ensemble, moved, label));
        return std::pair(fooled, -left);
    };
    std::vector<std::pair<int, std::vector<double>>> levers;
    for (int l : vote_.space().features) levers.emplace_back(l, places(l, x[l]));
    auto now = standing();
    while (now.first < required_weight) {
        int best = -1;
        double best_value = 0.0;
        for (const auto& [feature, values] : levers) {
            const double before = moved[feature];
            for (double value : values) {
                moved[feature] = value;
                const auto then = standing();
                if (!(then > now)) continue;
                now = then;
                best = feature;
                best_value = value;
            }
            moved[feature] = before;
        }
        if (best < 0) return;
        moved[best] = best_value;
    }
}

Flip StepFlipper::bracket(const VectorRef& x, int current_label, Index required_weight,
                          const PointLimits& limits) {
    const Ensemble& ensemble = vote_.ensemble();
    load(x, current_label, limits);
    const std::vector<int> fooled = fooled_planes(ensemble, x, current_label);
    const std::int64_t wanted = required_weight - weight_of(ensemble, fooled);
    std::int64_t given = 0;
    for (int plane : vote_.loose()) {
        const bool is_new = !std::binary_search(fooled.begin(), fooled.end(), plane);
        if (is_new && vote_.private_blocks().empty()) given += ensemble.weight_units(plane);
    }
    Flip best;
    is_rounded_ = false;
    if (wanted <= 0) return best;
    // What is left to the loose planes they may do by chance: the more the others do, the less is
    // left.
    std::vector<std::int64_t> goals;
    const std::int64_t further = std::max<std::int64_t>(1, (given + kMostGoals - 1) / kMostGoals);
    for (std::int64_t goal = wanted - given; goal < wanted; goal += further) goals.push_back(goal);
    goals.push_back(wanted);
    // In the end without the loose planes.
    if (!vote_.private_blocks().empty()) goals.push_back(wanted);
    for (std::size_t g = 0; g < goals.size() && best.d.size() == 0; ++g) {
        const bool is_alone = g > 0 && g + 1 == goals.size();
        if (is_alone) starts_.resize(1 + vote_.blocks().size() + vote_.group_blocks().size());
        Bounds bounds;
        if (goals[g] <= 0 || !solve(goals[g], bounds)) continue;
        if (g == 0) best.lower = lower_end(bounds);
        if (chosen_.empty()) continue;
        Flip flip;
        Vector moved = moved_by_chosen(x);
        if (g == 0 && vote_.model().counts()) fool_loose(x, current_label, required_weight, moved);
        const SizeEnds size = write(x, moved, current_label, flip);
        if (weight_of(ensemble, flip.fooled) < required_weight) continue;
        flip.lower = best.lower;
        is_rounded_ = vote_.discrete_sizes() && flip.lower < size.down;
        best = std::move(flip);
    }
    best.lower = std::min(best.lower, best.upper);
    return best;
}

}  // namespace redoubt
