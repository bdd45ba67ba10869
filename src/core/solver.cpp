#include "redoubt/solver.hpp"

#include <cmath>
#include <string>

#include "core/check.hpp"

namespace redoubt {

std::string_view to_string(Solver solver) noexcept {
    switch (solver) {
        case Solver::Native:
            return "native";
        case Solver::Mip:
            return "mip";
        case Solver::Enumerate:
            return "enumerate";
    }
    return "unknown";
}

Solver parse_solver(std::string_view name) {
    for (Solver solver : {Solver::Native, Solver::Mip, Solver::Enumerate}) {
        if (name == to_string(solver)) return solver;
    }
    throw InvalidInput("solver", "'native', 'mip' or 'enumerate'", "'" + std::string(name) + "'");
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
