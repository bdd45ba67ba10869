#pragma once

#include <stdexcept>

namespace redoubt::proofs {

/// A proof that does not prove its claim; `what` says where and why.
struct Refusal : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace redoubt::proofs
