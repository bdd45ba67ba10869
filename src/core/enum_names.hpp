#pragma once

/// The names of an enumeration's values, in one table: for printing and for reading.

#include <cstddef>
#include <string>
#include <string_view>

#include "redoubt/error.hpp"

namespace redoubt {

template <typename Enum>
struct EnumName {
    Enum value;
    std::string_view name;
};

template <typename Enum, std::size_t n>
std::string_view name_of(const EnumName<Enum> (&names)[n], Enum value) noexcept {
    for (const EnumName<Enum>& entry : names) {
        if (entry.value == value) return entry.name;
    }
    return "unknown";
}

/// Throws InvalidInput about `argument`, listing the names, when it is none of them.
template <typename Enum, std::size_t n>
Enum value_of(const EnumName<Enum> (&names)[n], std::string_view argument, std::string_view name) {
    std::string wanted;
    for (std::size_t i = 0; i < n; ++i) {
        if (names[i].name == name) return names[i].value;
        wanted += (i == 0 ? "'" : i + 1 < n ? ", '" : " or '") + std::string(names[i].name) + "'";
    }
    throw InvalidInput(argument, wanted, "'" + std::string(name) + "'");
}

}  // namespace redoubt
