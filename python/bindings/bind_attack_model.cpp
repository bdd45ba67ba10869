#include "redoubt/attack_model.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bindings.hpp"
#include "redoubt/attack_model_file.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace redoubt::python {

namespace {

/// ColumnFeatures: name, first (-1: not used), members, indicator.
using ColumnMembers = std::tuple<std::string, int, std::vector<std::string>, int>;

/// One entry per feature, also for a list that is empty in C++. Python's features are raw: without
/// any scale, radius 1 is one `unit`.
AttackModel resolve(const AttackRules& rules, std::vector<std::string> feature_names,
                    const std::optional<Vector>& unit, const std::vector<ColumnMembers>& columns) {
    const auto n = static_cast<Index>(feature_names.size());
    Vector units = unit.value_or(Vector::Ones(n));
    // Python's labels are of any type, so it finds the attacking class itself.
    AttackedData data{
        .feature_names = std::move(feature_names), .classes = {"", ""}, .unit = units};
    for (const auto& [name, first, members, indicator] : columns) {
        data.columns.push_back({name, first, members, indicator, first >= 0});
    }
    AttackModel model = rules.resolve(std::move(data));
    if (model.counts()) units.setOnes();
    if (model.scale.size() == 0) model.scale = units;
    if (model.lower.size() == 0) model.lower = Vector::Constant(n, -HUGE_VAL);
    if (model.upper.size() == 0) model.upper = Vector::Constant(n, HUGE_VAL);
    model.direction.resize(static_cast<std::size_t>(n), Direction::Both);
    return model;
}

AttackModel with_class(AttackModel model, std::optional<int> attacking_class) {
    model.attacking_class = attacking_class;
    return model;
}

/// The rules of these features (ascending) alone, which are then called 0, 1, .. A group of which
/// one member is left does not switch.
AttackModel only(const AttackModel& model, const std::vector<int>& features) {
    const auto n = static_cast<Index>(features.size());
    std::vector<int> place(static_cast<std::size_t>(model.scale.size()), -1);
    AttackModel part = model;
    part.scale.resize(n);
    if (model.cost.size() > 0) part.cost.resize(n);
    part.lower.resize(n);
    part.upper.resize(n);
    part.direction.clear();
    for (Index k = 0; k < n; ++k) {
        const int l = features[static_cast<std::size_t>(k)];
        place[static_cast<std::size_t>(l)] = static_cast<int>(k);
        part.scale[k] = model.scale[l];
        if (model.cost.size() > 0) part.cost[k] = model.cost[l];
        part.lower[k] = model.lower[l];
        part.upper[k] = model.upper[l];
        part.direction.push_back(model.direction[static_cast<std::size_t>(l)]);
    }
    part.integers.clear();
    for (IntegerFeature one : model.integers) {
        one.feature = place[static_cast<std::size_t>(one.feature)];
        if (one.feature >= 0) part.integers.push_back(one);
    }
    part.one_hot.clear();
    for (const OneHotGroup& whole : model.one_hot) {
        OneHotGroup group{.switch_cost = whole.switch_cost};
        std::vector<double> on;
        std::vector<double> off;
        std::vector<int> member(whole.features.size(), -1);
        for (std::size_t m = 0; m < whole.features.size(); ++m) {
            const int l = place[static_cast<std::size_t>(whole.features[m])];
            if (l < 0) continue;
            member[m] = static_cast<int>(group.features.size());
            group.features.push_back(l);
            on.push_back(whole.on_value(m));
            off.push_back(whole.off_value(m));
        }
        const auto size = static_cast<Index>(group.features.size());
        if (whole.on.size() > 0) group.on = Vector::Map(on.data(), size);
        if (whole.off.size() > 0) group.off = Vector::Map(off.data(), size);
        for (const SwitchPrice& each : whole.prices) {
            const int from = member[static_cast<std::size_t>(each.from)];
            const int to = member[static_cast<std::size_t>(each.to)];
            if (from >= 0 && to >= 0) group.prices.push_back({from, to, each.cost});
        }
        if (size > 1) part.one_hot.push_back(std::move(group));
        if (size == 1) part.scale[group.features[0]] = 0.0;
    }
    return part;
}

/// The same model, where these features are one more group, and a switch from the member `from` has
/// these prices.
AttackModel with_group(AttackModel model, std::vector<int> features, int from,
                       const std::vector<double>& prices) {
    OneHotGroup group{.features = std::move(features)};
    for (int to = 0; to < std::ssize(prices); ++to) {
        if (to != from) group.prices.push_back({from, to, prices[static_cast<std::size_t>(to)]});
    }
    model.one_hot.push_back(std::move(group));
    return model;
}

std::vector<std::string> directions(const AttackModel& model) {
    std::vector<std::string> texts;
    for (Direction each : model.direction) texts.emplace_back(to_string(each));
    return texts;
}

std::vector<int> integers(const AttackModel& model) {
    std::vector<int> features;
    for (const IntegerFeature& one : model.integers) features.push_back(one.feature);
    return features;
}

std::vector<std::pair<std::vector<int>, double>> groups(const AttackModel& model) {
    std::vector<std::pair<std::vector<int>, double>> result;
    for (const OneHotGroup& group : model.one_hot)
        result.emplace_back(group.features, group.switch_cost);
    return result;
}

/// Of each group: the members that have a price of their own from some other one, ascending.
std::vector<std::vector<int>> priced_members(const AttackModel& model) {
    std::vector<std::vector<int>> result;
    for (const OneHotGroup& group : model.one_hot) {
        std::set<int> members;
        for (const SwitchPrice& each : group.prices) members.insert(each.to);
        result.emplace_back(members.begin(), members.end());
    }
    return result;
}

void check_rows(const AttackModel& model, const PointsRef& X, const std::vector<bool>& moves,
                std::vector<std::string> feature_names) {
    const PointNames names{.features = std::move(feature_names), .first_feature = 0};
    Vector attackers(X.rows());
    // Rows that do not move are of a class that does not attack.
    for (Index j = 0; j < X.rows(); ++j)
        attackers[j] = moves[static_cast<std::size_t>(j)] ? 1.0 : -1.0;
    AttackModel rules = model;
    rules.attacking_class = 1;
    rules.check_points(X, attackers, names);
}

Vector move_sizes(const AttackModel& model, const MatrixRef& X, const MatrixRef& moves) {
    Vector sizes(X.rows());
    for (Index j = 0; j < X.rows(); ++j)
        sizes[j] = model.move_size(X.row(j).transpose(), moves.row(j).transpose());
    return sizes;
}

std::vector<bool> allowed_rows(const AttackModel& model, const MatrixRef& X,
                               const MatrixRef& moved) {
    std::vector<bool> allowed;
    for (Index j = 0; j < X.rows(); ++j)
        allowed.push_back(model.allows(X.row(j).transpose(), moved.row(j).transpose()));
    return allowed;
}

}  // namespace

