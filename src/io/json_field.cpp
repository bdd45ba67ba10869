#include "io/json_field.hpp"

#include <algorithm>
#include <limits>

#include "core/text_tools.hpp"
#include "redoubt/error.hpp"

namespace redoubt::io {

JsonField JsonField::at(std::string_view name) const {
    if (is_missing() || !value_->is_object()) fail("an object");
    const auto found = value_->find(name);
    return {found == value_->end() ? nullptr : &*found,
            (name_.empty() ? "" : name_ + ".") + std::string(name), origin_};
}

JsonField JsonField::entry(std::size_t i) const {
    return {&(*value_)[i], name_ + "[" + std::to_string(i) + "]", origin_};
}

const Json& JsonField::list(std::string_view wanted) const {
    if (is_missing() || !value_->is_array()) fail(wanted);
    return *value_;
}

std::vector<std::pair<std::string, JsonField>> JsonField::fields() const {
    if (is_missing() || !value_->is_object()) fail("an object");
    std::vector<std::pair<std::string, JsonField>> result;
    for (const auto& [name, value] : value_->items()) result.emplace_back(name, at(name));
    return result;
}

void JsonField::expect_fields(std::initializer_list<std::string_view> names) const {
    for (const auto& [name, field] : fields()) {
        if (std::find(names.begin(), names.end(), name) != names.end()) continue;
        const std::vector<std::string> near =
            near_texts(name, std::vector<std::string>(names.begin(), names.end()));
        fail_with("unknown field " + quote_text(name) +
                  (near.empty() ? "" : "; did you mean " + quote_list(near) + "?"));
    }
}

const std::string& JsonField::text() const {
    if (!is_text()) fail("a text");
    return value_->get_ref<const std::string&>();
}

bool JsonField::truth() const {
    if (is_missing() || !value_->is_boolean()) fail("true or false");
    return value_->get<bool>();
}

double JsonField::number() const {
    if (is_missing() || !value_->is_number()) fail("a number");
    return value_->get<double>();
}

std::optional<double> JsonField::optional_number() const {
    if (is_null()) return std::nullopt;
    if (is_missing() || !value_->is_number()) fail("a number or null");
    return value_->get<double>();
}

std::int64_t JsonField::integer() const {
    const std::int64_t value = clamped_integer();
    if (value_->get<std::int64_t>() != value) fail("an integer of at most 62 bits");
    return value;
}

std::int64_t JsonField::clamped_integer() const {
    if (!is_integer()) fail("an integer");
    constexpr std::int64_t kMost = std::int64_t{1} << 62;
    if (value_->is_number_unsigned() && value_->get<std::uint64_t>() > std::uint64_t{kMost})
        return kMost;
    return std::clamp(value_->get<std::int64_t>(), -kMost, kMost);
}

std::uint64_t JsonField::count(std::uint64_t most) const {
    if (is_missing() || !value_->is_number_unsigned() || value_->get<std::uint64_t>() > most) {
        fail("an integer from 0 to " + std::to_string(most));
    }
    return value_->get<std::uint64_t>();
}

Vector JsonField::numbers(Index n) const {
    const std::string wanted = "a list of " + counted(n, "number");
    const Json& entries = list(wanted);
    if (static_cast<Index>(entries.size()) != n) fail(wanted);
    Vector result(n);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        // The name of an entry is put together only where it is needed: for a message.
        if (!entries[i].is_number()) entry(i).fail("a number");
        result[static_cast<Index>(i)] = entries[i].get<double>();
    }
    return result;
}

std::vector<double> JsonField::optional_numbers() const {
    const Json& entries = list("a list");
    std::vector<double> result;
    result.reserve(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const bool is_number = entries[i].is_number();
        if (!is_number && !entries[i].is_null()) entry(i).fail("a number or null");
        result.push_back(is_number ? entries[i].get<double>()
                                   : std::numeric_limits<double>::quiet_NaN());
    }
    return result;
}

std::vector<std::string> JsonField::texts() const {
    const Json& entries = list("a list of texts");
    std::vector<std::string> result;
    result.reserve(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (!entries[i].is_string()) entry(i).fail("a text");
        result.push_back(entries[i].get<std::string>());
    }
    return result;
}

std::string JsonField::describe() const {
    if (is_missing()) return "nothing";
    if (value_->is_string()) return quote_text(value_->get_ref<const std::string&>());
    if (value_->is_array()) return "a list of " + std::to_string(value_->size());
    if (value_->is_object()) return "an object";
    if (value_->is_number_float()) return shortest(value_->get<double>());
    return value_->dump();  // an integer, true, false or null
}

void JsonField::fail(std::string_view wanted) const {
    fail(wanted, describe());
}

void JsonField::fail(std::string_view wanted, std::string_view found) const {
    fail_with("expected " + std::string(wanted) + ", found " + std::string(found));
}

void JsonField::fail_with(const std::string& problem) const {
    throw ParseError(*origin_, 0, 0, (name_.empty() ? "" : name_ + ": ") + problem);
}

}  // namespace redoubt::io
