#include "explain/sentence.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/check.hpp"
#include "redoubt/dataset.hpp"

namespace redoubt {

namespace {

/// Integers below are printed with all their digits.
constexpr double kMostPrinted = 1e15;

std::string printed(const char* format, double value) {
    char text[40];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

bool is_integer(const AttackModel& model, int feature) {
    return std::any_of(model.integers.begin(), model.integers.end(),
                       [&](const IntegerFeature& one) { return one.feature == feature; });
}

/// More categories of one column than this are not named.
constexpr std::size_t kMostCategories = 3;

bool is_member(const ColumnFeatures& column, int feature) {
    return column.is_text() && feature >= column.first &&
           feature < column.first + column.n_members();
}

/// The text column that a switch to `on` is one of; nullptr if there is none.
const ColumnFeatures* column_of(const std::vector<ColumnFeatures>& columns,
                                const SingleChange& change) {
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const auto& column) {
        return is_member(column, change.feature) && is_member(column, change.partner);
    });
    return found == columns.end() ? nullptr : &*found;
}

/// "job changes from 'clerk' to 'nurse' or 'cook'": all that change the answer for the same price.
std::string category_change(const ColumnFeatures& column, const SingleChange& change,
                            const Explanation& explanation) {
    const auto member = [&](int l) {
        return "'" + column.members[static_cast<std::size_t>(l - column.first)] + "'";
    };
    std::vector<std::string> names;
    for (const SingleChange& other : explanation.singles) {
        const bool is_as_good = other.goes_on && other.size() == change.size();
        if (is_as_good && is_member(column, other.feature)) {
            names.push_back(member(other.feature));
        }
    }
    std::string text = column.name + " changes from " + member(change.partner) + " to ";
    if (names.size() > kMostCategories) {
        const std::size_t n_others = names.size() - kMostCategories + 1;
        names.resize(kMostCategories - 1);
        names.push_back(std::to_string(n_others) + " others");
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
    }
    return text;
}

/// "Glucose rises by 12.5 or more".
std::string change_text(const SingleChange& change, const Model& model,
                        const AttackModel& attack_model) {
    const auto name = [&](int feature) {
        return model.feature_names()[static_cast<std::size_t>(feature)];
    };
    if (change.partner >= 0) {
        return name(change.goes_on ? change.feature : change.partner) + " is switched on";
    }
    const bool is_up = change.up_size <= change.down_size;
    const double by = std::abs((is_up ? change.up_to : change.down_to) - change.from);
    const std::string text =
        is_integer(attack_model, change.feature) ? format_number(by) : rounded_down(by);
    return name(change.feature) + (is_up ? " rises by " : " falls by ") + text + " or more";
}

/// "the change as a whole has l2 size 1.41 or more"; where l1 counts switches and steps of
/// integers, one each, plainly that: "the changes add up to 12 or more".
std::string size_text(double radius, const Model& model, const AttackModel& rules) {
    if (rules.counts()) {
        const bool is_number = rules.one_hot.empty() && (rules.cost.array() == 1.0).all();
        const std::string size = rounded_down(radius) + " or more";
        return is_number ? size + " features change" : "the changes together cost " + size;
    }
    const Vector& units = rules.scale.size() > 0 ? rules.scale : model.scaler().scale();
    Vector open = units;
    bool counts = rules.norm == Norm::L1;
    bool has_groups = false;
    for (const OneHotGroup& group : rules.one_hot) {
        const bool is_frozen = std::any_of(group.features.begin(), group.features.end(),
                                           [&](int l) { return units[l] == 0.0; });
        for (int l : group.features) open[l] = 0.0;
        has_groups = has_groups || !is_frozen;
        counts = counts && (is_frozen || (group.switch_cost == 1.0 && group.prices.empty()));
    }
    bool has_integers = false;
    for (const IntegerFeature& one : rules.integers) {
        has_integers = has_integers || open[one.feature] > 0.0;
        if (one.steps_at(open[one.feature]) == 1.0) open[one.feature] = 0.0;
    }
    if (!counts || (open.array() > 0.0).any()) {
        return "the change as a whole has " + std::string(to_string(rules.norm)) + " size " +
               rounded_down(radius) + " or more";
    }
    if (!has_integers) return rounded_down(radius) + " or more groups switch";
    return std::string(has_groups ? "steps and switches" : "the changes") + " add up to " +
           rounded_down(radius) + " or more";
}

/// The cheapest ones that exist. A switch is reported for the member that goes on, the cheapest of
/// a text column alone.
std::vector<SingleChange> cheapest(const Explanation& explanation,
                                   const std::vector<ColumnFeatures>& columns, int n_named) {
    std::vector<SingleChange> list;
    const ColumnFeatures* last = nullptr;
    for (const SingleChange& change : explanation.singles) {
        const bool goes_off = change.partner >= 0 && !change.goes_on;
        if (!std::isfinite(change.size()) || goes_off) continue;
        const ColumnFeatures* column = column_of(columns, change);
        if (column == nullptr || column != last) {
            list.push_back(change);
        } else if (change.size() < list.back().size()) {
            list.back() = change;
        }
        last = column;
    }
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& a, const auto& b) { return a.size() < b.size(); });
    list.resize(std::min(list.size(), static_cast<std::size_t>(n_named)));
    return list;
}

}  // namespace

std::string rounded_down(double value) {
    if (!(value > 0.0) || !std::isfinite(value)) return format_number(value);
    if (value == std::floor(value) && value < kMostPrinted) return printed("%.0f", value);
    const auto read = [](const std::string& text) { return std::strtod(text.c_str(), nullptr); };
    std::string text = printed("%.3g", value);
    if (read(text) <= value) return text;
    // Rounded up, by less than one unit of the third digit: take that off.
    const double unit = std::pow(10.0, std::floor(std::log10(value)) - 2.0);
    text = printed("%.3g", value - unit / 2.0);
    if (read(text) <= value) return text;
    return printed("%.3g", value - unit);
}

std::string explanation_sentence(const Explanation& explanation, const Model& model,
                                 const ExplainSettings& settings) {
    const std::string head =
        std::string(settings.ranges.is_known() ? "within the ranges of the training data, " : "") +
        "stays '" + model.classes()[class_number(explanation.answer, model.classes().size())] + "'";
    const double radius = explanation.certificate.lower;
    if (radius == HUGE_VAL) return head + " whatever the adversary does";
    std::string text = head + " unless ";
    const std::vector<ColumnFeatures> columns =
        settings.columns.empty() ? model.coding().columns_of_features() : settings.columns;
    for (const SingleChange& change : cheapest(explanation, columns, settings.n_named)) {
        const ColumnFeatures* column = column_of(columns, change);
        text += (column != nullptr ? category_change(*column, change, explanation)
                                   : change_text(change, model, settings.attack_model)) +
                ", ";
    }
    if (!text.ends_with("unless ")) text += "or ";
    return text + size_text(radius, model, settings.attack_model);
}

}  // namespace redoubt
