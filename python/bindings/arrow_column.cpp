#include "arrow_column.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace redoubt::python::arrow {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool bit(const std::uint8_t* bits, std::int64_t place) {
    return ((bits[place / 8] >> (place % 8)) & 1) != 0;
}

/// IEEE 754 binary16.
double half(std::uint16_t bits) {
    const int exponent = (bits >> 10) & 31;
    const int fraction = bits & 1023;
    const double sign = (bits >> 15) != 0 ? -1.0 : 1.0;
    if (exponent == 31)
        return fraction != 0 ? kNaN : sign * std::numeric_limits<double>::infinity();
    if (exponent == 0) return sign * std::ldexp(fraction, -24);
    return sign * std::ldexp(fraction + 1024, exponent - 25);
}

/// Buffers of the types that we read; -1 for any number.
int n_buffers_of(const char* format) {
    const std::string_view type(format);
    if (type == "n") return 0;
    if (type == "u" || type == "U") return 3;
    if (type == "vu") return -1;
    return 2;
}

}  // namespace

Kind kind_of(const Schema& schema) {
    if (schema.dictionary != nullptr) return kind_of(*schema.dictionary);
    const std::string_view type(schema.format);
    if (type == "n") return Kind::Null;
    if (type == "b") return Kind::Bool;
    if (type == "u" || type == "U" || type == "vu") return Kind::Text;
    if (type.size() != 1) return Kind::Other;
    if (std::strchr("cCsSiIlL", type[0]) != nullptr) return Kind::Integer;
    if (std::strchr("efg", type[0]) != nullptr) return Kind::Float;
    return Kind::Other;
}

ColumnView::ColumnView(const Schema& schema, const Array& array, std::int64_t first)
    : schema_(schema), array_(array), first_(first + array.offset) {
    const int wanted = n_buffers_of(schema.format);
    const bool fits = wanted < 0 ? array.n_buffers >= 3 : array.n_buffers == wanted;
    const bool has_values =
        array.length == 0 || wanted == 0 || (fits && array.buffers[1] != nullptr);
    const bool has_dictionary = (schema.dictionary != nullptr) == (array.dictionary != nullptr);
    if (fits && has_values && has_dictionary) return;
    throw std::invalid_argument("Arrow data: the buffers of a column do not fit its type");
}

bool ColumnView::is_null(std::int64_t row) const {
    if (array_.n_buffers == 0) return true;
    const auto* const valid = buffer<std::uint8_t>(0);
    if (valid != nullptr && !bit(valid, first_ + row)) return true;
    return has_dictionary() && dictionary().is_null(code(row));
}

bool ColumnView::has_nulls() const {
    if (array_.n_buffers == 0) return array_.length > 0;
    if (has_dictionary() && dictionary().has_nulls()) return true;
    return array_.null_count != 0 && array_.buffers[0] != nullptr;
}

ColumnView ColumnView::dictionary() const {
    return {*schema_.dictionary, *array_.dictionary, 0};
}

template <typename T>
void ColumnView::numbers_of(std::int64_t row, std::int64_t n, double* out,
                            std::int64_t step) const {
    const T* const values = buffer<T>(1) + first_ + row;
    for (std::int64_t i = 0; i < n; ++i) out[i * step] = static_cast<double>(values[i]);
}

void ColumnView::numbers(std::int64_t row, std::int64_t n, double* out, std::int64_t step) const {
    if (has_dictionary()) {
        const ColumnView values = dictionary();
        for (std::int64_t i = 0; i < n; ++i) {
            if (is_null(row + i)) {
                out[i * step] = kNaN;
            } else {
                values.numbers(code(row + i), 1, out + i * step, 1);
            }
        }
        return;
    }
    switch (schema_.format[0]) {
        case 'c':
            numbers_of<std::int8_t>(row, n, out, step);
            break;
        case 'C':
            numbers_of<std::uint8_t>(row, n, out, step);
            break;
        case 's':
            numbers_of<std::int16_t>(row, n, out, step);
            break;
        case 'S':
            numbers_of<std::uint16_t>(row, n, out, step);
            break;
        case 'i':
            numbers_of<std::int32_t>(row, n, out, step);
            break;
        case 'I':
            numbers_of<std::uint32_t>(row, n, out, step);
            break;
        case 'l':
            numbers_of<std::int64_t>(row, n, out, step);
            break;
        case 'L':
            numbers_of<std::uint64_t>(row, n, out, step);
            break;
        case 'f':
            numbers_of<float>(row, n, out, step);
            break;
        case 'g':
            numbers_of<double>(row, n, out, step);
            break;
        case 'e':
            for (std::int64_t i = 0; i < n; ++i) {
                out[i * step] = half(buffer<std::uint16_t>(1)[first_ + row + i]);
            }
            break;
        case 'b':
            for (std::int64_t i = 0; i < n; ++i) {
                out[i * step] = bit(buffer<std::uint8_t>(1), first_ + row + i) ? 1.0 : 0.0;
            }
            break;
        default:  // all null
            for (std::int64_t i = 0; i < n; ++i) out[i * step] = kNaN;
            return;
    }
    if (!has_nulls()) return;
    for (std::int64_t i = 0; i < n; ++i) {
        if (is_null(row + i)) out[i * step] = kNaN;
    }
}

std::int64_t ColumnView::integer(std::int64_t row) const {
    return has_dictionary() ? dictionary().integer(code(row)) : integer_at(schema_.format, row);
}

std::int64_t ColumnView::integer_at(const char* format, std::int64_t row) const {
    const std::int64_t at = first_ + row;
    switch (format[0]) {
        case 'c':
            return buffer<std::int8_t>(1)[at];
        case 'C':
            return buffer<std::uint8_t>(1)[at];
        case 's':
            return buffer<std::int16_t>(1)[at];
        case 'S':
            return buffer<std::uint16_t>(1)[at];
        case 'i':
            return buffer<std::int32_t>(1)[at];
        case 'I':
            return buffer<std::uint32_t>(1)[at];
        case 'L':
            return static_cast<std::int64_t>(buffer<std::uint64_t>(1)[at]);
        case 'b':
            return bit(buffer<std::uint8_t>(1), at) ? 1 : 0;
        default:
            return buffer<std::int64_t>(1)[at];
    }
}

std::string_view ColumnView::text(std::int64_t row) const {
    if (has_dictionary()) return dictionary().text(code(row));
    const std::int64_t at = first_ + row;
    const std::string_view type(schema_.format);
    if (type == "vu") return viewed_text(at);
    const auto between = [&](const auto* ends) {
        const char* const all = buffer<char>(2);
        return std::string_view(all + ends[at], static_cast<std::size_t>(ends[at + 1] - ends[at]));
    };
    return type == "u" ? between(buffer<std::int32_t>(1)) : between(buffer<std::int64_t>(1));
}

/// Sixteen bytes each: the length, and then a short text itself, or the place of a long one.
std::string_view ColumnView::viewed_text(std::int64_t at) const {
    constexpr std::int32_t kShort = 12;
    const char* const view = buffer<char>(1) + 16 * at;
    std::int32_t length = 0;
    std::memcpy(&length, view, sizeof length);
    const auto size = static_cast<std::size_t>(length);
    if (length <= kShort) return {view + 4, size};
    std::int32_t place[2];
    std::memcpy(place, view + 8, sizeof place);
    return {buffer<char>(2 + place[0]) + place[1], size};
}

}  // namespace redoubt::python::arrow
