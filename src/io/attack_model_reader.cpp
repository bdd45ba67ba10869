#include "io/attack_model_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

#include "core/text_tools.hpp"
#include "data/labels.hpp"
#include "redoubt/dataset.hpp"
#include "redoubt/error.hpp"

namespace redoubt::io {

namespace {

/// Are text columns groups?
constexpr EnumName<bool> kTextNames[] = {{true, "groups"}, {false, "numbers"}};
/// Do missing entries move?
constexpr EnumName<bool> kGapNames[] = {{true, "free"}, {false, "frozen"}};

bool read_name_or(const JsonField& field, const EnumName<bool> (&names)[2], bool usual) {
    return field.is_missing() ? usual : read_name(field, names);
}

/// A text column is no number: it can be frozen, and has a price.
[[noreturn]] void refuse_text(const ColumnFeatures& column, const JsonField& place) {
    place.fail("a column of numbers", "the text column " + quote_text(column.name) +
                                          ", which can be frozen or have a switch_cost");
}

std::pair<double, double> read_range(const JsonField& range) {
    if (!range.is_list() || range.n_entries() != 2) range.fail("a list of 2: [low, high]");
    const double lower = range.entry(0).optional_number().value_or(-kInfinity);
    const double upper = range.entry(1).optional_number().value_or(kInfinity);
    if (lower > upper) {
        range.fail("low <= high",
                   "[" + shortest(lower) + ", " + shortest(upper) + "], an empty range");
    }
    return {lower, upper};
}

/// Fills a list with one entry per feature up, once it has any.
template <class Usual>
void make_long(Vector& values, Index n, Usual usual, bool is_needed = false) {
    const Index old = values.size();
    if (old == n || (old == 0 && !is_needed)) return;
    values.conservativeResize(n);
    for (Index l = old; l < n; ++l) values[l] = usual(l);
}

}  // namespace

double read_scale_number(const JsonField& field) {
    const double value = field.number();
    if (!(value >= 0.0) || !std::isfinite(value)) field.fail("a number >= 0");
    return value;
}

double read_change_cost(const JsonField& field) {
    const double value = field.number();
    if (!(value > 0.0) || !std::isfinite(value)) field.fail("a number > 0");
    return value;
}

AttackModelReader::AttackModelReader(const JsonField& field, const AttackedData* data,
                                     int first_number)
    : field_(field),
      data_(data),
      finder_(data == nullptr ? FeatureFinder(first_number)
                              : FeatureFinder(data->feature_names, first_number, data->columns)) {}

AttackModel AttackModelReader::read() {
    field_.expect_fields({"norm", "scale", "default_scale", "cost", "default_cost", "frozen",
                          "increase_only", "decrease_only", "bounds", "integer", "one_hot",
                          "switch_cost", "text_columns", "missing", "attacking_class", "comment"});
    read_comment();
    model_.norm = read_name(field_.at("norm"), kNormNames);
    read_scale();
    read_costs();
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
    make_long(model_.scale, n(), [&](Index l) { return usual_scale(l); });
    make_long(model_.cost, n(), [&](Index) { return usual_cost_of_change(); });
    if (!model_.direction.empty()) directions();
    make_long(model_.lower, n(), [](Index) { return -kInfinity; });
    make_long(model_.upper, n(), [](Index) { return kInfinity; });
    check();
    return std::move(model_);
}

SummaryNames AttackModelReader::names() const {
    SummaryNames names{finder_.names(), {class_, class_}, SummaryNames::Others{}};
    const JsonField usual = field_.at("default_scale");
    if (!usual.is_missing()) names.others->scale = usual.number();
    names.others->cost = usual_cost_of_change();
    if (others_) std::tie(names.others->lower, names.others->upper) = *others_;
    names.others->switching = mentioned_costs_;
    return names;
}

std::vector<std::string>& AttackModelReader::lists_of(int feature) {
    listed_.resize(static_cast<std::size_t>(n()));
    return listed_[static_cast<std::size_t>(feature)];
}

bool AttackModelReader::is_listed(int feature, std::string_view name) {
    const std::vector<std::string>& lists = lists_of(feature);
    return std::find(lists.begin(), lists.end(), name) != lists.end();
}

void AttackModelReader::list(int feature, const std::string& name, const JsonField& place) {
    for (const std::string& other : lists_of(feature)) {
        const bool is_twice = other == name;
        if (!is_twice && !(other == "increase_only" && name == "decrease_only")) continue;
        place.fail(is_twice ? "each feature once" : "features that are not in " + other,
                   finder_.text_of(feature) + (is_twice ? " twice" : ", which is in both"));
    }
    lists_of(feature).push_back(name);
}

void AttackModelReader::for_each_listed(const std::string& name, const TakeFeature& take) {
    const JsonField features = field_.at(name);
    if (features.is_missing()) return;
    for (std::size_t i = 0; i < features.n_entries(); ++i) {
        const JsonField entry = features.entry(i);
        if (const ColumnFeatures* column = finder_.find_column(entry)) {
            if (name != "frozen" && column->is_used) refuse_text(*column, entry);
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

void AttackModelReader::for_each_value(const std::string& name, const TakeValue& take,
                                       const TakeColumn& take_text) {
    const JsonField values = field_.at(name);
    if (values.is_missing()) return;
    const auto is_column = [&](const ColumnFeatures* column, const JsonField& value) {
        if (column != nullptr && column->is_used) take_text(*column, value);
        return column != nullptr;
    };
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
            if (is_column(finder_.find_column(entry.at("feature")), entry.at("value"))) continue;
            const int feature = finder_.find(entry.at("feature"));
            list(feature, name, entry);
            take(feature, entry.at("value"));
        }
    } else {
        for (const auto& [key, value] : values.fields()) {
            if (is_column(finder_.find_column(key), value)) continue;
            const int feature = finder_.find(key, values);
            list(feature, name, value);
            take(feature, value);
        }
    }
}

/// For people: a text or a list of texts.
void AttackModelReader::read_comment() const {
    const JsonField comment = field_.at("comment");
    if (!comment.is_missing() && !comment.is_text()) comment.texts();
}

double AttackModelReader::usual_scale(Index feature) const {
    if (model_.counts()) return 1.0;
    const JsonField usual = field_.at("default_scale");
    if (!usual.is_missing()) return usual.number();
    return data_ != nullptr && data_->unit.size() > 0 ? data_->unit[feature] : 1.0;
}

Vector& AttackModelReader::scales() {
    make_long(
        model_.scale, n(), [&](Index l) { return usual_scale(l); }, true);
    return model_.scale;
}

std::vector<Direction>& AttackModelReader::directions() {
    model_.direction.resize(static_cast<std::size_t>(n()), Direction::Both);
    return model_.direction;
}

double AttackModelReader::usual_cost_of_change() const {
    const JsonField usual = field_.at("default_cost");
    return usual.is_missing() ? 1.0 : read_change_cost(usual);
}

Vector& AttackModelReader::costs() {
    make_long(
        model_.cost, n(), [&](Index) { return usual_cost_of_change(); }, true);
    return model_.cost;
}

void AttackModelReader::read_costs() {
    for (const char* name : {"cost", "default_cost"}) {
        const JsonField field = field_.at(name);
        if (!model_.counts() && !field.is_missing()) {
            field.fail("no costs of features under a norm other than l0", std::string("some"));
        }
    }
    if (!field_.at("default_cost").is_missing()) costs();
    for_each_value(
        "cost",
        [&](int feature, const JsonField& value) { costs()[feature] = read_change_cost(value); },
        [&](const ColumnFeatures& column, const JsonField& value) { refuse_text(column, value); });
}

void AttackModelReader::read_scale() {
    const JsonField usual = field_.at("default_scale");
    for (const char* name : {"scale", "default_scale"}) {
        const JsonField field = field_.at(name);
        if (model_.counts() && !field.is_missing()) {
            field.fail(
                "no scales under l0, which counts changes whatever their size (cost says what each "
                "costs)",
                std::string("some"));
        }
    }
    if (!usual.is_missing()) {
        read_scale_number(usual);
        scales();
    }
    for_each_value(
        "scale",
        [&](int feature, const JsonField& value) { scales()[feature] = read_scale_number(value); },
        [&](const ColumnFeatures& column, const JsonField& value) {
            if (read_scale_number(value) != 0.0) refuse_text(column, value);
            for (int feature : column.features()) scales()[feature] = 0.0;
        });
}

void AttackModelReader::read_direction(const std::string& name, Direction direction) {
    for_each_listed(
        name, [&](int feature) { directions()[static_cast<std::size_t>(feature)] = direction; });
}

void AttackModelReader::read_bounds() {
    const JsonField bounds = field_.at("bounds");
    const auto is_end = [&](std::size_t i) {
        return !bounds.entry(i).is_list() && !bounds.entry(i).is_object();
    };
    if (bounds.is_list() && bounds.n_entries() == 2 && is_end(0) && is_end(1)) {
        others_ = read_range(bounds);
        return;
    }
    for_each_value(
        "bounds",
        [&](int feature, const JsonField& range) {
            if (!range.is_null()) limit(feature, read_range(range));
        },
        [&](const ColumnFeatures& column, const JsonField& range) { refuse_text(column, range); });
}

void AttackModelReader::limit(int feature, const Range& range) {
    const auto set = [&](Vector& bounds, double value, double none) {
        if (value == none && bounds.size() == 0) return;
        make_long(
            bounds, n(), [&](Index) { return none; }, true);
        bounds[feature] = value;
    };
    set(model_.lower, range.first, -kInfinity);
    set(model_.upper, range.second, kInfinity);
}

void AttackModelReader::limit_others() {
    if (finder_.is_open()) return;
    for (int l = 0; l < n(); ++l) {
        if (!is_listed(l, "one_hot") && !is_listed(l, "switch_cost")) limit(l, *others_);
    }
}

void AttackModelReader::read_integers() {
    const JsonField features = field_.at("integer");
    if (features.is_missing()) return;
    for (std::size_t i = 0; i < features.n_entries(); ++i) {
        const JsonField entry = features.entry(i);
        if (entry.is_object()) entry.expect_fields({"feature", "offset", "scale"});
        const JsonField name = entry.is_object() ? entry.at("feature") : entry;
        if (const ColumnFeatures* column = finder_.find_column(name)) {
            if (column->is_used) refuse_text(*column, name);
            continue;
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

void AttackModelReader::read_class() {
    const JsonField field = field_.at("attacking_class");
    if (field.is_missing() || field.is_null()) return;
    class_ = field.is_text() ? field.text() : shortest(field.number());
    model_.attacking_class = 1;
    if (data_ == nullptr) return;
    const ClassNames& classes = data_->classes;
    if (classes.size() == 2 && classes[0].empty() && classes[1].empty()) {
        model_.attacking_class.reset();
        return;
    }
    const auto found = find_class(classes, class_);
    if (!found) {
        field.fail(classes.size() == 2 ? quote_text(classes[0]) + " or " + quote_text(classes[1])
                                       : "one of the " + std::to_string(classes.size()) +
                                             " classes, such as " + quote_text(classes[0]));
    }
    model_.attacking_class = static_cast<int>(label_of_class(*found, classes.size()));
}

void AttackModelReader::check() const {
    AttackModel model = model_;
    // Features that are only mentioned may be in the range of all others.
    if (finder_.is_open() && model.counts()) {
        constexpr double most = std::numeric_limits<double>::max();
        model = model.within(Vector::Constant(n(), -most), Vector::Constant(n(), most));
    }
    try {
        model.check(n(), data_ == nullptr ? 2 : static_cast<Index>(data_->classes.size()));
    } catch (const InvalidInput& error) {
        field_.fail_with(with_own_names(error.what()));
    }
}

/// The library counts features from 1; here they have names, or the caller's numbers.
std::string AttackModelReader::with_own_names(std::string_view text) const {
    constexpr std::string_view kFeature = "feature ";
    std::string named;
    for (;;) {
        const std::size_t at = text.find(kFeature);
        if (at == std::string_view::npos) return named.append(text);
        named.append(text.substr(0, at));
        text.remove_prefix(at + kFeature.size());
        const std::size_t n_digits = std::min(text.find_first_not_of("0123456789"), text.size());
        int number = 0;
        std::from_chars(text.data(), text.data() + n_digits, number);
        named += number > 0 && number <= n() ? finder_.text_of(number - 1)
                                             : std::string(kFeature).append(text, 0, n_digits);
        text.remove_prefix(n_digits);
    }
}

AttackModel read_attack_model(const JsonField& field, const AttackedData& data) {
    return AttackModelReader(field, &data, data.first_number).read();
}

MentionedFeatures read_mentioned(const JsonField& field, int first_number) {
    AttackModelReader reader(field, nullptr, first_number);
    AttackModel model = reader.read();
    return {std::move(model), reader.names(), reader.finder().numbers()};
}

}  // namespace redoubt::io
