#pragma once

/// Checks proofs that floating-point analysis cannot be sure of, before anybody
/// else does.

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "redoubt/proof_check.hpp"

namespace redoubt {

/// Shared by the threads of a call; reads the header only if there is a proof
/// to be checked.
class ProofAudit {
public:
    explicit ProofAudit(std::function<std::string()> header) : header_(std::move(header)) {}

    bool accepts(const std::string& line) {
        std::call_once(once_, [&] { checker_.emplace(header_(), "the proof"); });
        return checker_->check(line, 1).is_proven;
    }

private:
    std::function<std::string()> header_;
    std::once_flag once_;
    std::optional<ProofChecker> checker_;
};

}  // namespace redoubt
