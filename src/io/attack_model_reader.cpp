#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/text_tools.hpp"
#include "data/labels.hpp"
#include "io/attack_model_json.hpp"
#include "io/file_text.hpp"
#include "redoubt/error.hpp"
#include "redoubt/model.hpp"

namespace redoubt {

namespace io {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Puts the fields of a file together. What a feature is listed for is kept, so that lists that
/// contradict each other are found.
class AttackModelReader {
public:
    AttackModelReader(const JsonField& field, const AttackedData& data)
        : field_(field),
          data_(data),
          finder_(data.feature_names),
          listed_(data.feature_names.size()) {}

    AttackModel read() {
        field_.expect_fields({"norm", "scale", "default_scale", "frozen", "increase_only",
                              "decrease_only", "bounds", "integer", "one_hot", "attacking_class"});
        model_.norm = read_word(field_.at("norm"), kNormWords);
        read_frozen();
        read_scale();
        read_direction("increase_only", Direction::Up);
        read_direction("decrease_only", Direction::Down);
        read_bounds();
        read_whole();
        read_groups();
        read_class();
        check();
        return std::move(model_);
    }

private:
    Index n() const { return finder_.n_features(); }

    bool has(std::string_view name) const { return !field_.at(name).is_missing(); }

    /// A feature is listed once per list, and a frozen one nowhere else.
    void list(int feature, const std::string& name, const JsonField& place) {
        std::vector<std::string>& before = listed_[static_cast<std::size_t>(feature)];
        for (const std::string& other : before) {
            const bool clashes = other == name || other == "frozen" || is_direction(other, name);
            if (!clashes) continue;
            const bool is_twice = other == name;
            place.fail(is_twice ? "each feature once" : "features that are not in " + other,
                       finder_.text_of(feature) + (is_twice ? " twice" : ", which is in both"));
        }
        before.push_back(name);
    }

    static bool is_direction(const std::string& one, const std::string& other) {
        return one == "increase_only" && other == "decrease_only";
    }

    /// Every feature of a list of features.
    template <class Take>
    void for_each_listed(const std::string& name, Take take) {
        const JsonField features = field_.at(name);
        if (features.is_missing()) return;
        for (std::size_t i = 0; i < features.n_entries(); ++i) {
            const JsonField entry = features.entry(i);
            const int feature = finder_.find(entry);
            list(feature, name, entry);
            take(feature);
        }
    }

    /// A value for some features as an object, or for all of them as a list.
    template <class Take>
    void for_each_value(const std::string& name, Take take) {
        const JsonField values = field_.at(name);
        if (values.is_missing()) return;
        if (values.is_list()) {
            if (static_cast<Index>(values.n_entries()) != n()) {
                values.fail("a list of " + std::to_string(n()) + ", one per feature");
            }
            for (std::size_t i = 0; i < values.n_entries(); ++i) {
                take(static_cast<int>(i), values.entry(i));
            }
            return;
        }
        for (const auto& [key, value] : values.fields()) {
            const int feature = finder_.find(key, values);
            take(feature, value);
            // A frozen feature may well have scale 0.
            if (name != "scale" || model_.scale[feature] != 0.0) list(feature, name, value);
        }
    }

    void read_frozen() {
        for_each_listed("frozen", [&](int feature) { scales()[feature] = 0.0; });
    }

    /// Made when the first feature has a scale of its own: without, it stays empty.
    Vector& scales() {
        if (model_.scale.size() > 0) return model_.scale;
        const JsonField usual = field_.at("default_scale");
        if (!usual.is_missing()) {
            model_.scale = Vector::Constant(n(), read_scale_number(usual));
        } else if (data_.unit.size() > 0) {
            model_.scale = data_.unit;
        } else {
            model_.scale = Vector::Ones(n());
        }
        return model_.scale;
    }

    static double read_scale_number(const JsonField& field) {
        const double value = field.number();
        if (!(value >= 0.0) || !std::isfinite(value)) field.fail("a number >= 0");
        return value;
    }

    void read_scale() {
        if (has("default_scale")) scales();
        for_each_value("scale", [&](int feature, const JsonField& value) {
            scales()[feature] = read_scale_number(value);
        });
    }

    void read_direction(const std::string& name, Direction direction) {
        for_each_listed(name, [&](int feature) {
            model_.direction.resize(static_cast<std::size_t>(n()), Direction::Both);
            model_.direction[static_cast<std::size_t>(feature)] = direction;
        });
    }

