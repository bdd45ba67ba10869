#include "redoubt/status.hpp"
#include "core/enum_names.hpp"

namespace redoubt {

namespace {

constexpr EnumName<Status> kStatusNames[] = {
    {Status::Optimal, "optimal"},         {Status::IterationLimit, "iteration limit"},
    {Status::TimeLimit, "time limit"},    {Status::NodeLimit, "node limit"},
    {Status::Interrupted, "interrupted"}, {Status::NumericalFailure, "numerical failure"}};

}  // namespace

std::string_view to_string(Status status) noexcept {
    return name_of(kStatusNames, status);
}

}  // namespace redoubt
