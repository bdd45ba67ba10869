#include "separable/step_flipper.hpp"

#include <algorithm>
#include <cmath>

#include "core/rounding.hpp"

namespace redoubt {

namespace {

/// Steps of dynamic programming for one point; more are left to the search.
constexpr std::int64_t kMostSteps = 20'000'000;

}  // namespace

/// The nearest value from there on that the rules allow.
std::optional<double> StepFlipper::allowed(int feature, double x, double value, bool is_up) const {
    const AttackModel& model = vote_.model();
    if (model.direction_of(feature) == (is_up ? Direction::Down : Direction::Up))
        return std::nullopt;
    const int integer = vote_.integer_of(feature);
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

/// The offers of one way, nearest first: a step further, and all planes up to there have changed
/// their answers. False where a step wins and another one loses within one double.
bool StepFlipper::walk(int block_at, double x, int label, bool is_up) {
    const StepVote::Block& block = vote_.blocks()[static_cast<std::size_t>(block_at)];
    const AttackModel& model = vote_.model();
    const Ensemble& ensemble = vote_.ensemble();
    const std::vector<Step>& steps = block.steps;
    const double scale = model.scale_of(block.feature);
    const auto first = std::upper_bound(steps.begin(), steps.end(), x,
                                        [](double v, const Step& s) { return v < s.first; });
    auto at = static_cast<std::ptrdiff_t>(first - steps.begin()) - (is_up ? 0 : 1);
    const auto end = is_up ? static_cast<std::ptrdiff_t>(steps.size()) : std::ptrdiff_t{-1};
    std::int64_t weight = 0;
    std::int64_t most = 0;
    while (at != end) {
        const double threshold = steps[static_cast<std::size_t>(at)].first;
        bool wins = false;
        bool loses = false;
        for (; at != end && steps[static_cast<std::size_t>(at)].first == threshold;
             at += is_up ? 1 : -1) {
            const Step& step = steps[static_cast<std::size_t>(at)];
            const int after = is_up ? -step.left : step.left;
            (after != label ? wins : loses) = true;
            const std::int64_t units = ensemble.weight_units(step.plane);
            weight += after != label ? units : -units;
        }
        if (wins && loses) return false;
        if (weight <= most) continue;
        const double before = std::nextafter(threshold, -HUGE_VAL);
        const std::optional<double> value =
            allowed(block.feature, x, is_up ? threshold : before, is_up);
        if (!value) return true;
        most = weight;
        Offer offer{weight, 0.0, 0.0, *value, block_at};
        if (model.counts()) {
            offer.lower = offer.upper = model.cost_of(block.feature);
        } else {
            // The threshold lies between the two doubles.
            const double nearest = is_up ? before : threshold;
            offer.lower = std::abs(nearest - x) / scale * (1.0 - 4.0 * kEps);
            offer.upper = std::abs(*value - x) / scale * (1.0 + 4.0 * kEps);
            if (model.norm == Norm::L2) {
                offer.lower *= offer.lower * (1.0 - 2.0 * kEps);
                offer.upper *= offer.upper * (1.0 + 2.0 * kEps);
            }
            if (!std::isfinite(offer.upper)) return true;
        }
        found_.push_back(offer);
    }
    return true;
}

bool StepFlipper::load_block(int block, double x, int label) {
    found_.clear();
    if (!walk(block, x, label, true) || !walk(block, x, label, false)) return false;
    std::sort(found_.begin(), found_.end(), [](const Offer& a, const Offer& b) {
        return a.lower < b.lower || (a.lower == b.lower && a.weight > b.weight) ||
               (a.lower == b.lower && a.weight == b.weight && a.value < b.value);
    });
    std::int64_t most = 0;
    for (const Offer& offer : found_) {
        if (offer.weight <= most) continue;
        most = offer.weight;
        offers_.push_back(offer);
    }
    starts_.push_back(offers_.size());
    return true;
}

bool StepFlipper::load(const VectorRef& x, int label) {
    offers_.clear();
    starts_.assign(1, 0);
    for (std::size_t b = 0; b < vote_.blocks().size(); ++b) {
        if (!load_block(static_cast<int>(b), x[vote_.blocks()[b].feature], label)) return false;
    }
    return true;
}

/// The size at which the weight is enough when each feature goes that far.
void StepFlipper::solve_linf(std::int64_t wanted, double& lower) {
    double sizes[2] = {HUGE_VAL, HUGE_VAL};
    for (const bool is_upper : {false, true}) {
        events_.clear();
        for (std::size_t b = 0; b + 1 < starts_.size(); ++b) {
            std::int64_t last = 0;
            for (std::size_t o = starts_[b]; o < starts_[b + 1]; ++o) {
                const Offer& offer = offers_[o];
                events_.emplace_back(is_upper ? offer.upper : offer.lower, offer.weight - last);
                last = offer.weight;
            }
        }
        std::sort(events_.begin(), events_.end());
        std::int64_t sum = 0;
        for (const auto& [size, weight] : events_) {
            sum += weight;
            if (sum < wanted) continue;
            sizes[is_upper ? 1 : 0] = size;
            break;
        }
    }
    lower = sizes[0];
    chosen_.clear();
    if (sizes[1] == HUGE_VAL) return;
    for (std::size_t b = 0; b + 1 < starts_.size(); ++b) {
        std::size_t best = starts_[b + 1];
        for (std::size_t o = starts_[b]; o < starts_[b + 1]; ++o) {
            if (offers_[o].upper <= sizes[1]) best = o;
        }
        if (best < starts_[b + 1]) chosen_.push_back(best);
    }
}

/// The least sum of prices of that weight at least; of each feature one offer or none.
double StepFlipper::cheapest(std::int64_t wanted, bool is_upper, bool is_kept) {
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
                const double sum =
                    cost_[g - weight] + (is_upper ? offers_[o].upper : offers_[o].lower);
                if (!(sum < best)) continue;
                best = sum;
                if (is_kept) choice_[b * n + g] = static_cast<int>(o);
            }
            cost_[g] = best;
        }
    }
    return cost_[n - 1];
}