void bind_attack_model(nb::module_& module) {
    nb::class_<AttackModel>(module, "AttackModel", "What an adversary may do to a point.")
        .def_prop_ro("norm",
                     [](const AttackModel& self) { return std::string(to_string(self.norm)); })
        .def_prop_ro("scale", [](const AttackModel& self) { return Vector(self.scale); })
        .def_prop_ro(
            "cost",
            [](const AttackModel& self) {
                return self.cost.size() > 0 ? Vector(self.cost)
                                            : Vector(Vector::Ones(self.scale.size()));
            },
            "What changing each feature costs in l0.")
        .def_prop_ro("direction", &directions)
        .def_prop_ro("lower", [](const AttackModel& self) { return Vector(self.lower); })
        .def_prop_ro("upper", [](const AttackModel& self) { return Vector(self.upper); })
        .def_prop_ro("integer", &integers, "Features that stay integers.")
        .def_prop_ro("groups", &groups, "One-hot groups, and what a switch costs.")
        .def_prop_ro("priced_members", &priced_members,
                     "Of each group: members with prices of their own.")
        .def("with_attacking_class", &with_class, "attacking_class"_a.none(),
             "The same model, where only points with this label (-1 or +1, or one of several "
             "class numbers) move; None: all.")
        .def("against_rest", &AttackModel::against_rest, "c"_a,
             "For the training of class c against the rest.")
        .def(
            "with_frozen",
            [](const AttackModel& self, const std::vector<int>& features) {
                return self.with_frozen(features, self.scale.size());
            },
            "features"_a,
            "The same model, where these features do not move and may have any value.")
        .def("with_group", &with_group, "features"_a, "from_member"_a, "prices"_a,
             "The same model with one more group, and the prices of switches from one member.")
        .def("only", &only, "features"_a, "The rules of these features alone.")
        .def(
            "scaled",
            [](const AttackModel& self, const Vector& center, const Vector& scale) {
                return self.scaled(Scaler(Scaling::Custom, center, scale));
            },
            "center"_a, "scale"_a, "The same rules for (x - center) / scale.")
        .def(
            "unscaled",
            [](const AttackModel& self, const Vector& center, const Vector& scale) {
                return self.unscaled(Scaler(Scaling::Custom, center, scale));
            },
            "center"_a, "scale"_a,
            "The same rules for x, where these are about (x - center) / scale.")
        .def("check", &AttackModel::check, "n_features"_a, "n_classes"_a = 2,
             "Raise unless the model makes sense.")
        .def("check_points", &check_rows, "X"_a, "moves"_a, "feature_names"_a,
             "Raise, naming row and feature, unless the model allows the rows that move.")
        .def("move_sizes", &move_sizes, "X"_a, "moves"_a, "The size of each row's move.")
        .def("allows", &allowed_rows, "X"_a, "moved"_a, "May each row of X move to that of moved?")
        .def("is_plain", &AttackModel::is_plain)
        .def_prop_ro("missing_moves", [](const AttackModel& self) { return self.missing_moves; })
        .def_prop_ro("attacking_class",
                     [](const AttackModel& self) { return self.attacking_class; })
        .def("is_all_frozen", &AttackModel::is_all_frozen, "n_features"_a)
        .def("__eq__",
             [](const AttackModel& self, const AttackModel& other) { return self == other; });

    nb::class_<AttackRules>(module, "AttackRules", "An attack model whose features are not known.")
        .def(nb::init<std::string, std::string, int>(), "text"_a, "name"_a, "first_number"_a)
        .def("resolve", &resolve, "feature_names"_a, "unit"_a.none() = nb::none(),
             "columns"_a = std::vector<ColumnMembers>{},
             "The attack model of these features, in the units of the data.")
        .def("summary", &AttackRules::summary, "feature_names"_a = std::vector<std::string>{})
        .def("brief", &AttackRules::brief);
}

}  // namespace redoubt::python
