#include "support/attack_support.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace redoubt::testing {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What is left of the radius when a part of the move has this size (negative: nothing).
double rest_of(Norm norm, double radius, double used) {
    if (used > radius * (1.0 + 1e-12)) return -1.0;
    switch (norm) {
        case Norm::L1:
            return std::max(0.0, radius - used);
        case Norm::L2:
            return std::sqrt(std::max(0.0, radius * radius - used * used));
        case Norm::LInf:
        case Norm::L0:
            break;
    }
    return radius;
}

double join(Norm norm, double a, double b) {
    return norm == Norm::L1 ? a + b : norm == Norm::L2 ? std::hypot(a, b) : std::max(a, b);
}

/// One feature in units of the ball: gain per unit, and how far it goes in the gaining direction.
struct Slot {
    int feature;
    double gain;  ///< >= 0
    double room;  ///< >= 0
    double sign;
};

class Search {
public:
    Search(const AttackModel& model, const Vector& x, const Vector& g, double radius)
        : model_(model), x_(x), g_(g), radius_(radius), kind_(static_cast<std::size_t>(x.size())) {
        for (const IntegerFeature& one : model.integers) at(one.feature) = 'w';
        for (const OneHotGroup& group : model.one_hot) {
            for (int l : group.features) at(l) = 'g';
        }
        for (Index l = 0; l < x.size(); ++l) {
            if (at(l) == 0 && model.scale_of(l) > 0.0) at(l) = 'c';
        }
    }

    Vector run() {
        best_ = Vector::Zero(x_.size());
        try_groups(0, Vector::Zero(x_.size()), 0.0);
        return best_;
    }

private:
    char& at(Index l) { return kind_[static_cast<std::size_t>(l)]; }

    void try_groups(std::size_t number, Vector d, double used) {
        if (number == model_.one_hot.size()) return try_integers(0, std::move(d), used);
        try_groups(number + 1, d, used);
        const OneHotGroup& group = model_.one_hot[number];
        for (int l : group.features) {
            if (model_.scale_of(l) == 0.0) return;
        }
        std::size_t now = 0;
        while (x_[group.features[now]] != group.on_value(now)) ++now;
        for (std::size_t on = 0; on < group.features.size(); ++on) {
            double price = on == now ? 0.0 : group.switch_cost;
            for (const SwitchPrice& each : group.prices) {
                if (each.from == static_cast<int>(now) && each.to == static_cast<int>(on))
                    price = each.cost;
            }
            const double size = join(model_.norm, used, price);
            if (rest_of(model_.norm, radius_, size) < 0.0) continue;
            Vector moved = d;
            for (std::size_t i = 0; i < group.features.size(); ++i) {
                const double value = i == on ? group.on_value(i) : group.off_value(i);
                moved[group.features[i]] = value - x_[group.features[i]];
            }
            try_groups(number + 1, moved, size);
        }
    }

    void try_integers(std::size_t number, Vector d, double used) {
        if (number == model_.integers.size()) return try_rest(std::move(d), used);
        const IntegerFeature& one = model_.integers[number];
        const int l = one.feature;
        const double scale = model_.scale_of(l);
        try_integers(number + 1, d, used);
        if (scale == 0.0) return;
        const double now = one.nearest(x_[l]);
        const double reach = std::ceil(radius_ * scale * one.scale) + 1.0;
        for (double z = now - reach; z <= now + reach; z += 1.0) {
            const double value = one.value(z);
            if (z == now || value < model_.lower_of(l) || value > model_.upper_of(l)) continue;
            if (z < now && model_.direction_of(l) == Direction::Up) continue;
            if (z > now && model_.direction_of(l) == Direction::Down) continue;
            const double size = join(model_.norm, used, std::abs(value - x_[l]) / scale);
            if (rest_of(model_.norm, radius_, size) < 0.0) continue;
            Vector moved = d;
            moved[l] = value - x_[l];
            try_integers(number + 1, moved, size);
        }
    }

