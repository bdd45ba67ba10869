#pragma once

/// Entries of one column of Arrow data, as numbers and as texts.

#include "arrow_abi.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace redoubt::python::arrow {

enum class Kind { Null, Bool, Integer, Float, Text, Other };

/// What the entries of a column are; of a dictionary, what it holds.
Kind kind_of(const Schema& schema);

/// Part of a column: its type, its buffers, and the place of its first entry in them. Both must
/// outlive it.
class ColumnView {
public:
    /// Throws std::invalid_argument if the buffers are not those of the type.
    ColumnView(const Schema& schema, const Array& array, std::int64_t first);

    bool is_null(std::int64_t row) const;
    bool has_nulls() const;

    /// Numbers and booleans; NaN where null. Writes n entries from `row` on, `step` apart.
    void numbers(std::int64_t row, std::int64_t n, double* out, std::int64_t step) const;
    /// An integer or boolean that is not null.
    std::int64_t integer(std::int64_t row) const;
    /// A text that is not null.
    std::string_view text(std::int64_t row) const;

    /// The place in the dictionary; only where there is one, and for no null.
    bool has_dictionary() const { return schema_.dictionary != nullptr; }
    std::int64_t code(std::int64_t row) const { return integer_at(schema_.format, row); }
    ColumnView dictionary() const;
    std::int64_t dictionary_size() const { return array_.dictionary->length; }

private:
    std::int64_t integer_at(const char* format, std::int64_t row) const;
    template <typename T>
    const T* buffer(int place) const {
        return static_cast<const T*>(array_.buffers[place]);
    }
    template <typename T>
    void numbers_of(std::int64_t row, std::int64_t n, double* out, std::int64_t step) const;
    std::string_view viewed_text(std::int64_t at) const;

    const Schema& schema_;
    const Array& array_;
    std::int64_t first_;
};

}  // namespace redoubt::python::arrow
