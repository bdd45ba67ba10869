#pragma once

/// Work cut into fixed blocks, so that a result never depends on the number of threads.

#include <atomic>
#include <exception>
#include <functional>

#include "redoubt/types.hpp"

namespace redoubt {

/// The number of threads that a setting asks for: 0 means one per core.
int resolve_threads(int n_threads);

/// Calls body(block) once for each block in [0, n_blocks), on up to `n_threads` threads, and
/// returns when all are done. Which thread runs a block is not defined: a body must write only to
/// what belongs to its block. The first exception is passed on after all threads have stopped.
/// Threads are started per call (about 20 microseconds each): use it for work much longer than
/// that.
void parallel_for(Index n_blocks, int n_threads, const std::function<void(Index)>& body);

}  // namespace redoubt