    void try_rest(Vector d, double used) {
        const double rest = rest_of(model_.norm, radius_, used);
        std::vector<Slot> slots;
        for (Index l = 0; l < x_.size(); ++l) {
            if (at(l) != 'c' || g_[l] == 0.0) continue;
            const double scale = model_.scale_of(l);
            const double sign = g_[l] > 0.0 ? 1.0 : -1.0;
            const bool is_barred =
                model_.direction_of(l) == (sign > 0.0 ? Direction::Down : Direction::Up);
            const double end = sign > 0.0 ? model_.upper_of(l) - x_[l] : x_[l] - model_.lower_of(l);
            slots.push_back({static_cast<int>(l), std::abs(g_[l]) * scale,
                             is_barred ? 0.0 : std::max(0.0, end / scale), sign});
        }
        const std::vector<double> u = fill(slots, rest);
        for (std::size_t i = 0; i < slots.size(); ++i) {
            const int l = slots[i].feature;
            d[l] = slots[i].sign * u[i] * model_.scale_of(l);
        }
        if (g_.dot(d) > g_.dot(best_)) best_ = d;
    }

    std::vector<double> fill(std::vector<Slot>& slots, double rest) const {
        std::vector<double> u(slots.size(), 0.0);
        if (model_.norm == Norm::L1)
            std::sort(slots.begin(), slots.end(),
                      [](const Slot& a, const Slot& b) { return a.gain > b.gain; });
        if (model_.norm != Norm::L2) {
            for (std::size_t i = 0; i < slots.size(); ++i) {
                u[i] = std::min(slots[i].room, rest);
                if (model_.norm == Norm::L1) rest -= u[i];
            }
            return u;
        }
        // u = min(room, gain / nu): the least nu that fits, by bisection on its logarithm.
        const auto at = [&](double nu) {
            double squares = 0.0;
            for (std::size_t i = 0; i < slots.size(); ++i) {
                u[i] = std::min(slots[i].room, slots[i].gain / nu);
                squares += u[i] * u[i];
            }
            return std::sqrt(squares);
        };
        double low = -60.0;
        double high = 60.0;
        for (int i = 0; i < 200; ++i) {
            const double middle = 0.5 * (low + high);
            (at(std::exp(middle)) > rest ? low : high) = middle;
        }
        at(std::exp(high));
        return u;
    }

    const AttackModel& model_;
    const Vector& x_;
    const Vector& g_;
    double radius_;
    std::vector<char> kind_;  ///< 'c' free, 'w' whole, 'g' grouped, 0 frozen
    Vector best_;
};

void make_ranges(AttackProblem& problem, std::mt19937_64& random) {
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    problem.model.lower = problem.X.colwise().minCoeff();
    problem.model.upper = problem.X.colwise().maxCoeff();
    for (Index l = 0; l < problem.X.cols(); ++l) {
        if (uniform(random) < 0.3) problem.model.lower[l] = -kInfinity;
        if (uniform(random) < 0.3) problem.model.upper[l] += 0.2;
    }
}

void make_directions(AttackProblem& problem, std::mt19937_64& random) {
    for (Index l = 0; l < problem.X.cols(); ++l)
        problem.model.direction.push_back(static_cast<Direction>(random() % 3));
}

void make_scales(AttackProblem& problem, std::mt19937_64& random, bool has_frozen) {
    std::uniform_real_distribution<double> uniform(0.3, 2.0);
    problem.model.scale.resize(problem.X.cols());
    for (double& scale : problem.model.scale) scale = uniform(random);
    if (has_frozen) problem.model.scale[static_cast<Index>(random() % 2)] = 0.0;
}

/// The last feature becomes whole.
void make_integer(AttackProblem& problem) {
    const Index l = problem.X.cols() - 1;
    problem.X.col(l) = (2.0 * problem.X.col(l)).array().round().matrix();
    problem.X.col(l) /= 4.0;
    problem.model.integers.push_back({static_cast<int>(l), 0.0, 4.0});
}

