#include "redoubt/solver.hpp"

#include <cmath>
#include <string>

#include "core/check.hpp"
#include "core/enum_names.hpp"

namespace redoubt {

namespace {

constexpr EnumName<Solver> kSolverNames[] = {
    {Solver::Native, "native"}, {Solver::Mip, "mip"}, {Solver::Enumerate, "enumerate"}};

}  // namespace

std::string_view to_string(Solver solver) noexcept {
    return name_of(kSolverNames, solver);
}

Solver parse_solver(std::string_view name) {
    return value_of(kSolverNames, "solver", name);
}

void SearchLimits::check() const {
    if (max_nodes_per_point < 0) {
        throw InvalidInput("max_nodes_per_point", "an integer >= 0",
                           std::to_string(max_nodes_per_point));
    }
    check_value(max_seconds_per_point >= 0.0, "max_seconds_per_point", "a number >= 0",
                max_seconds_per_point);
    check_value(max_seconds >= 0.0, "max_seconds", "a number >= 0", max_seconds);
}

}  // namespace redoubt
