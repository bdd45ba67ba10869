#pragma once

/// A position in a JSON text that knows its own name: every way of reading it throws ParseError
/// with that name, what was expected and what was found.
///
///     model.json: planes[2].w: expected a list of 9 numbers, found a list of 8

#include "io/json_text.hpp"
#include "redoubt/types.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redoubt::io {

class JsonField {
public:
    /// The outermost value. It and `origin` must outlive the field.
    JsonField(const Json& value, const std::string& origin) : value_(&value), origin_(&origin) {}

    /// A field of an object. If it is missing, reading it reports that. Throws unless this is an
    /// object.
    JsonField at(std::string_view name) const;
    /// The length of a list, and its entry i (from 0). One at a time, because the names of all
    /// entries would take far more memory than the list.
    std::size_t n_entries() const { return list("a list").size(); }
    JsonField entry(std::size_t i) const;
    /// All fields of an object with their names.
    std::vector<std::pair<std::string, JsonField>> fields() const;
    /// Throws unless this is an object whose fields are all among `names`.
    void expect_fields(std::initializer_list<std::string_view> names) const;

    bool is_missing() const noexcept { return value_ == nullptr; }
    bool is_null() const noexcept { return !is_missing() && value_->is_null(); }
    bool is_text() const noexcept { return !is_missing() && value_->is_string(); }
    bool is_list() const noexcept { return !is_missing() && value_->is_array(); }
    bool is_object() const noexcept { return !is_missing() && value_->is_object(); }
    bool is_integer() const noexcept { return !is_missing() && value_->is_number_integer(); }

    const std::string& text() const;
    bool truth() const;
    double number() const;
    /// Empty for null.
    std::optional<double> optional_number() const;
    /// An integer of any sign, at most 2^62 in size.
    std::int64_t integer() const;
    /// An integer of any size; beyond 2^62, 2^62 with its sign.
    std::int64_t clamped_integer() const;
    /// An integer from 0 to `most`.
    std::uint64_t count(std::uint64_t most) const;
    /// A list of n numbers.
    Vector numbers(Index n) const;
    /// A list of numbers, NaN for null.
    std::vector<double> optional_numbers() const;
    std::vector<std::string> texts() const;

    /// Its name within the file: "planes[2].w".
    const std::string& place() const noexcept { return name_; }
    /// "NAME: expected WANTED, found WHAT".
    [[noreturn]] void fail(std::string_view wanted) const;
    [[noreturn]] void fail(std::string_view wanted, std::string_view found) const;
    /// "NAME: PROBLEM".
    [[noreturn]] void fail_with(const std::string& problem) const;

private:
    JsonField(const Json* value, std::string name, const std::string* origin)
        : value_(value), name_(std::move(name)), origin_(origin) {}

    std::string describe() const;
    const Json& list(std::string_view wanted) const;

    const Json* value_;
    std::string name_{};
    const std::string* origin_;
};

}  // namespace redoubt::io
