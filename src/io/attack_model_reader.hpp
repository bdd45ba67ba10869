#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/text_tools.hpp"
#include "data/labels.hpp"
#include "io/attack_model_json.hpp"
#include "redoubt/error.hpp"

namespace redoubt::io {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Are text columns groups?
inline constexpr EnumName<bool> kTextNames[] = {{true, "groups"}, {false, "numbers"}};
/// Do missing entries move?
inline constexpr EnumName<bool> kGapNames[] = {{true, "free"}, {false, "frozen"}};

/// Puts the fields of a file together. What a feature is listed for is kept, so that lists that
/// contradict each other are found.
class AttackModelReader {
public:
    /// Without `data`, features are those that are mentioned, and no class is known.
    AttackModelReader(const JsonField& field, const AttackedData* data, int first_number)
        : field_(field),
          data_(data),
          finder_(data == nullptr
                      ? FeatureFinder(first_number)
                      : FeatureFinder(data->feature_names, first_number, data->columns)) {}

    AttackModel read() {
        field_.expect_fields({"norm", "scale", "default_scale", "frozen", "increase_only",
                              "decrease_only", "bounds", "integer", "one_hot", "switch_cost",
                              "text_columns", "missing", "attacking_class", "comment"});
        read_comment();
        model_.norm = read_name(field_.at("norm"), kNormNames);
        read_scale();
        for_each_listed("frozen", [&](int feature) { scales()[feature] = 0.0; });
        read_direction("increase_only", Direction::Up);
        read_direction("decrease_only", Direction::Down);
        read_bounds();
        read_integers();
        read_switch_costs();
        read_groups();
        if (data_ != nullptr && read_name_or(field_.at("text_columns"), kTextNames, true)) {
            group_columns();
        }
        model_.missing_moves = read_name_or(field_.at("missing"), kGapNames, false);
        if (others_) limit_others();
        read_class();
        make_long(model_.scale, [&](Index l) { return usual_scale(l); });
        if (!model_.direction.empty()) directions();
        make_long(model_.lower, [](Index) { return -kInfinity; });
        make_long(model_.upper, [](Index) { return kInfinity; });
        check();
        return std::move(model_);
    }

    /// After `read`.
    const FeatureFinder& finder() const { return finder_; }
    SummaryNames names() const {
        SummaryNames names{finder_.names(), {class_, class_}, SummaryNames::Others{}};
        const JsonField usual = field_.at("default_scale");
        if (!usual.is_missing()) names.others->scale = usual.number();
        if (others_) std::tie(names.others->lower, names.others->upper) = *others_;
        return names;
    }

private:
    using Range = std::pair<double, double>;

    Index n() const { return finder_.n_features(); }

    std::vector<std::string>& lists_of(int feature) {
        listed_.resize(static_cast<std::size_t>(n()));
        return listed_[static_cast<std::size_t>(feature)];
    }

    /// A feature is listed once per list, and goes one way at most.
    void list(int feature, const std::string& name, const JsonField& place) {
        for (const std::string& other : lists_of(feature)) {
            const bool is_twice = other == name;
            if (!is_twice && !(other == "increase_only" && name == "decrease_only")) continue;
            place.fail(is_twice ? "each feature once" : "features that are not in " + other,
                       finder_.text_of(feature) + (is_twice ? " twice" : ", which is in both"));
        }
        lists_of(feature).push_back(name);
    }

    /// For people: a text or a list of texts.
    void read_comment() const {
        const JsonField comment = field_.at("comment");
        if (!comment.is_missing() && !comment.is_text()) comment.texts();
    }

    static bool read_name_or(const JsonField& field, const EnumName<bool> (&names)[2], bool usual) {
        return field.is_missing() ? usual : read_name(field, names);
    }

    /// A text column is no number: it can be frozen, and has a price.
    [[noreturn]] static void refuse_text(const ColumnFeatures& column, const JsonField& place) {
        place.fail("a column of numbers", "the text column " + quote_text(column.name) +
                                              ", which can be frozen or have a switch_cost");
    }