/// Two or three more features, one of them on.
void make_one_hot(AttackProblem& problem, std::mt19937_64& random) {
    const Index n = problem.X.cols();
    const auto size = static_cast<Index>(2 + random() % 2);
    problem.X.conservativeResize(Eigen::NoChange, n + size);
    OneHotGroup group;
    group.switch_cost = 0.2 * static_cast<double>(random() % 4);
    if (group.switch_cost == 0.4) group.prices = {{0, 1, 0.1}, {1, 0, HUGE_VAL}};
    for (Index i = 0; i < size; ++i) group.features.push_back(static_cast<int>(n + i));
    for (Index j = 0; j < problem.X.rows(); ++j) {
        problem.X.row(j).tail(size).setZero();
        // Labels go with the first member, most of the time.
        const bool is_first = problem.y[j] > 0.0 && random() % 4 != 0;
        const auto on = is_first ? 0 : static_cast<Index>(random()) % size;
        problem.X(j, n + std::abs(on)) = 1.0;
    }
    if (problem.model.scale.size() > 0) {
        problem.model.scale.conservativeResize(n + size);
        problem.model.scale.tail(size).setOnes();
    }
    if (!problem.model.direction.empty())
        problem.model.direction.resize(static_cast<std::size_t>(n + size), Direction::Both);
    if (problem.model.lower.size() > 0) {
        problem.model.lower.conservativeResize(n + size);
        problem.model.lower.tail(size).setConstant(-kInfinity);
        problem.model.upper.conservativeResize(n + size);
        problem.model.upper.tail(size).setConstant(kInfinity);
    }
    problem.model.one_hot.push_back(group);
}

}  // namespace

Vector worst_move(const AttackModel& model, const Vector& x, const Vector& g, double radius) {
    return Search(model, x, g, radius).run();
}

const std::vector<AttackKind>& all_attack_kinds() {
    static const std::vector<AttackKind> kinds{
        AttackKind::Scale, AttackKind::Frozen, AttackKind::OneSided, AttackKind::Range,
        AttackKind::Whole, AttackKind::OneHot, AttackKind::OneClass, AttackKind::Mixed};
    return kinds;
}

std::string to_string(AttackKind kind) {
    switch (kind) {
        case AttackKind::Scale:
            return "Scale";
        case AttackKind::Frozen:
            return "Frozen";
        case AttackKind::OneSided:
            return "OneSided";
        case AttackKind::Range:
            return "Range";
        case AttackKind::Whole:
            return "Whole";
        case AttackKind::OneHot:
            return "OneHot";
        case AttackKind::OneClass:
            return "OneClass";
        case AttackKind::Mixed:
            return "Mixed";
    }
    return "unknown";
}

AttackProblem make_attack_problem(AttackKind kind, Norm norm, std::uint64_t seed) {
    std::mt19937_64 random(seed * 1000003 + static_cast<std::uint64_t>(kind) * 17 +
                           static_cast<std::uint64_t>(norm));
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    const auto n = static_cast<Index>(2 + random() % 2);
    const auto m = static_cast<Index>(10 + random() % 9);
    const double distance = seed % 2 == 1 ? 3.0 : 0.7;
    AttackProblem problem{Matrix(m, n), Vector(m), Vector(m), Vector(m), {}};
    problem.model.norm = norm;
    for (Index j = 0; j < m; ++j) {
        problem.y[j] = j % 2 == 0 ? 1.0 : -1.0;
        for (Index l = 0; l < n; ++l)
            problem.X(j, l) =
                normal(random) + problem.y[j] * distance / std::sqrt(static_cast<double>(n));
        problem.weights[j] = 0.2 + uniform(random);
        problem.radii[j] = 0.1 + 0.5 * uniform(random);
    }
    const bool is_mixed = kind == AttackKind::Mixed;
    if (kind == AttackKind::Whole || is_mixed) make_integer(problem);
    if (kind == AttackKind::Scale || is_mixed) make_scales(problem, random, false);
    if (kind == AttackKind::Frozen) make_scales(problem, random, true);
    if (kind == AttackKind::OneSided || is_mixed) make_directions(problem, random);
    if (kind == AttackKind::Range || kind == AttackKind::OneClass || is_mixed)
        make_ranges(problem, random);
    if (kind == AttackKind::OneHot || is_mixed) make_one_hot(problem, random);
    if (kind == AttackKind::OneClass || (is_mixed && seed % 3 == 0))
        problem.model.attacking_class = seed % 4 < 2 ? 1 : -1;
    return problem;
}

}  // namespace redoubt::testing
