#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "redoubt/attack_model.hpp"

namespace redoubt {

namespace {

/// Values that differ by less than this share of their size are taken as equal: scaling rounds.
constexpr double kSame = 1e-9;

bool is_same(double a, double b) {
    return std::abs(a - b) <= kSame * (1.0 + std::abs(a) + std::abs(b));
}

std::string feature_text(Index feature) {
    return "feature " + std::to_string(feature + 1);
}

void check_lengths(const AttackModel& model, Index n) {
    if (model.scale.size() != 0) check_length("attack_model.scale", model.scale.size(), n);
    if (model.cost.size() != 0) check_length("attack_model.cost", model.cost.size(), n);
    if (model.lower.size() != 0) check_length("attack_model.lower", model.lower.size(), n);
    if (model.upper.size() != 0) check_length("attack_model.upper", model.upper.size(), n);
    if (!model.direction.empty())
        check_length("attack_model.direction", static_cast<Index>(model.direction.size()), n);
}

void check_numbers(const AttackModel& model, Index n) {
    for (Index l = 0; l < model.scale.size(); ++l) {
        if (std::isfinite(model.scale[l]) && model.scale[l] >= 0.0) continue;
        throw InvalidInput("attack_model.scale", "finite numbers >= 0",
                           format_number(model.scale[l]) + " for " + feature_text(l));
    }
    for (Index l = 0; l < n; ++l) {
        const double lower = model.lower_of(l);
        const double upper = model.upper_of(l);
        if (lower <= upper && lower < HUGE_VAL && upper > -HUGE_VAL) continue;
        throw InvalidInput(
            "attack_model.bounds", "lower <= upper, neither of them NaN",
            "[" + format_number(lower) + ", " + format_number(upper) + "] for " + feature_text(l));
    }
}

/// The rules of Norm::L0 and what only it has.
void check_counting(const AttackModel& model, Index n) {
    if (!model.counts()) {
        if (model.cost.size() == 0) return;
        throw InvalidInput("attack_model.cost", "no costs of features under a norm other than l0",
                           "the norm " + std::string(to_string(model.norm)));
    }
    for (Index l = 0; l < model.scale.size(); ++l) {
        if (model.scale[l] == 0.0 || model.scale[l] == 1.0) continue;
        throw InvalidInput("attack_model.scale",
                           "no scales under l0, which counts changes (cost says what each costs)",
                           format_number(model.scale[l]) + " for " + feature_text(l));
    }
    for (Index l = 0; l < model.cost.size(); ++l) {
        if (model.cost[l] > 0.0 && model.cost[l] < HUGE_VAL) continue;
        throw InvalidInput("attack_model.cost", "finite numbers > 0",
                           format_number(model.cost[l]) + " for " + feature_text(l));
    }
    std::vector<char> is_grouped(static_cast<std::size_t>(n), 0);
    for (const OneHotGroup& group : model.one_hot) {
        bool is_priced = group.switch_cost > 0.0;
        for (const SwitchPrice& each : group.prices) is_priced = is_priced && each.cost > 0.0;
        if (!is_priced) {
            throw InvalidInput("attack_model.one_hot", "switches that cost more than 0 under l0",
                               "0 in the group of " + feature_text(group.features[0]));
        }
        for (int l : group.features) is_grouped[static_cast<std::size_t>(l)] = 1;
    }
    for (Index l = 0; l < n; ++l) {
        if (is_grouped[static_cast<std::size_t>(l)] != 0 || model.scale_of(l) == 0.0) continue;
        const Direction direction = model.direction_of(l);
        const bool is_open = (direction != Direction::Up && model.lower_of(l) == -HUGE_VAL) ||
                             (direction != Direction::Down && model.upper_of(l) == HUGE_VAL);
        if (!is_open) continue;
        throw InvalidInput("attack_model.bounds",
                           "a range of every feature that may change under l0, which does not "
                           "limit how far it goes (for 0/1 features: [0, 1])",
                           "none for " + feature_text(l));
    }
}

void check_feature(std::string_view argument, int feature, Index n) {
    if (feature >= 0 && feature < n) return;
    throw InvalidInput(argument, "features 1 to " + std::to_string(n), feature_text(feature));
}

void check_integers(const AttackModel& model, Index n, std::vector<char>& is_integer) {
    for (const IntegerFeature& one : model.integers) {
        check_feature("attack_model.integers", one.feature, n);
        char& mark = is_integer[static_cast<std::size_t>(one.feature)];
        if (mark != 0) {
            throw InvalidInput("attack_model.integers", "each feature once",
                               feature_text(one.feature) + " twice");
        }
        mark = 1;
        if (std::isfinite(one.offset) && std::isfinite(one.scale) && one.scale > 0.0) continue;
        throw InvalidInput("attack_model.integers", "a finite offset and a scale > 0",
                           format_number(one.offset) + " and " + format_number(one.scale) +
                               " for " + feature_text(one.feature));
    }
}

void check_values(const OneHotGroup& group) {
    const auto size = static_cast<Index>(group.features.size());
    if (group.on.size() != 0) check_length("attack_model.one_hot.on", group.on.size(), size);
    if (group.off.size() != 0) check_length("attack_model.one_hot.off", group.off.size(), size);
    for (std::size_t i = 0; i < group.features.size(); ++i) {
        const double on = group.on_value(i);
        const double off = group.off_value(i);
        if (std::isfinite(on) && std::isfinite(off) && on != off) continue;
        throw InvalidInput("attack_model.one_hot", "finite values for on and off that differ",
                           format_number(on) + " and " + format_number(off) + " for " +
                               feature_text(group.features[i]));
    }
}

void check_prices(const OneHotGroup& group) {
    const auto n = static_cast<int>(group.features.size());
    const auto is_member = [&](int member) { return member >= 0 && member < n; };
    const SwitchPrice* last = nullptr;
    for (const SwitchPrice& each : group.prices) {
        if (!is_member(each.from) || !is_member(each.to) || each.from == each.to) {
            throw InvalidInput("attack_model.one_hot.prices",
                               "two different members of " + std::to_string(n),
                               std::to_string(each.from) + " and " + std::to_string(each.to));
        }
        check_value(each.cost >= 0.0, "attack_model.one_hot.prices", "numbers >= 0", each.cost);
        const bool is_sorted = last == nullptr || last->from < each.from ||
                               (last->from == each.from && last->to < each.to);
        if (!is_sorted) {
            throw InvalidInput(
                "attack_model.one_hot.prices", "ascending pairs of members",
                std::to_string(each.from) + " and " + std::to_string(each.to) + " out of order");
        }
        last = &each;
    }
}

void check_groups(const AttackModel& model, Index n, const std::vector<char>& is_integer) {
    std::vector<char> is_grouped(static_cast<std::size_t>(n), 0);
    for (const OneHotGroup& group : model.one_hot) {
        if (group.features.size() < 2) {
            throw InvalidInput("attack_model.one_hot", "groups of at least 2 features",
                               "a group of " + std::to_string(group.features.size()));
        }
        check_value(group.switch_cost >= 0.0, "attack_model.one_hot.switch_cost", "a number >= 0",
                    group.switch_cost);
        check_prices(group);
        for (int l : group.features) {
            check_feature("attack_model.one_hot", l, n);
            const auto at = static_cast<std::size_t>(l);
            const auto refuse = [&](const char* wanted, const char* got) {
                throw InvalidInput("attack_model.one_hot", wanted, feature_text(l) + got);
            };
            if (is_grouped[at] != 0) refuse("each feature in one group only", " in two places");
            is_grouped[at] = 1;
            if (is_integer[at] != 0)
                refuse("features that are not integer features as well", " as both");
            if (model.direction_of(l) != Direction::Both)
                refuse("features that may go both ways", " with a direction");
            if (model.lower_of(l) != -HUGE_VAL || model.upper_of(l) != HUGE_VAL)
                refuse("features without a range", " with one");
        }
        check_values(group);
    }
}

}  // namespace

void AttackModel::check(Index n_features, Index n_classes) const {
    check_lengths(*this, n_features);
    check_numbers(*this, n_features);
    std::vector<char> is_integer(static_cast<std::size_t>(n_features), 0);
    check_integers(*this, n_features, is_integer);
    check_groups(*this, n_features, is_integer);
    check_counting(*this, n_features);
    if (!attacking_class) return;
    const bool is_class = n_classes == 2 ? std::abs(*attacking_class) == 1
                                         : *attacking_class >= 0 && *attacking_class < n_classes;
    if (is_class) return;
    throw InvalidInput(
        "attack_model.attacking_class",
        n_classes == 2 ? "-1 or +1" : "classes 0 to " + std::to_string(n_classes - 1),
        std::to_string(*attacking_class));
}

void AttackModel::check_norm(std::string_view argument, Norm given) const {
    if (given == norm) return;
    const auto quoted = [](Norm each) { return "'" + std::string(to_string(each)) + "'"; };
    throw InvalidInput(argument, quoted(given) + " contradicts the attack model's " + quoted(norm) +
                                     "; leave it out");
}

namespace {

/// Looks at the values of one point, feature by feature.
class ValueCheck {
public:
    ValueCheck(const AttackModel& model, Index row, const PointNames& names)
        : model_(model), row_(row), names_(names) {}

