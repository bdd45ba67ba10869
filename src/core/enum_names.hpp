#pragma once

/// The names of an enumeration's values in one table, for printing and reading.

#include <cstddef>
#include <string>
#include <string_view>

#include "redoubt/class_vote.hpp"
#include "redoubt/error.hpp"
#include "redoubt/norm.hpp"
#include "redoubt/scaler.hpp"
#include "redoubt/status.hpp"

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

/// Calls `fail`, which must throw, with a list of the names if there is no such name.
template <typename Enum, std::size_t n, typename Fail>
Enum value_or_fail(const EnumName<Enum> (&names)[n], std::string_view name, const Fail& fail) {
    std::string wanted;
    for (std::size_t i = 0; i < n; ++i) {
        if (names[i].name == name) return names[i].value;
        wanted += (i == 0 ? "'" : i + 1 < n ? ", '" : " or '") + std::string(names[i].name) + "'";
    }
    fail(wanted);
    return names[0].value;
}

/// Throws InvalidInput about `argument`.
template <typename Enum, std::size_t n>
Enum value_of(const EnumName<Enum> (&names)[n], std::string_view argument, std::string_view name) {
    return value_or_fail(names, name, [&](const std::string& wanted) {
        throw InvalidInput(argument, wanted, "'" + std::string(name) + "'");
    });
}

// names that files use as well
inline constexpr EnumName<Norm> kNormNames[] = {
    {Norm::L1, "l1"}, {Norm::L2, "l2"}, {Norm::LInf, "linf"}, {Norm::L0, "l0"}};
inline constexpr EnumName<ClassScore> kClassScoreNames[] = {{ClassScore::Value, "value"},
                                                             {ClassScore::Votes, "votes"}};
inline constexpr EnumName<Scaling> kScalingNames[] = {{Scaling::None, "none"},
                                                      {Scaling::Standard, "standard"},
                                                      {Scaling::MinMax, "minmax"},
                                                      {Scaling::MaxAbs, "maxabs"},
                                                      {Scaling::Custom, "custom"}};
inline constexpr EnumName<Status> kStatusNames[] = {
    {Status::Optimal, "optimal"},
    {Status::Finished, "finished"},
    {Status::IterationLimit, "iteration limit"},
    {Status::TimeLimit, "time limit"},
    {Status::NodeLimit, "node limit"},
    {Status::Interrupted, "interrupted"},
    {Status::NumericalFailure, "numerical failure"}};

}  // namespace redoubt
