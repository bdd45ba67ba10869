#include "counting/cost_unit.hpp"

#include <cmath>

namespace redoubt {

namespace {

/// Costs of more units than this do not count in them: sums must stay exact.
constexpr double kMostUnits = 1e9;

}  // namespace

double common_unit(const std::set<double>& costs) {
    double unit = 0.0;
    for (double cost : costs) {
        // Euclid; the remainders of doubles are exact.
        double a = cost;
        double b = unit;
        while (b != 0.0) {
            const double rest = std::fmod(a, b);
            a = b;
            b = rest;
        }
        unit = a;
        if (!(*costs.rbegin() / unit < kMostUnits)) return 0.0;
    }
    return unit;
}

double cost_unit(const AttackModel& model) {
    std::set<double> costs(model.cost.begin(), model.cost.end());
    if (costs.empty()) costs.insert(1.0);
    for (const OneHotGroup& group : model.one_hot) {
        if (group.switch_cost < HUGE_VAL) costs.insert(group.switch_cost);
        for (const SwitchPrice& each : group.prices) {
            if (each.cost < HUGE_VAL) costs.insert(each.cost);
        }
    }
    return costs.size() > kMostCosts ? 0.0 : common_unit(costs);
}

}  // namespace redoubt
