#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "core/text_tools.hpp"
#include "redoubt/attack_model.hpp"

namespace redoubt {

namespace {

using Texts = std::vector<std::string>;

/// More prices of a group than this are counted.
constexpr std::size_t kMostPrices = 4;

std::string join(const Texts& texts, std::string_view separator = ", ") {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : std::string(separator)) + text;
    return all;
}

/// For reading: six digits.
std::string shown(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

/// "[0, 1]", "<= 1" or ">= 0"; nothing if there is no limit.
std::string range_text(double lower, double upper) {
    if (lower == -HUGE_VAL) return upper == HUGE_VAL ? "" : "<= " + shown(upper);
    if (upper == HUGE_VAL) return ">= " + shown(lower);
    return "[" + shown(lower) + ", " + shown(upper) + "]";
}

}  // namespace

std::string price_text(const std::string& from, const std::string& to, double cost) {
    const std::string way = (from.empty() ? "" : "'" + from + "' ") + "to " +
                            (to.empty() ? "any other" : "'" + to + "'");
    return way + (cost < HUGE_VAL ? " " + shown(cost) : " impossible");
}

namespace {

/// The rules of a model as lists of texts.
class RuleTexts {
public:
    RuleTexts(const AttackModel& model, const SummaryNames& names) : model_(model), names_(names) {}

    std::string name_of(Index feature) const {
        const auto at = static_cast<std::size_t>(feature);
        const bool has_name = at < names_.features.size() && !names_.features[at].empty();
        return has_name ? names_.features[at] : std::to_string(feature + 1);
    }

    Texts names_of(const std::vector<int>& features) const {
        Texts texts;
        for (int l : features) texts.push_back(name_of(l));
        return texts;
    }

    Texts frozen() const {
        Texts texts;
        for (Index l = 0; l < model_.scale.size(); ++l) {
            if (model_.scale[l] != 0.0) continue;
            const ColumnFeatures* column = text_column_at(static_cast<int>(l));
            const auto is_frozen = [&](int each) { return model_.scale[each] == 0.0; };
            const std::vector<int> all =
                column != nullptr ? column->features() : std::vector<int>{};
            if (column == nullptr || !std::all_of(all.begin(), all.end(), is_frozen)) {
                texts.push_back(name_of(l));
            } else if (l == column->first) {
                texts.push_back(column->name);
            }
        }
        return texts;
    }

    /// The columns that switch as a whole, by the price of a switch: the number and its text.
    std::map<std::pair<double, std::string>, Texts> switching_columns() const {
        std::map<std::pair<double, std::string>, Texts> columns;
        for (const OneHotGroup& group : model_.one_hot) {
            const ColumnFeatures* column = column_of(group);
            if (column != nullptr && !is_frozen(group)) {
                columns[{group.switch_cost, cost_text(group)}].push_back(column->name);
            }
        }
        if (!names_.others) return columns;
        for (const auto& [name, cost, prices] : names_.others->switching) {
            columns[{cost, cost_text(cost, prices)}].push_back(name);
        }
        return columns;
    }

    /// "a switch costs 1", with the switches that cost something else.
    std::string cost_text(const OneHotGroup& group) const {
        const ColumnFeatures* column = column_of(group);
        const auto name = [&](int member) {
            const auto at = static_cast<std::size_t>(member);
            return column != nullptr ? column->members[at] : name_of(group.features[at]);
        };
        Texts prices;
        for (const SwitchPrice& each : group.prices) {
            // All of them count, but few are shown.
            const bool is_shown = prices.size() <= kMostPrices;
            prices.push_back(is_shown ? price_text(name(each.from), name(each.to), each.cost) : "");
        }
        return cost_text(group.switch_cost, prices);
    }

    /// The text column whose features a group has; nullptr if it is none.
    const ColumnFeatures* column_of(const OneHotGroup& group) const {
        const ColumnFeatures* column = text_column_at(group.features[0]);
        return column != nullptr && column->features() == group.features ? column : nullptr;
    }

    Texts going(Direction direction) const {
        Texts texts;
        for (std::size_t l = 0; l < model_.direction.size(); ++l) {
            if (model_.direction[l] == direction) texts.push_back(name_of(static_cast<Index>(l)));
        }
        return texts;
    }

    Texts integers() const {
        Texts texts;
        for (const IntegerFeature& one : model_.integers) texts.push_back(name_of(one.feature));
        return texts;
    }

    /// How far features move at radius 1, where that is not what holds for all.
    Texts scales() const {
        const double usual = names_.others ? names_.others->scale.value_or(1.0) : 1.0;
        Texts texts;
        for (Index l = 0; l < model_.scale.size(); ++l) {
            const double scale = model_.scale[l];
            if (text_column_at(static_cast<int>(l)) != nullptr) continue;
            if (scale != 0.0 && scale != usual) texts.push_back(name_of(l) + " " + shown(scale));
        }
        if (!names_.others) return texts;
        const std::string others = names_.others->scale ? shown(*names_.others->scale) : "1 unit";
        if (!texts.empty()) {
            texts.push_back("others " + others);
        } else if (names_.others->scale) {
            texts.push_back(others);
        }
        return texts;
    }

