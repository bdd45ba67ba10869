#pragma once

/// How a computation ended.

#include <string_view>

namespace redoubt {

enum class Status {
    Optimal,           ///< solved to the required accuracy
    Finished,          ///< all steps were done; no optimum is proven, or sought
    IterationLimit,    ///< stopped early; the result is valid but less accurate than required
    TimeLimit,         ///< stopped early; the result is valid but less accurate than required
    NodeLimit,         ///< stopped early; the result is valid but less accurate than required
    Interrupted,       ///< the caller's stop flag was raised; the result is valid as far as it goes
    NumericalFailure,  ///< rounding stopped progress; the result is the best point found
};

/// True if everything that was asked for is done.
constexpr bool is_success(Status status) noexcept {
    return status == Status::Optimal || status == Status::Finished;
}

std::string_view to_string(Status status) noexcept;

}  // namespace redoubt
