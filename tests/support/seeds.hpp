#pragma once

/// How long the tests search for counterexamples.

#include <algorithm>
#include <cstdint>
#include <cstdlib>

// GCC defines a macro for a sanitizer, clang has a feature.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REDOUBT_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define REDOUBT_IS_SANITIZED 1
#endif
#endif

namespace redoubt::testing {

#ifdef REDOUBT_IS_SANITIZED
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

/// A sanitizer asks about memory, not about answers: the same code on a quarter of the seeds.
inline constexpr std::uint64_t kShareOfSeeds = kIsSanitized ? 4 : 1;

/// The number of seeds to try where `usual` are the rule. REDOUBT_TEST_SEEDS=10 tries ten times as many.
inline std::uint64_t n_seeds(std::uint64_t usual) {
    static const char* const text = std::getenv("REDOUBT_TEST_SEEDS");
    static const std::uint64_t factor = text ? std::max<std::uint64_t>(1, std::strtoull(text, nullptr, 10)) : 1;
    return std::max<std::uint64_t>(1, usual * factor / kShareOfSeeds);
}

/// What must at least be found on n_seeds(..) seeds, where `usual` is the rule. Few seeds may find
/// fewer than their share.
inline int least_found(int usual) { return kShareOfSeeds == 1 ? usual : usual / 10; }

}  // namespace redoubt::testing
