/// One-hot groups: those that a file lists, and text columns, which are groups by themselves.

#include <algorithm>

#include "core/text_tools.hpp"
#include "io/attack_model_reader.hpp"

namespace redoubt::io {

namespace {

/// A name of a category; numbers are taken for their texts.
std::string category_text(const JsonField& field) {
    return field.is_text() ? field.text() : shortest(field.number());
}

double read_price(const JsonField& field) {
    if (field.is_null()) return kInfinity;
    const double value = field.number();
    if (!(value >= 0.0)) field.fail("a number >= 0, or null where there is no such switch");
    return value;
}

/// Calls `take(rule)` for each rule of a list of prices.
template <class Take>
void for_each_price(const JsonField& costs, const Take& take) {
    for (std::size_t i = 0; i < costs.n_entries(); ++i) {
        const JsonField rule = costs.entry(i);
        rule.expect_fields({"from", "to", "cost"});
        take(rule);
    }
}

/// The member of a text column that a rule names.
int find_category(const ColumnFeatures& column, const JsonField& field) {
    const std::string text = category_text(field);
    const auto found = std::find(column.members.begin(), column.members.end(), text);
    if (found != column.members.end()) return static_cast<int>(found - column.members.begin());
    const std::vector<std::string> near = near_texts(text, column.members);
    field.fail("a category of " + quote_text(column.name),
               quote_text(text) + (near.empty() ? "; they are " + quote_list(column.members)
                                                : "; did you mean " + quote_list(near) + "?"));
}

}  // namespace

void AttackModelReader::read_cost(const JsonField& cost, const FindMember& find,
                                  OneHotGroup& group) {
    if (!cost.is_list()) {
        group.switch_cost = read_scale_number(cost);
        return;
    }
    for_each_price(cost, [&](const JsonField& rule) {
        const auto member = [&](const char* side) {
            return rule.at(side).is_missing() ? -1 : find(rule.at(side));
        };
        const int from = member("from");
        const int to = member("to");
        if (from >= 0 && from == to) rule.fail("two different categories");
        group.set_cost(from, to, read_price(rule.at("cost")));
    });
}

/// Without features there are no categories either: prices are kept as they are written.
void AttackModelReader::mention_cost(int feature, const JsonField& cost) {
    SummaryNames::Others::Switching known{finder_.names()[static_cast<std::size_t>(feature)]};
    if (cost.is_list()) {
        for_each_price(cost, [&](const JsonField& rule) {
            const auto name = [&](const char* side) {
                return rule.at(side).is_missing() ? "" : category_text(rule.at(side));
            };
            const double price = read_price(rule.at("cost"));
            if (name("from").empty() && name("to").empty()) {
                known.cost = price;
                known.prices.clear();
            } else {
                known.prices.push_back(price_text(name("from"), name("to"), price));
            }
        });
    } else {
        known.cost = read_scale_number(cost);
    }
    mentioned_costs_.push_back(std::move(known));
}

void AttackModelReader::read_groups() {
    const JsonField groups = field_.at("one_hot");
    if (groups.is_missing()) return;
    for (std::size_t i = 0; i < groups.n_entries(); ++i) read_group(groups.entry(i));
}

void AttackModelReader::read_group(const JsonField& field) {
    OneHotGroup group;
    const bool is_object = field.is_object();
    if (is_object) field.expect_fields({"features", "cost", "on", "off"});
    const JsonField features = is_object ? field.at("features") : field;
    for (std::size_t i = 0; i < features.n_entries(); ++i) {
        const JsonField entry = features.entry(i);
        if (const ColumnFeatures* column = finder_.find_column(entry)) {
            entry.fail("a feature", "the text column " + quote_text(column->name) +
                                        ", which is a group by itself");
        }
        group.features.push_back(finder_.find(entry));
    }
    if (group.features.size() < 2) features.fail("a list of at least 2 features");
    if (usual_cost_) group.switch_cost = *usual_cost_;
    if (is_object) {
        const JsonField cost = field.at("cost");
        const auto find = [&](const JsonField& name) {
            const auto found =
                std::find(group.features.begin(), group.features.end(), finder_.find(name));
            if (found == group.features.end()) name.fail("a feature of the group");
            return static_cast<int>(found - group.features.begin());
        };
        if (!cost.is_missing()) read_cost(cost, find, group);
        const auto size = static_cast<Index>(group.features.size());
        if (!field.at("on").is_missing()) group.on = field.at("on").numbers(size);
        if (!field.at("off").is_missing()) group.off = field.at("off").numbers(size);
    }
    for (std::size_t i = 0; i < group.features.size(); ++i) {
        list_member(group, i, features.entry(i));
    }
    model_.one_hot.push_back(std::move(group));
}

/// One number for all groups that have none of their own, or one by column.
void AttackModelReader::read_switch_costs() {
    const JsonField costs = field_.at("switch_cost");
    if (costs.is_missing()) return;
    if (!costs.is_object() && !costs.is_list()) {
        usual_cost_ = read_scale_number(costs);
        return;
    }
    for (std::size_t i = 0; costs.is_list() && i < costs.n_entries(); ++i) {
        if (!costs.entry(i).is_object()) costs.fail("a number, or one for each of some columns");
    }
    for_each_value(
        "switch_cost", [&](int feature, const JsonField& cost) { read_switch(feature, cost); },
        [&](const ColumnFeatures& column, const JsonField& cost) {
            OneHotGroup& group = priced_[column.first];
            group.features = column.features();
            read_cost(
                cost, [&](const JsonField& name) { return find_category(column, name); }, group);
        });
}

/// A feature that is 0 or 1 goes from one to the other: an integer within that range.
void AttackModelReader::read_switch(int feature, const JsonField& field) {
    if (finder_.is_open()) {
        mention_cost(feature, field);
        return;
    }
    if (field.is_list()) field.fail("one number for a column of numbers", "prices of pairs");
    const double cost = read_scale_number(field);
    if (cost == 0.0) field.fail("a number > 0 for a column of numbers");
    if (is_listed(feature, "scale")) {
        field.fail("columns that are not in scale",
                   finder_.text_of(feature) + ", which is in both");
    }
    if (!is_listed(feature, "frozen")) scales()[feature] = 1.0 / cost;
    if (!is_listed(feature, "bounds")) limit(feature, {0.0, 1.0});
    if (!is_listed(feature, "integer")) model_.integers.push_back({.feature = feature});
}

/// Text columns switch as a whole, unless their features are in groups of the file; what says
/// that an entry is missing stays as it is.
void AttackModelReader::group_columns() {
    for (const ColumnFeatures& column : data_->columns) {
        if (column.indicator >= 0) scales()[column.indicator] = 0.0;
        if (!column.is_text()) continue;
        const auto priced = priced_.find(column.first);
        const std::vector<int> features = column.features();
        const bool is_grouped = std::any_of(features.begin(), features.end(),
                                            [&](int l) { return is_listed(l, "one_hot"); });
        if (is_grouped) {
            if (priced == priced_.end()) continue;
            field_.at("switch_cost")
                .fail("columns that are in no group of one_hot", quote_text(column.name));
        }
        if (features.size() == 1) {
            scales()[features[0]] = 0.0;
            continue;
        }
        OneHotGroup group{features};
        if (usual_cost_) group.switch_cost = *usual_cost_;
        if (priced != priced_.end()) group = priced->second;
        for (std::size_t i = 0; i < features.size(); ++i) group_member(column, group, i);
        model_.one_hot.push_back(std::move(group));
    }
}

/// A list that a member of a text column is in contradicts that it switches.
void AttackModelReader::group_member(const ColumnFeatures& column, const OneHotGroup& group,
                                     std::size_t member) {
    for (const char* name : {"increase_only", "decrease_only"}) {
        if (!is_listed(group.features[member], name)) continue;
        field_.at(name).fail("columns of numbers",
                             finder_.text_of(group.features[member]) + " of the text column " +
                                 quote_text(column.name) + ", which switches as a whole");
    }
    const JsonField bounds = field_.at("bounds");
    list_member(group, member, bounds.is_missing() ? field_ : bounds);
}

/// A member is in no other group and goes both ways. A range that holds its values and integers
/// that they are say nothing more, so they are dropped.
void AttackModelReader::list_member(const OneHotGroup& group, std::size_t member,
                                    const JsonField& entry) {
    const int feature = group.features[member];
    const double on = group.on_value(member);
    const double off = group.off_value(member);
    const auto clash = [&](const std::string& name) {
        entry.fail("features that are not in " + name,
                   finder_.text_of(feature) + ", which is in both");
    };
    if (is_listed(feature, "one_hot")) {
        entry.fail("features of no other group", finder_.text_of(feature) + " again");
    }
    for (const char* name : {"increase_only", "decrease_only"}) {
        if (is_listed(feature, name)) clash(name);
    }
    const double lower = model_.lower.size() > feature ? model_.lower[feature] : -kInfinity;
    const double upper = model_.upper.size() > feature ? model_.upper[feature] : kInfinity;
    if (std::min(on, off) < lower || std::max(on, off) > upper) {
        entry.fail(
            "bounds that hold the member's values " + shortest(on) + " and " + shortest(off),
            "[" + shortest(lower) + ", " + shortest(upper) + "] for " + finder_.text_of(feature));
    }
    limit(feature, {-kInfinity, kInfinity});
    const auto integer =
        std::find_if(model_.integers.begin(), model_.integers.end(),
                     [&](const IntegerFeature& one) { return one.feature == feature; });
    if (integer != model_.integers.end()) {
        const bool is_integer = integer->value(integer->nearest(on)) == on &&
                                integer->value(integer->nearest(off)) == off;
        if (!is_integer) clash("integer");
        model_.integers.erase(integer);
    }
    list(feature, "one_hot", entry);
}

}  // namespace redoubt::io