    [[noreturn]] void refuse(const std::string& wanted, const std::string& got,
                             Index feature) const {
        const auto at = static_cast<std::size_t>(feature);
        const bool has_name = at < names_.features.size() && !names_.features[at].empty();
        const std::string feature_name =
            has_name ? "'" + names_.features[at] + "'"
                     : "feature " + std::to_string(feature + names_.first_feature);
        throw InvalidInput(
            names_.argument, wanted,
            got + " " + feature_name + " in row " + std::to_string(row_ + names_.first_row));
    }

    bool is_in_range(Index l, double value) const {
        const double lower = model_.lower_of(l);
        const double upper = model_.upper_of(l);
        return !(value < lower && !is_same(value, lower)) &&
               !(value > upper && !is_same(value, upper));
    }

    void check_range(Index l, double value) const {
        if (is_in_range(l, value)) return;
        refuse("values within the attack model's range [" + format_number(model_.lower_of(l)) +
                   ", " + format_number(model_.upper_of(l)) + "]",
               format_number(value) + " for", l);
    }

    static bool is_integer(const IntegerFeature& one, double value) {
        return is_same(value * one.scale + one.offset, one.nearest(value));
    }

    void check_integer(const IntegerFeature& one, double value) const {
        if (is_integer(one, value)) return;
        refuse("integers where the attack model says so", format_number(value) + " for",
               one.feature);
    }

private:
    const AttackModel& model_;
    Index row_;
    const PointNames& names_;
};

/// Rows that are compressed, without writing them out. Every rule must allow 0.
class SparseCheck {
public:
    SparseCheck(const AttackModel& model, Index n) : model_(model) {
        const ValueCheck check(model, 0, {});
        allows_zero_ = model.one_hot.empty();
        for (Index l = 0; l < n && allows_zero_; ++l) allows_zero_ = check.is_in_range(l, 0.0);
        for (const IntegerFeature& one : model.integers)
            allows_zero_ = allows_zero_ && ValueCheck::is_integer(one, 0.0);
        if (!allows_zero_) return;
        integer_of_.resize(static_cast<std::size_t>(n), nullptr);
        for (const IntegerFeature& one : model.integers)
            integer_of_[static_cast<std::size_t>(one.feature)] = &one;
    }

