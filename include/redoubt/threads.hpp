#pragma once

/// How many threads a setting stands for.

namespace redoubt {

/// The meaning of every setting `n_threads`: 0 is one thread per core that this process may use,
/// any other number is itself. `n_threads` is >= 0; the result is >= 1.
int resolve_threads(int n_threads);

}  // namespace redoubt
