#pragma once

/// How a computation ended.

#include <string_view>

namespace redoubt {

enum class Status {
    Optimal,           ///< solved to the accuracy that was asked for
    Finished,          ///< every step was done; no optimum is proven, or sought
    IterationLimit,    ///< stopped early; the result is valid but less accurate than asked
    TimeLimit,         ///< stopped early; the result is valid but less accurate than asked
    NodeLimit,         ///< stopped early; the result is valid but less accurate than asked
    Interrupted,       ///< the caller's stop flag was raised; the result is valid as far as it goes
    NumericalFailure,  ///< rounding stopped progress; the result is the best point found
};

/// Did it do all that was asked?
constexpr bool is_success(Status status) noexcept {
    return status == Status::Optimal || status == Status::Finished;
}

std::string_view to_string(Status status) noexcept;

}  // namespace redoubt