    void read_bounds() {
        for_each_value("bounds", [&](int feature, const JsonField& range) {
            if (range.is_null()) return;
            if (!range.is_list() || range.n_entries() != 2) range.fail("a list of 2: [low, high]");
            const double lower = range.entry(0).optional_number().value_or(-kInfinity);
            const double upper = range.entry(1).optional_number().value_or(kInfinity);
            if (lower > upper) {
                range.fail("low <= high",
                           "[" + shortest(lower) + ", " + shortest(upper) + "], an empty range");
            }
            set_bound(model_.lower, feature, lower, -kInfinity);
            set_bound(model_.upper, feature, upper, kInfinity);
        });
    }

    void set_bound(Vector& bounds, int feature, double value, double none) {
        if (value == none) return;
        if (bounds.size() == 0) bounds = Vector::Constant(n(), none);
        bounds[feature] = value;
    }

    void read_whole() {
        const JsonField features = field_.at("integer");
        if (features.is_missing()) return;
        for (std::size_t i = 0; i < features.n_entries(); ++i) {
            const JsonField entry = features.entry(i);
            WholeFeature whole;
            if (entry.is_object()) {
                entry.expect_fields({"feature", "offset", "scale"});
                whole.feature = finder_.find(entry.at("feature"));
                if (!entry.at("offset").is_missing()) whole.offset = entry.at("offset").number();
                const JsonField scale = entry.at("scale");
                if (!scale.is_missing()) whole.scale = scale.number();
                if (!(whole.scale > 0.0)) scale.fail("a number > 0");
            } else {
                whole.feature = finder_.find(entry);
            }
            list(whole.feature, "integer", entry);
            model_.whole.push_back(whole);
        }
    }

    void read_groups() {
        const JsonField groups = field_.at("one_hot");
        if (groups.is_missing()) return;
        for (std::size_t i = 0; i < groups.n_entries(); ++i) read_group(groups.entry(i));
    }

    void read_group(const JsonField& field) {
        OneHotGroup group;
        const bool is_object = field.is_object();
        if (is_object) field.expect_fields({"features", "cost", "on", "off"});
        const JsonField features = is_object ? field.at("features") : field;
        for (std::size_t i = 0; i < features.n_entries(); ++i) {
            const JsonField entry = features.entry(i);
            group.features.push_back(finder_.find(entry));
            list_member(group.features.back(), entry);
        }
        if (group.features.size() < 2) features.fail("a list of at least 2 features");
        if (is_object) {
            const JsonField cost = field.at("cost");
            if (!cost.is_missing()) group.switch_cost = read_scale_number(cost);
            const auto size = static_cast<Index>(group.features.size());
            if (!field.at("on").is_missing()) group.on = field.at("on").numbers(size);
            if (!field.at("off").is_missing()) group.off = field.at("off").numbers(size);
        }
        model_.one_hot.push_back(std::move(group));
    }

    /// A member of a group is in no other group, and its values are those of the group.
    void list_member(int feature, const JsonField& entry) {
        for (const std::string& other : listed_[static_cast<std::size_t>(feature)]) {
            if (other == "one_hot") {
                entry.fail("features of no other group", finder_.text_of(feature) + " again");
            }
            if (other == "scale" || other == "frozen") continue;
            entry.fail("features that are not in " + other,
                       finder_.text_of(feature) + ", which is in both");
        }
        list(feature, "one_hot", entry);
    }

    void read_class() {
        const JsonField field = field_.at("attacking_class");
        if (field.is_missing() || field.is_null()) return;
        const std::string text = field.is_text() ? field.text() : shortest(field.number());
        const double sign = sign_of_label(data_.classes, text);
        if (sign == 0.0) {
            field.fail(quote_text(data_.classes[0]) + " or " + quote_text(data_.classes[1]));
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
    const AttackedData& data_;
    FeatureFinder finder_;
    AttackModel model_;
    /// By feature: the lists that it is in.
    std::vector<std::vector<std::string>> listed_;
};

}  // namespace

AttackModel read_attack_model(const JsonField& field, const AttackedData& data) {
    return AttackModelReader(field, data).read();
}

}  // namespace io

AttackedData AttackedData::of(const Model& model) {
    return {model.feature_names(), model.classes(), model.scaler().scale()};
}

namespace {

AttackModel read_file(const io::FileText& file, const AttackedData& data) {
    const io::Json fields = io::parse_json(file.text(), file.name());
    return io::read_attack_model(io::JsonField(fields, file.name()), data);
}

}  // namespace

AttackModel load_attack_model(const std::filesystem::path& path, const AttackedData& data) {
    return read_file(io::FileText(path.string(), kMaxAttackModelBytes), data);
}

AttackModel attack_model_from_json(std::string_view text, const AttackedData& data,
                                   const std::string& name) {
    return read_file(io::FileText(DataSource::text(text, name), kMaxAttackModelBytes), data);
}

}  // namespace redoubt
