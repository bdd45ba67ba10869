#include <string>

#include "fuzz/harness.hpp"
#include "redoubt/data_files.hpp"
#include "redoubt/error.hpp"
#include "redoubt/proof_check.hpp"

/// Proof files: whatever they hold, the checker says proven, refused or malformed.

namespace redoubt::fuzz {
namespace {

/// Exact numbers of the longest exponents take a few hundred bytes each.
constexpr std::size_t kMemoryPerByte = 4096;
constexpr std::size_t kMemory = std::size_t{8} << 20;

void check_proofs(std::string_view text) {
    const MemoryWatch watch(kMemory + kMemoryPerByte * text.size());
    accepts<ParseError>([&] {
        redoubt::check_proofs(DataSource::text(std::string(text)), [](const ProofVerdict& verdict) {
            require(verdict.is_proven == verdict.reason.empty(), "a refusal has a reason");
            require(verdict.radius >= 0.0, "a radius is not negative");
        });
    });
}

}  // namespace
}  // namespace redoubt::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    redoubt::fuzz::check_proofs(redoubt::fuzz::as_text(data, size));
    return 0;
}