    bool allows_zero() const { return allows_zero_; }

    void check(const SparseRow& x, Index row, const PointNames& names) const {
        const ValueCheck check(model_, row, names);
        x.for_each([&](Index l, double value) { check.check_range(l, value); });
        x.for_each([&](Index l, double value) {
            const IntegerFeature* one = integer_of_[static_cast<std::size_t>(l)];
            if (one != nullptr) check.check_integer(*one, value);
        });
    }

private:
    const AttackModel& model_;
    bool allows_zero_ = true;
    std::vector<const IntegerFeature*> integer_of_;
};

}  // namespace

void AttackModel::check_point(const VectorRef& x, Index row, const PointNames& names) const {
    const ValueCheck check(*this, row, names);
    const auto refuse = [&](const std::string& wanted, const std::string& got, Index feature) {
        check.refuse(wanted, got, feature);
    };
    for (Index l = 0; l < x.size(); ++l) check.check_range(l, x[l]);
    for (const IntegerFeature& one : integers) check.check_integer(one, x[one.feature]);
    for (const OneHotGroup& group : one_hot) {
        int n_on = 0;
        for (std::size_t i = 0; i < group.features.size(); ++i) {
            const double value = x[group.features[i]];
            const bool is_on = is_same(value, group.on_value(i));
            if (!is_on && !is_same(value, group.off_value(i))) {
                refuse("features of a one-hot group to be on (" + format_number(group.on_value(i)) +
                           ") or off (" + format_number(group.off_value(i)) + ")",
                       format_number(value) + " for", group.features[i]);
            }
            n_on += is_on ? 1 : 0;
        }
        if (n_on == 1) continue;
        refuse("exactly one feature of every one-hot group on",
               std::to_string(n_on) + " in the group of", group.features[0]);
    }
}

void AttackModel::check_data(const PointsRef& X, const VectorRef& y) const {
    check(X.cols());
    check_points(X, y);
}

void AttackModel::check_points(const PointsRef& X, const VectorRef& y, const PointNames& names,
                               const RowFeatures& frozen) const {
    if (lower.size() == 0 && upper.size() == 0 && integers.empty() && one_hot.empty()) return;
    if (X.is_sparse() && frozen.empty()) {
        const SparseCheck check(*this, X.cols());
        for (Index j = 0; j < X.rows() && check.allows_zero(); ++j) {
            if (attacks(static_cast<int>(y[j]))) check.check(X.sparse().row(j), j, names);
        }
        if (check.allows_zero()) return;
    }
    for (Index j = 0; j < X.rows(); ++j) {
        if (!attacks(static_cast<int>(y[j]))) continue;
        const auto at = static_cast<std::size_t>(j);
        if (frozen.empty() || frozen[at].empty()) {
            check_point(X.row(j).to_dense(), j, names);
        } else {
            with_frozen(frozen[at], X.cols()).check_point(X.row(j).to_dense(), j, names);
        }
    }
}

}  // namespace redoubt
