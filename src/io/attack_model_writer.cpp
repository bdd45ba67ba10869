#include <algorithm>
#include <cmath>
#include <map>

#include "io/attack_model_json.hpp"
#include "redoubt/dataset.hpp"

namespace redoubt {

namespace io {

namespace {

class AttackModelWriter {
public:
    AttackModelWriter(const AttackModel& model, const AttackedData& data)
        : model_(model),
          data_(data),
          finder_(data.feature_names, data.first_number, data.columns) {}

    Json fields() {
        fields_ = {{"norm", to_string(model_.norm)}};
        add_scale();
        add_costs();
        add_direction("increase_only", Direction::Up);
        add_direction("decrease_only", Direction::Down);
        add_bounds();
        add_integers();
        for (const OneHotGroup& group : model_.one_hot) fields_["one_hot"].push_back(entry(group));
        if (model_.attacking_class) {
            fields_["attacking_class"] =
                data_.classes[class_number(*model_.attacking_class, data_.classes.size())];
        }
        if (!is_grouped()) fields_["text_columns"] = "numbers";
        if (model_.missing_moves) fields_["missing"] = "free";
        return std::move(fields_);
    }

private:
    /// Does every text column switch as a whole, and is what says that an entry is missing frozen?
    bool is_grouped() const {
        std::vector<char> is_member(static_cast<std::size_t>(n()), 0);
        for (const OneHotGroup& group : model_.one_hot) {
            for (int l : group.features) is_member[static_cast<std::size_t>(l)] = 1;
        }
        return std::all_of(
            data_.columns.begin(), data_.columns.end(), [&](const ColumnFeatures& column) {
                if (column.indicator >= 0 && model_.scale_of(column.indicator) != 0.0) return false;
                if (column.members.size() == 1) return model_.scale_of(column.first) == 0.0;
                const std::vector<int> features = column.features();
                return !column.is_text() ||
                       std::any_of(features.begin(), features.end(), [&](int l) {
                           return is_member[static_cast<std::size_t>(l)] != 0;
                       });
            });
    }

    Index n() const { return finder_.n_features(); }

    void add_costs() {
        if (model_.cost.size() == 0 || (model_.cost.array() == 1.0).all()) return;
        std::vector<int> others;
        for (int l = 0; l < n(); ++l) {
            if (model_.cost[l] != 1.0) others.push_back(l);
        }
        add_values("cost", others, [&](int l) { return Json(model_.cost[l]); });
    }

    /// The value that most features have is the default; frozen features have a list of their own.
    void add_scale() {
        if (model_.scale.size() == 0) return;
        std::map<double, Index> counts;
        for (double scale : model_.scale) ++counts[scale];
        counts.erase(0.0);
        const auto most = std::max_element(counts.begin(), counts.end(),
                                           [](auto a, auto b) { return a.second < b.second; });
        const double usual = most == counts.end() ? 1.0 : most->first;
        if (!model_.counts()) fields_["default_scale"] = usual;
        std::vector<int> others;
        for (int l = 0; l < n(); ++l) {
            if (model_.scale[l] == 0.0) {
                fields_["frozen"].push_back(finder_.called(l));
            } else if (model_.scale[l] != usual) {
                others.push_back(l);
            }
        }
        add_values("scale", others, [&](int l) { return Json(model_.scale[l]); });
    }

    /// An object by name, or a list of all if a name would not do or there are too many of them.
    template <class ValueOf>
    void add_values(const char* name, const std::vector<int>& features, ValueOf value_of) {
        if (features.empty()) return;
        const bool has_names = features.size() <= kMaxJsonFields &&
                               std::all_of(features.begin(), features.end(),
                                           [&](int l) { return finder_.has_name(l); });
        if (!has_names) {
            for (int l = 0; l < n(); ++l) fields_[name].push_back(value_of(l));
            return;
        }
        for (int l : features) {
            fields_[name][data_.feature_names[static_cast<std::size_t>(l)]] = value_of(l);
        }
    }

    void add_direction(const char* name, Direction direction) {
        for (int l = 0; l < n(); ++l) {
            if (model_.direction_of(l) == direction) fields_[name].push_back(finder_.called(l));
        }
    }

    void add_bounds() {
        const auto end = [](double value) {
            return std::isfinite(value) ? Json(value) : Json(nullptr);
        };
        std::vector<int> limited;
        for (int l = 0; l < n(); ++l) {
            if (model_.lower_of(l) != -HUGE_VAL || model_.upper_of(l) != HUGE_VAL) {
                limited.push_back(l);
            }
        }
        add_values("bounds", limited, [&](int l) {
            return Json::array({end(model_.lower_of(l)), end(model_.upper_of(l))});
        });
    }

    void add_integers() {
        for (const IntegerFeature& one : model_.integers) {
            Json entry = finder_.called(one.feature);
            if (one.offset != 0.0 || one.scale != 1.0) {
                entry = {{"feature", entry}, {"offset", one.offset}, {"scale", one.scale}};
            }
            fields_["integer"].push_back(std::move(entry));
        }
    }

    Json entry(const OneHotGroup& group) const {
        Json features = Json::array();
        for (int l : group.features) features.push_back(finder_.called(l));
        Json entry = {{"features", std::move(features)}, {"cost", cost_of(group)}};
        if (group.on.size() > 0) entry["on"] = list_of(group.on);
        if (group.off.size() > 0) entry["off"] = list_of(group.off);
        return entry;
    }

    /// A number, or a list of rules: what all switches cost first.
    Json cost_of(const OneHotGroup& group) const {
        const auto price = [](double cost) {
            return std::isfinite(cost) ? Json(cost) : Json(nullptr);
        };
        if (group.prices.empty() && std::isfinite(group.switch_cost)) return group.switch_cost;
        Json rules = Json::array({{{"cost", price(group.switch_cost)}}});
        for (const SwitchPrice& each : group.prices) {
            const auto name = [&](int member) {
                return finder_.called(group.features[static_cast<std::size_t>(member)]);
            };
            rules.push_back(
                {{"from", name(each.from)}, {"to", name(each.to)}, {"cost", price(each.cost)}});
        }
        return rules;
    }

    const AttackModel& model_;
    const AttackedData& data_;
    FeatureFinder finder_;
    Json fields_;
};

}  // namespace

Json attack_model_fields(const AttackModel& model, const AttackedData& data) {
    return AttackModelWriter(model, data).fields();
}

}  // namespace io

std::string attack_model_to_json(const AttackModel& model, const AttackedData& data) {
    model.check(static_cast<Index>(data.feature_names.size()),
                static_cast<Index>(data.classes.size()));
    return io::json_text(io::attack_model_fields(model, data));
}

}  // namespace redoubt
