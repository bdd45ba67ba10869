#include "threat/random_models.hpp"

#include <cmath>

#include "core/random.hpp"

namespace redoubt::testing {

std::string rules_text(unsigned rules) {
    std::string text = "rules";
    if ((rules & kScale) != 0) text += " scale";
    if ((rules & kFrozen) != 0) text += " frozen";
    if ((rules & kOneSided) != 0) text += " one-sided";
    if ((rules & kRange) != 0) text += " range";
    if ((rules & kIntegers) != 0) text += " integers";
    if ((rules & kOneHot) != 0) text += " one-hot";
    return text;
}

bool is_on_grid(std::uint64_t seed) {
    return seed % 4 == 3;
}

namespace {

/// Asymmetric; about one switch of eight is impossible and one of eight is free.
void add_prices(Random& random, OneHotGroup& group) {
    const auto n = static_cast<int>(group.features.size());
    for (int from = 0; from < n; ++from) {
        for (int to = 0; to < n; ++to) {
            if (from == to || random.below(4) == 0) continue;
            const Index kind = random.below(8);
            const double cost = kind == 0 ? HUGE_VAL : 0.25 * static_cast<double>(kind - 1);
            group.prices.push_back({from, to, cost});
        }
    }
}

void add_one_hot(Random& random, Index first, AttackModel& model, Vector& x) {
    OneHotGroup group;
    const bool is_scaled = random.below(2) == 0;
    for (Index l = first; l < x.size(); ++l) group.features.push_back(static_cast<int>(l));
    const auto size = static_cast<Index>(group.features.size());
    group.switch_cost =
        random.below(6) == 0 ? 0.0 : 0.25 * static_cast<double>(1 + random.below(8));
    if (is_scaled) {
        group.on = Vector::Constant(size, 1.5);
        group.off = Vector::Constant(size, -0.5);
    }
    const Index on = random.below(size);
    for (Index i = 0; i < size; ++i) {
        const auto member = static_cast<std::size_t>(i);
        x[first + i] = i == on ? group.on_value(member) : group.off_value(member);
    }
    model.one_hot.push_back(group);
}

void add_rules(Random& random, unsigned rules, Index n_free, AttackModel& model, Vector& x) {
    const Index n = x.size();
    if ((rules & (kScale | kFrozen)) != 0) model.scale = Vector::Ones(n);
    if ((rules & kScale) != 0) {
        for (Index l = 0; l < n_free; ++l)
            model.scale[l] = 0.25 * static_cast<double>(1 + random.below(12));
    }
    if ((rules & kFrozen) != 0) {
        for (Index l = 0; l < n_free; ++l) {
            if (random.below(3) == 0) model.scale[l] = 0.0;
        }
    }
    if ((rules & kOneSided) != 0) {
        model.direction.assign(static_cast<std::size_t>(n), Direction::Both);
        for (Index l = 0; l < n_free; ++l) {
            const Index kind = random.below(3);
            model.direction[static_cast<std::size_t>(l)] = kind == 0   ? Direction::Up
                                                           : kind == 1 ? Direction::Down
                                                                       : Direction::Both;
        }
    }
    if ((rules & kIntegers) != 0) {
        for (Index l = 0; l < std::min<Index>(n_free, 2); ++l) {
            IntegerFeature one{static_cast<int>(l), 0.0, 1.0};
            if (random.below(3) == 0) one = {static_cast<int>(l), 0.7, 1.3};
            x[l] = one.value(std::round(2.0 * random.normal()));
            model.integers.push_back(one);
        }
    }
    if ((rules & kRange) == 0) return;
    model.lower = Vector::Constant(n, -HUGE_VAL);
    model.upper = Vector::Constant(n, HUGE_VAL);
    for (Index l = 0; l < n_free; ++l) {
        const Index kind = random.below(4);
        if (kind != 0) model.lower[l] = x[l] - 0.5 * static_cast<double>(random.below(5));
        if (kind != 1) model.upper[l] = x[l] + 0.5 * static_cast<double>(random.below(5));
    }
}

}  // namespace

double price_by_hand(const OneHotGroup& group, std::size_t from, std::size_t to) {
    if (from == to) return 0.0;
    for (const SwitchPrice& each : group.prices) {
        if (each.from == static_cast<int>(from) && each.to == static_cast<int>(to))
            return each.cost;
    }
    return group.switch_cost;
}

ModelProblem make_model_problem(Norm norm, unsigned rules, std::uint64_t seed) {
    Random random(seed * 64 + rules, static_cast<std::uint64_t>(norm) + 1);
    const bool is_grid = is_on_grid(seed);
    const auto draw = [&] { return is_grid ? std::round(1.5 * random.normal()) : random.normal(); };
    const Index k = 1 + random.below(7);
    const Index n_free = 2 + random.below(3);
    const Index n = n_free + ((rules & kOneHot) != 0 ? 3 : 0);
    Vector x(n);
    for (double& value : x) value = draw();
    AttackModel model;
    model.norm = norm;
    add_rules(random, rules, n_free, model, x);
    if ((rules & kOneHot) != 0) add_one_hot(random, n_free, model, x);
    Random other(seed, rules);
    if ((rules & kOneHot) != 0 && seed % 5 < 2) add_prices(other, model.one_hot[0]);
    Matrix W(k, n);
    Vector b(k);
    Vector common(n);
    for (double& value : common) value = draw();
    const bool is_bagged = seed % 2 == 0;
    for (Index i = 0; i < k; ++i) {
        for (Index l = 0; l < n; ++l) W(i, l) = draw() + (is_bagged ? 2.0 * common[l] : 0.0);
        // Planes near the point, so that small moves matter.
        b[i] = is_grid ? draw() - std::round(W.row(i).dot(x)) : draw() - W.row(i).dot(x);
        if (is_bagged) b[i] -= common.norm();
    }
    return {Ensemble(W, b), x, model};
}

}  // namespace redoubt::testing
