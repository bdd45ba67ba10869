#pragma once

/// Small votes and points under rules that count, and what every allowed move of them does.

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "redoubt/attack_model.hpp"
#include "redoubt/ensemble.hpp"

namespace redoubt::testing {

struct CountingCase {
    Ensemble ensemble;
    AttackModel threat;
    Vector x;
};

class CountingCases {
public:
    explicit CountingCases(unsigned seed) : random_(seed) {}

    int pick(int first, int last) {
        return std::uniform_int_distribution<int>(first, last)(random_);
    }
    bool flip(double share) { return std::bernoulli_distribution(share)(random_); }

    /// Integers in small ranges, one-hot groups, directions, costs, quotas: few values, so that ties
    /// and zero gains are frequent. `digits` > 0 makes weights that do tie only rarely.
    CountingCase draw(bool is_rough) {
        const int n = pick(1, 6);
        const int k = flip(0.3) ? 1 : pick(2, 5);
        Matrix W(k, n);
        Vector b(k);
        const auto number = [&](int most) {
            return is_rough ? std::normal_distribution<double>(0.0, most)(random_)
                            : static_cast<double>(pick(-most, most));
        };
        for (Index i = 0; i < k; ++i) {
            for (Index l = 0; l < n; ++l) W(i, l) = number(2);
            b[i] = number(3);
        }
        AttackModel threat;
        threat.norm = Norm::L0;
        threat.lower = Vector::Zero(n);
        threat.upper = Vector::Ones(n);
        Vector x(n);
        int first_free = 0;
        if (n >= 3 && flip(0.3)) {
            OneHotGroup group{.features = {0, 1, 2}, .switch_cost = static_cast<double>(pick(1, 2))};
            if (flip(0.5)) group.set_cost(pick(0, 2), -1, pick(1, 3));
            if (flip(0.3)) group.set_cost(-1, pick(0, 2), HUGE_VAL);
            threat.one_hot.push_back(group);
            first_free = 3;
            const int on = pick(0, 2);
            for (int l = 0; l < 3; ++l) {
                threat.lower[l] = -HUGE_VAL;
                threat.upper[l] = HUGE_VAL;
                x[l] = l == on ? 1.0 : 0.0;
            }
        }
        for (int l = first_free; l < n; ++l) {
            threat.integers.push_back({l});
            if (flip(0.3)) {
                threat.lower[l] = pick(-2, 0);
                threat.upper[l] = pick(1, 2);
            }
            x[l] = pick(static_cast<int>(threat.lower[l]), static_cast<int>(threat.upper[l]));
        }
        if (flip(0.5)) {
            threat.direction.assign(static_cast<std::size_t>(n), Direction::Both);
            for (int l = first_free; l < n; ++l) {
                const int way = pick(0, 2);
                threat.direction[static_cast<std::size_t>(l)] =
                    way == 0 ? Direction::Both : way == 1 ? Direction::Up : Direction::Down;
            }
        }
        if (flip(0.3)) {
            threat.scale = Vector::Ones(n);
            for (int l = first_free; l < n; ++l) threat.scale[l] = flip(0.2) ? 0.0 : 1.0;
        }
        if (flip(0.4)) {
            const double costs[] = {1.0, 2.0, 3.0, 0.5, 0.1, 0.3};
            threat.cost.resize(n);
            for (int l = 0; l < n; ++l) threat.cost[l] = costs[pick(0, flip(0.5) ? 2 : 5)];
        }
        Vector weights;
        if (k > 1 && flip(0.3)) {
            weights.resize(k);
            for (Index i = 0; i < k; ++i) weights[i] = pick(1, 3);
        }
        const Ensemble vote(W, b, weights);
        if (!flip(0.3)) return {vote, threat, x};
        return {vote.with_quota(pick(1, static_cast<int>(vote.total_units()))), threat, x};
    }

private:
    std::mt19937 random_;
};

/// Calls `take(moved, size)` for every point that the rules allow.
inline void for_each_move(const CountingCase& each,
                          const std::function<void(const Vector&, double)>& take) {
    const AttackModel& threat = each.threat;
    const Index n = each.x.size();
    std::vector<std::vector<double>> values(static_cast<std::size_t>(n));
    for (Index l = 0; l < n; ++l) {
        const bool is_grouped = threat.lower_of(l) == -HUGE_VAL;
        const int first = is_grouped ? 0 : static_cast<int>(threat.lower_of(l));
        const int last = is_grouped ? 1 : static_cast<int>(threat.upper_of(l));
        for (int v = first; v <= last; ++v) values[static_cast<std::size_t>(l)].push_back(v);
    }
    Vector moved = each.x;
    const std::function<void(Index)> go = [&](Index l) {
        if (l == n) {
            if (threat.allows(each.x, moved))
                take(moved, threat.move_size(each.x, moved - each.x));
            return;
        }
        for (double value : values[static_cast<std::size_t>(l)]) {
            moved[l] = value;
            go(l + 1);
        }
        moved[l] = each.x[l];
    };
    go(0);
}

/// The least size of a move that changes the answer.
inline double least_by_hand(const CountingCase& each) {
    const int label = each.ensemble.predict(each.x);
    double least = HUGE_VAL;
    for_each_move(each, [&](const Vector& moved, double size) {
        if (each.ensemble.predict(moved) != label) least = std::min(least, size);
    });
    return least;
}

}  // namespace redoubt::testing