    /// Every feature of a list of features; those of a text column, if it is frozen.
    template <class Take>
    void for_each_listed(const std::string& name, Take take) {
        const JsonField features = field_.at(name);
        if (features.is_missing()) return;
        for (std::size_t i = 0; i < features.n_entries(); ++i) {
            const JsonField entry = features.entry(i);
            if (const ColumnFeatures* column = finder_.find_column(entry)) {
                if (name != "frozen") refuse_text(*column, entry);
                for (int feature : column->features()) {
                    list(feature, name, entry);
                    take(feature);
                }
                continue;
            }
            const int feature = finder_.find(entry);
            list(feature, name, entry);
            take(feature);
        }
    }

    /// A value for some features, as an object or a list of objects, or for all of them as a list.
    template <class Take>
    void for_each_value(const std::string& name, Take take) {
        const JsonField values = field_.at(name);
        if (values.is_missing()) return;
        if (values.is_list() && (values.n_entries() == 0 || !values.entry(0).is_object())) {
            if (!finder_.is_open() && static_cast<Index>(values.n_entries()) != n()) {
                values.fail("a list of " + std::to_string(n()) + ", one per feature");
            }
            for (std::size_t i = 0; i < values.n_entries(); ++i) {
                take(finder_.at(i), values.entry(i));
            }
        } else if (values.is_list()) {
            for (std::size_t i = 0; i < values.n_entries(); ++i) {
                const JsonField entry = values.entry(i);
                entry.expect_fields({"feature", "value"});
                if (const ColumnFeatures* column = finder_.find_column(entry.at("feature"))) {
                    refuse_text(*column, entry.at("feature"));
                }
                const int feature = finder_.find(entry.at("feature"));
                list(feature, name, entry);
                take(feature, entry.at("value"));
            }
        } else {
            for (const auto& [key, value] : values.fields()) {
                if (const ColumnFeatures* column = finder_.find_column(key)) {
                    refuse_text(*column, value);
                }
                const int feature = finder_.find(key, values);
                list(feature, name, value);
                take(feature, value);
            }
        }
    }

    /// Fills a list with one entry per feature up, once it has any.
    template <class Usual>
    void make_long(Vector& values, Usual usual, bool is_needed = false) {
        const Index old = values.size();
        if (old == n() || (old == 0 && !is_needed)) return;
        values.conservativeResize(n());
        for (Index l = old; l < n(); ++l) values[l] = usual(l);
    }

    double usual_scale(Index feature) const {
        const JsonField usual = field_.at("default_scale");
        if (!usual.is_missing()) return usual.number();
        return data_ != nullptr && data_->unit.size() > 0 ? data_->unit[feature] : 1.0;
    }

    Vector& scales() {
        make_long(
            model_.scale, [&](Index l) { return usual_scale(l); }, true);
        return model_.scale;
    }

    std::vector<Direction>& directions() {
        model_.direction.resize(static_cast<std::size_t>(n()), Direction::Both);
        return model_.direction;
    }

    static double read_scale_number(const JsonField& field) {
        const double value = field.number();
        if (!(value >= 0.0) || !std::isfinite(value)) field.fail("a number >= 0");
        return value;
    }

    void read_scale() {
        const JsonField usual = field_.at("default_scale");
        if (!usual.is_missing()) {
            read_scale_number(usual);
            scales();
        }
        for_each_value("scale", [&](int feature, const JsonField& value) {
            scales()[feature] = read_scale_number(value);
        });
    }

    void read_direction(const std::string& name, Direction direction) {
        for_each_listed(name, [&](int feature) {
            directions()[static_cast<std::size_t>(feature)] = direction;
        });
    }

    static Range read_range(const JsonField& range) {
        if (!range.is_list() || range.n_entries() != 2) range.fail("a list of 2: [low, high]");
        const double lower = range.entry(0).optional_number().value_or(-kInfinity);
        const double upper = range.entry(1).optional_number().value_or(kInfinity);
        if (lower > upper) {
            range.fail("low <= high",
                       "[" + shortest(lower) + ", " + shortest(upper) + "], an empty range");
        }
        return {lower, upper};
    }

