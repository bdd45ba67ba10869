#pragma once

/// Work cut into fixed blocks, so that a result never depends on the number of threads.

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>

#include "redoubt/solver.hpp"
#include "redoubt/threads.hpp"
#include "redoubt/types.hpp"

namespace redoubt {

/// Calls body(block) once for each block in [0, n_blocks), on up to `n_threads` threads, and
/// returns when all are done. Which thread runs a block is not defined: a body must write only to
/// what belongs to its block. The first exception is passed on after all threads have stopped.
/// Threads are started per call (about 20 microseconds each): use it for work much longer than
/// that.
void parallel_for(Index n_blocks, int n_threads, const std::function<void(Index)>& body);

/// The same for points: calls body(begin, end) for blocks of `block_size` of `n_points`.
void parallel_blocks(Index n_points, Index block_size, int n_threads,
                     const std::function<void(Index begin, Index end)>& body);

/// Adds up what the threads of one call have done and passes it on to the caller's progress, one
/// call at a time.
class SharedProgress {
public:
    SharedProgress(const Progress& progress, Index n_points)
        : progress_(progress), n_points_(n_points) {}

    void add(Index n_new) {
        if (!progress_) return;
        const std::lock_guard lock(mutex_);
        n_done_ += n_new;
        progress_(n_done_, n_points_);
    }

private:
    const Progress& progress_;
    Index n_points_;
    std::mutex mutex_{};
    Index n_done_ = 0;
};

}  // namespace redoubt