    Texts costs() const {
        const double usual = names_.others ? names_.others->cost : 1.0;
        Texts texts;
        for (Index l = 0; l < model_.cost.size(); ++l) {
            const double cost = model_.cost[l];
            if (cost != usual) texts.push_back(name_of(l) + " " + shown(cost));
        }
        if (!texts.empty() || usual != 1.0) texts.push_back("others " + shown(usual));
        return texts;
    }

    Texts ranges() const {
        Texts texts;
        const Index n = std::max(model_.lower.size(), model_.upper.size());
        for (Index l = 0; l < n; ++l) {
            const std::string range = range_text(model_.lower_of(l), model_.upper_of(l));
            if (!range.empty()) texts.push_back(name_of(l) + " " + range);
        }
        if (names_.others) {
            const std::string range = range_text(names_.others->lower, names_.others->upper);
            if (!range.empty()) texts.push_back("all " + range);
        }
        return texts;
    }

    std::string attacking_class() const {
        return names_.classes[names_.classes.size() == 2
                                  ? (*model_.attacking_class > 0 ? 1 : 0)
                                  : static_cast<std::size_t>(*model_.attacking_class)];
    }

private:
    static std::string cost_text(double cost, const Texts& prices) {
        const std::string text =
            cost < HUGE_VAL ? "a switch costs " + shown(cost) : "no switch but these";
        if (prices.empty()) return text;
        if (prices.size() > kMostPrices)
            return text + " (" + counted(std::ssize(prices), "other price") + ")";
        return text + " (" + join(prices) + ")";
    }

    bool is_frozen(const OneHotGroup& group) const {
        return std::any_of(group.features.begin(), group.features.end(),
                           [&](int l) { return model_.scale_of(l) == 0.0; });
    }

    /// The text column with this feature; nullptr if there is none.
    const ColumnFeatures* text_column_at(int feature) const {
        const auto found = std::find_if(names_.columns.begin(), names_.columns.end(),
                                        [&](const ColumnFeatures& column) {
                                            return column.is_text() && feature >= column.first &&
                                                   feature < column.first + column.n_members();
                                        });
        return found == names_.columns.end() ? nullptr : &*found;
    }

    const AttackModel& model_;
    const SummaryNames& names_;
};

/// The features, if they are few; numbers are said to be some.
std::string few(const Texts& names) {
    if (names.size() > 3) return std::to_string(names.size()) + " features";
    const bool has_number = std::any_of(names.begin(), names.end(), [](const std::string& name) {
        return name.find_first_not_of("-0123456789") == std::string::npos;
    });
    const std::string kind = names.size() > 1 ? "features " : "feature ";
    return (has_number ? kind : "") + join(names);
}

}  // namespace

std::string AttackModel::summary(const SummaryNames& names) const {
    const RuleTexts rules(*this, names);
    std::string text = "norm: " + std::string(to_string(norm)) + "\n";
    const auto add_line = [&](const std::string& head, const Texts& list) {
        if (!list.empty()) text += head + ": " + join(list) + "\n";
    };
    add_line("may move at radius 1 by", rules.scales());
    add_line("a change costs", rules.costs());
    add_line("frozen", rules.frozen());
    add_line("only up", rules.going(Direction::Up));
    add_line("only down", rules.going(Direction::Down));
    add_line("range", rules.ranges());
    add_line("integers", rules.integers());
    for (const auto& [price, columns] : rules.switching_columns()) {
        add_line("categories, " + price.second, columns);
    }
    for (const OneHotGroup& group : one_hot) {
        if (rules.column_of(group) != nullptr) continue;
        add_line("exactly one, " + rules.cost_text(group), rules.names_of(group.features));
    }
    if (attacking_class) add_line("only points of this class move", {rules.attacking_class()});
    if (missing_moves) text += "missing entries move\n";
    return text;
}

std::string AttackModel::brief(const SummaryNames& names) const {
    const RuleTexts rules(*this, names);
    Texts parts;
    std::set<double> scales(scale.begin(), scale.end());
    scales.erase(0.0);
    if (names.others && (names.others->scale || !scales.empty()))
        scales.insert(names.others->scale.value_or(1.0));
    if (scales.size() > 1) parts.push_back("scaled per feature");
    if (scales.size() == 1 && *scales.begin() != 1.0) parts.push_back("scaled");
    if (!rules.costs().empty()) parts.push_back("a cost per feature");
    const auto add = [&](const Texts& features, const std::string& word) {
        if (!features.empty()) parts.push_back(few(features) + word);
    };
    add(rules.frozen(), " frozen");
    add(rules.going(Direction::Up), " up only");
    add(rules.going(Direction::Down), " down only");
    if (!rules.ranges().empty()) parts.push_back("within ranges");
    if (!integers.empty()) parts.push_back(counted(std::ssize(integers), "integer feature"));
    if (!one_hot.empty()) parts.push_back(counted(std::ssize(one_hot), "one-hot group"));
    if (names.others && !names.others->switching.empty()) {
        parts.push_back(counted(std::ssize(names.others->switching), "switching column"));
    }
    if (attacking_class) parts.push_back("only '" + rules.attacking_class() + "' attacks");
    return parts.empty()
               ? (counts() ? "changed features" : "plain " + std::string(to_string(norm)) + " ball")
               : join(parts, "; ");
}

}  // namespace redoubt
