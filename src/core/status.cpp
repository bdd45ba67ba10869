#include "redoubt/status.hpp"

namespace redoubt {

std::string_view to_string(Status status) noexcept {
    switch (status) {
        case Status::Optimal:
            return "optimal";
        case Status::IterationLimit:
            return "iteration limit";
        case Status::TimeLimit:
            return "time limit";
        case Status::NodeLimit:
            return "node limit";
        case Status::Interrupted:
            return "interrupted";
        case Status::NumericalFailure:
            return "numerical failure";
    }
    return "unknown";
}

}  // namespace redoubt
