#pragma once

/// Work divided into fixed blocks, so that results never depend on the number of threads.

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>

#include "redoubt/solver.hpp"
#include "redoubt/threads.hpp"
#include "redoubt/types.hpp"

namespace redoubt {

/// Calls body(block) once for each block in [0, n_blocks), on up to `n_threads` threads, and
/// returns when all are done. It is undefined which thread runs a block, so a body must write only
/// to what belongs to its block. The first exception is rethrown after all threads have stopped.
/// Threads are started per call (about 20 microseconds each): use this for work that takes much
/// longer.
void parallel_for(Index n_blocks, int n_threads, const std::function<void(Index)>& body);

/// The same for points: calls body(begin, end) for blocks of `block_size` of `n_points`.
void parallel_blocks(Index n_points, Index block_size, int n_threads,
                     const std::function<void(Index begin, Index end)>& body);

/// Adds up the progress of the threads of one call and reports it to the caller's callback, one
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
