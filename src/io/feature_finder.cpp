#include <algorithm>
#include <charconv>
#include <numeric>

#include "core/text_tools.hpp"
#include "io/attack_model_json.hpp"

namespace redoubt::io {

FeatureFinder::FeatureFinder(const std::vector<std::string>& names, int first_number,
                             const std::vector<ColumnFeatures>& columns)
    : names_(&names), first_number_(first_number), sorted_(names.size()), columns_(&columns) {
    std::iota(sorted_.begin(), sorted_.end(), 0);
    std::stable_sort(sorted_.begin(), sorted_.end(), [&](int a, int b) {
        return names[static_cast<std::size_t>(a)] < names[static_cast<std::size_t>(b)];
    });
}

int FeatureFinder::mention(const std::string& text, Index number, bool is_name) {
    const auto [found, is_new] =
        place_of_mention_.try_emplace({is_name, text}, static_cast<int>(mentioned_.size()));
    if (is_new) {
        mentioned_.push_back(text);
        numbers_.push_back(number);
    }
    return found->second;
}

int FeatureFinder::at(std::size_t place) {
    if (!is_open()) return static_cast<int>(place);
    const auto number = static_cast<Index>(place);
    return mention(std::to_string(number + first_number_), number, false);
}

int FeatureFinder::place_of(const std::string& name) const {
    if (name.empty()) return -1;
    const auto name_of = [&](int place) -> const std::string& {
        return (*names_)[static_cast<std::size_t>(place)];
    };
    const auto first =
        std::lower_bound(sorted_.begin(), sorted_.end(), name,
                         [&](int place, const std::string& text) { return name_of(place) < text; });
    if (first == sorted_.end() || name_of(*first) != name) return -1;
    const auto second = first + 1;
    return second != sorted_.end() && name_of(*second) == name ? -1 : *first;
}

int FeatureFinder::number_of(const std::string& text) const {
    int number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    const bool is_number = error == std::errc() && rest == end && !text.empty();
    return is_number && number >= 1 && number <= n_features() ? number - 1 : -1;
}

int FeatureFinder::find(const std::string& text, const JsonField& field) {
    if (is_open()) return mention(text, -1, true);
    const int place = place_of(text);
    if (place >= 0) return place;
    const int number = number_of(text);
    if (number < 0) fail(text, field);
    return number;
}

const ColumnFeatures* FeatureFinder::find_column(const std::string& text) const {
    if (columns_ == nullptr || text.empty() || place_of(text) >= 0) return nullptr;
    const ColumnFeatures* found = nullptr;
    for (const ColumnFeatures& column : *columns_) {
        if ((!column.is_text() && column.is_used) || column.name != text) continue;
        // A name that two columns have names neither.
        if (found != nullptr) return nullptr;
        found = &column;
    }
    return found;
}

const ColumnFeatures* FeatureFinder::find_column(const JsonField& field) const {
    return field.is_text() ? find_column(field.text()) : nullptr;
}

/// What people may have meant: text columns by their names, all others by feature.
std::vector<std::string> FeatureFinder::callable_names() const {
    const auto is_text = [](const ColumnFeatures& column) { return column.is_text(); };
    if (columns_ == nullptr || std::none_of(columns_->begin(), columns_->end(), is_text)) {
        return *names_;
    }
    std::vector<std::string> names;
    for (const ColumnFeatures& column : *columns_) names.push_back(column.name);
    return names;
}

int FeatureFinder::find(const JsonField& field) {
    if (field.is_text()) return find(field.text(), field);
    if (!field.is_integer()) field.fail("the name or number of a feature");
    const std::int64_t number = field.clamped_integer();
    if (is_open()) {
        if (number < first_number_ && first_number_ != 0) {
            field.fail("the name of a feature or its number, from 1 on");
        }
        return mention(std::to_string(number), std::max<std::int64_t>(number - first_number_, -1),
                       false);
    }
    const std::int64_t from_end = first_number_ == 0 && number < 0 ? n_features() : 0;
    const std::int64_t place = number - first_number_ + from_end;
    if (place < 0 || place >= n_features()) field.fail("a feature from " + range_text());
    return static_cast<int>(place);
}

std::string FeatureFinder::range_text() const {
    return std::to_string(first_number_) + " to " +
           std::to_string(n_features() - 1 + first_number_);
}

void FeatureFinder::fail(const std::string& text, const JsonField& field) const {
    if (std::count(names_->begin(), names_->end(), text) > 1) {
        field.fail("the number of one of the features of this name", quote_text(text));
    }
    if (std::all_of(names_->begin(), names_->end(), [](auto& name) { return name.empty(); })) {
        field.fail("a number from " + range_text() + ", because the features have no names",
                   quote_text(text));
    }
    const std::vector<std::string> names = callable_names();
    std::vector<std::string> near = near_texts(text, names);
    if (near.empty()) near = near_texts(text, *names_);
    const bool has_columns = names.size() != names_->size();
    const std::string advice =
        near.empty()
            ? (has_columns ? "; the columns are " : "; the features are ") + quote_list(names)
            : "; did you mean " + quote_list(near) + "?";
    field.fail(has_columns ? "the name of a column"
                           : "the name or number (" + range_text() + ") of a feature",
               quote_text(text) + advice);
}

bool FeatureFinder::has_name(int feature) const {
    return place_of((*names_)[static_cast<std::size_t>(feature)]) == feature;
}

Json FeatureFinder::called(int feature) const {
    if (has_name(feature)) return (*names_)[static_cast<std::size_t>(feature)];
    return static_cast<std::uint64_t>(feature + 1);
}

std::string FeatureFinder::text_of(int feature) const {
    const std::string& name = (*names_)[static_cast<std::size_t>(feature)];
    if (is_open()) {
        const auto found = place_of_mention_.find({true, name});
        const bool is_name = found != place_of_mention_.end() && found->second == feature;
        return is_name ? quote_text(name) : "feature " + name;
    }
    return has_name(feature) ? quote_text(name)
                             : "feature " + std::to_string(feature + first_number_);
}

}  // namespace redoubt::io
