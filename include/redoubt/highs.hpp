#pragma once

/// Where to find HiGHS. It solves the integer programs of Solver::Mip and is needed for nothing
/// else: the library is not linked against it but loads it on first use, from the first of
///
///   1. the path in the environment variable REDOUBT_HIGHS, and nowhere else if that is set,
///   2. the path passed to `set_highs_library`,
///   3. libhighs.so.1 and libhighs.so where the system looks for libraries.
///
/// Once loaded it stays loaded. All functions may be called from any thread.

#include <optional>
#include <string>

namespace redoubt {

/// A path to try, such as that of the library inside the Python package highspy; empty forgets it.
/// Has no effect once HiGHS is loaded, and loads nothing itself.
void set_highs_library(const std::string& path);

/// "1.15.1", or empty if HiGHS cannot be loaded. Loads it.
std::optional<std::string> highs_version();

}  // namespace redoubt