bool StepFlipper::solve_sum(std::int64_t wanted, double& lower) {
    if (wanted > kMostSteps ||
        wanted * static_cast<std::int64_t>(offers_.size() + 1) > kMostSteps) {
        return false;
    }
    const double slack = (static_cast<double>(starts_.size()) + 4.0) * kEps;
    lower = cheapest(wanted, false, false);
    const bool is_exact = vote_.model().counts() && std::all_of(
        offers_.begin(), offers_.end(), [](const Offer& one) {
            return one.lower == std::floor(one.lower) && one.lower < 0x1p30;
        });
    if (!is_exact) lower *= 1.0 - slack;
    chosen_.clear();
    if (cheapest(wanted, true, true) == HUGE_VAL) return true;
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

void StepFlipper::write(const VectorRef& x, int label, Flip& flip) const {
    Vector moved = x;
    for (std::size_t o : chosen_) {
        const Offer& offer = offers_[o];
        moved[vote_.blocks()[static_cast<std::size_t>(offer.block)].feature] = offer.value;
    }
    Vector d = moved - x;
    // No step may end short of its threshold by rounding.
    for (Index l = 0; l < d.size(); ++l) {
        while (d[l] > 0.0 && x[l] + d[l] < moved[l]) d[l] = std::nextafter(d[l], HUGE_VAL);
        while (d[l] < 0.0 && x[l] + d[l] > moved[l]) d[l] = std::nextafter(d[l], -HUGE_VAL);
    }
    const Vector reached = x + d;
    flip.fooled = fooled_planes(vote_.ensemble(), reached, label);
    flip.upper = move_size_ends(vote_.space(), x, reached).up;
    flip.d = std::move(d);
}

std::optional<Flip> StepFlipper::fool_planes(const VectorRef& x, int current_label,
                                             Index required_weight, double cutoff,
                                             const PointLimits& limits) {
    Flip flip;
    if (limits.reached(0, &flip.status)) return flip;
    if (!load(x, current_label)) return std::nullopt;
    const Ensemble& ensemble = vote_.ensemble();
    const std::int64_t wanted =
        required_weight - weight_of(ensemble, fooled_planes(ensemble, x, current_label));
    double lower = HUGE_VAL;
    const Norm norm = vote_.model().norm;
    if (norm == Norm::LInf) {
        solve_linf(wanted, lower);
    } else if (!solve_sum(wanted, lower)) {
        return std::nullopt;
    }
    if (norm == Norm::L2 && lower < HUGE_VAL) lower = std::sqrt(lower) * (1.0 - 2.0 * kEps);
    flip.lower = lower;
    if (lower >= cutoff) return flip;
    if (chosen_.empty()) return flip;
    write(x, current_label, flip);
    // Rounding put the move elsewhere.
    if (weight_of(ensemble, flip.fooled) < required_weight) return std::nullopt;
    flip.lower = std::min(flip.lower, flip.upper);
    return flip;
}

}  // namespace redoubt
