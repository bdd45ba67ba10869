#include "counting/counted_planes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "counting/cost_unit.hpp"

namespace redoubt {

namespace {

/// Ranked features whose weights are kept side by side.
constexpr std::size_t kSideBySide = 4096;

/// The exponent of the last digit of a number, which is not 0.
int last_digit(double value) {
    int exponent = 0;
    const double fraction = std::frexp(std::abs(value), &exponent);
    auto digits = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
    exponent -= 53;
    while ((digits & 1U) == 0) {
        digits >>= 1U;
        ++exponent;
    }
    return exponent;
}

/// The largest power of 2 of which all numbers of a plane are multiples.
double grid_of(const Ensemble& ensemble, Index plane) {
    // Finer grids leave too few digits for sums.
    constexpr int kFinest = -40;
    constexpr int kNone = 2000;
    const auto w = ensemble.coef().row(plane);
    const double b = ensemble.intercept()[plane];
    int exponent = b != 0.0 ? last_digit(b) : kNone;
    const int largest = std::ilogb(std::max(std::abs(b), w.cwiseAbs().maxCoeff()) + 1e-300);
    for (Index l = 0; l < w.size() && exponent >= largest + kFinest; ++l) {
        if (w[l] != 0.0) exponent = std::min(exponent, last_digit(w[l]));
    }
    const bool is_grid = exponent >= largest + kFinest && exponent > -1000 && exponent < 1000;
    return is_grid ? std::ldexp(1.0, exponent) : 0.0;
}

}  // namespace

CountedPlanes::CountedPlanes(const Ensemble& ensemble, const MoveSpace& space)
    : ensemble_(ensemble), space_(space) {
    const auto n = static_cast<std::size_t>(ensemble.n_features());
    is_free_.assign(n, 0);
    for (int l : space.features) is_free_[static_cast<std::size_t>(l)] = 1;
    if (!model().integers.empty()) {
        integer_of_.assign(n, -1);
        for (std::size_t i = 0; i < model().integers.size(); ++i)
            integer_of_[static_cast<std::size_t>(model().integers[i].feature)] =
                static_cast<int>(i);
    }
    for (int l : space.features) {
        if (usual_value(l) != 0.0) not_zero_.push_back(l);
    }
    for (Index i = 0; i < ensemble.n_planes(); ++i) grids_.push_back(grid_of(ensemble, i));
    find_cost_unit();
}

void CountedPlanes::find_cost_unit() {
    std::set<double> costs;
    if (model().cost.size() == 0 && !space_.features.empty()) costs.insert(1.0);
    for (int l : space_.features) {
        if (model().cost.size() == 0 || costs.size() > kMostCosts) break;
        costs.insert(model().cost[l]);
    }
    for (int g : space_.groups) {
        const OneHotGroup& group = model().one_hot[static_cast<std::size_t>(g)];
        if (group.switch_cost < HUGE_VAL) costs.insert(group.switch_cost);
        for (const SwitchPrice& each : group.prices) {
            if (each.cost < HUGE_VAL) costs.insert(each.cost);
        }
    }
    least_cost_ = HUGE_VAL;
    if (costs.empty()) return;
    least_cost_ = *costs.begin();
    if (costs.size() > kMostCosts) {
        for (int l : space_.features) least_cost_ = std::min(least_cost_, model().cost[l]);
        return;
    }
    cost_unit_ = common_unit(costs);
}

double CountedPlanes::usual_value(Index feature) const {
    const double value = std::clamp(0.0, model().lower_of(feature), model().upper_of(feature));
    const int integer = integer_of(feature);
    if (integer < 0) return value;
    const IntegerFeature& one = model().integers[static_cast<std::size_t>(integer)];
    return one.value(one.nearest(value));
}

FeatureEnds CountedPlanes::ends(Index feature, double x) const {
    FeatureEnds found;
    const Direction direction = model().direction_of(feature);
    const int integer = integer_of(feature);
    const double lower = model().lower_of(feature);
    const double upper = model().upper_of(feature);
    const auto add = [&](double value, bool is_whole) {
        if (value == x) return;
        found.ends[static_cast<std::size_t>(found.n++)] = {value, is_whole};
    };
    if (integer < 0) {
        if (direction != Direction::Up && lower < x) add(lower, false);
        if (direction != Direction::Down && upper > x) add(upper, false);
        return found;
    }
    const IntegerFeature& one = model().integers[static_cast<std::size_t>(integer)];
    const double now = one.nearest(x);
    if (direction != Direction::Up && lower < x) {
        double first = std::ceil(lower * one.scale + one.offset - 0.5);
        while (first < now && one.value(first) < lower) first += 1.0;
        if (first < now) add(one.value(first), now - first == 1.0);
    }
    if (direction != Direction::Down && upper > x) {
        double last = std::floor(upper * one.scale + one.offset + 0.5);
        while (last > now && one.value(last) > upper) last -= 1.0;
        if (last > now) add(one.value(last), last - now == 1.0);
    }
    return found;
}

const std::vector<CountedPlanes::Ranked>& CountedPlanes::ranked(int label) const {
    Order& order = orders_[label > 0 ? 1 : 0];
    std::call_once(order.once, [&] { rank(label); });
    return order.features;
}

void CountedPlanes::rank(int label) const {
    const Matrix& W = ensemble_.coef();
    // By rows: the columns of a wide matrix are far apart.
    Vector most_up = Vector::Zero(W.cols());
    Vector most_down = Vector::Zero(W.cols());
    for (Index i = 0; i < W.rows(); ++i) {
        most_up = most_up.cwiseMax(-label * W.row(i).transpose());
        most_down = most_down.cwiseMax(label * W.row(i).transpose());
    }
    std::vector<Ranked>& features = orders_[label > 0 ? 1 : 0].features;
    for (int l : space_.features) {
        const double x = usual_value(l);
        const FeatureEnds reached = ends(l, x);
        double worth = 0.0;
        for (int e = 0; e < reached.n; ++e) {
            const double step = reached.ends[static_cast<std::size_t>(e)].value - x;
            worth = std::max(worth, step > 0.0 ? most_up[l] * step : -most_down[l] * step);
        }
        if (worth > 0.0) features.push_back({l, worth / model().cost_of(l)});
    }
    std::sort(features.begin(), features.end(), [](const Ranked& a, const Ranked& b) {
        return a.worth > b.worth || (a.worth == b.worth && a.feature < b.feature);
    });
    features.shrink_to_fit();
    std::vector<double>& weights = orders_[label > 0 ? 1 : 0].weights;
    for (std::size_t at = 0; at < std::min(features.size(), kSideBySide); ++at) {
        for (Index i = 0; i < W.rows(); ++i) weights.push_back(W(i, features[at].feature));
    }
}

}  // namespace redoubt