    void read_bounds() {
        const JsonField bounds = field_.at("bounds");
        const auto is_end = [&](std::size_t i) {
            return !bounds.entry(i).is_list() && !bounds.entry(i).is_object();
        };
        if (bounds.is_list() && bounds.n_entries() == 2 && is_end(0) && is_end(1)) {
            others_ = read_range(bounds);
            return;
        }
        for_each_value("bounds", [&](int feature, const JsonField& range) {
            if (!range.is_null()) limit(feature, read_range(range));
        });
    }

    void limit(int feature, const Range& range) {
        const auto set = [&](Vector& bounds, double value, double none) {
            if (value == none && bounds.size() == 0) return;
            make_long(
                bounds, [&](Index) { return none; }, true);
            bounds[feature] = value;
        };
        set(model_.lower, range.first, -kInfinity);
        set(model_.upper, range.second, kInfinity);
    }

    /// One range for all is one for each feature that is in no group.
    void limit_others() {
        if (finder_.is_open()) return;
        for (int l = 0; l < n(); ++l) {
            if (!is_listed(l, "one_hot")) limit(l, *others_);
        }
    }

    bool is_listed(int feature, std::string_view name) {
        const std::vector<std::string>& lists = lists_of(feature);
        return std::find(lists.begin(), lists.end(), name) != lists.end();
    }

    void read_integers() {
        const JsonField features = field_.at("integer");
        if (features.is_missing()) return;
        for (std::size_t i = 0; i < features.n_entries(); ++i) {
            const JsonField entry = features.entry(i);
            if (entry.is_object()) entry.expect_fields({"feature", "offset", "scale"});
            const JsonField name = entry.is_object() ? entry.at("feature") : entry;
            if (const ColumnFeatures* column = finder_.find_column(name)) {
                refuse_text(*column, name);
            }
            IntegerFeature integer;
            integer.feature = finder_.find(name);
            if (entry.is_object()) {
                if (!entry.at("offset").is_missing()) integer.offset = entry.at("offset").number();
                const JsonField scale = entry.at("scale");
                if (!scale.is_missing()) integer.scale = scale.number();
                if (!(integer.scale > 0.0)) scale.fail("a number > 0");
            }
            list(integer.feature, "integer", entry);
            model_.integers.push_back(integer);
        }
    }

    // attack_model_groups.cpp: groups, of the file and of text columns.
    void read_groups();
    void read_group(const JsonField& field);
    void read_switch_costs();
    void group_columns();
    void group_member(const ColumnFeatures& column, const OneHotGroup& group, std::size_t member);
    void list_member(const OneHotGroup& group, std::size_t member, const JsonField& entry);

    void read_class() {
        const JsonField field = field_.at("attacking_class");
        if (field.is_missing() || field.is_null()) return;
        class_ = field.is_text() ? field.text() : shortest(field.number());
        model_.attacking_class = 1;
        if (data_ == nullptr) return;
        if (data_->classes[0].empty() && data_->classes[1].empty()) {
            model_.attacking_class.reset();
            return;
        }
        const double sign = sign_of_label(data_->classes, class_);
        if (sign == 0.0) {
            field.fail(quote_text(data_->classes[0]) + " or " + quote_text(data_->classes[1]));
        }
        model_.attacking_class = sign > 0.0 ? 1 : -1;
    }

    void check() const {
        try {
            model_.check(n());
        } catch (const InvalidInput& error) {
            field_.fail_with(error.what());
        }
    }

    const JsonField& field_;
    const AttackedData* data_;
    FeatureFinder finder_;
    AttackModel model_;
    std::string class_;
    std::optional<Range> others_;
    std::optional<double> usual_cost_;
    /// Of a switch, by the first feature of the text column.
    std::map<int, double> cost_of_;
    /// By feature: the lists that it is in.
    std::vector<std::vector<std::string>> listed_;
};

}  // namespace redoubt::io
