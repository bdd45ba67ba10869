#include "core/parallel.hpp"

#include <algorithm>
#include <thread>
#include <vector>

namespace redoubt {

int resolve_threads(int n_threads) {
    if (n_threads > 0) return n_threads;
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void parallel_for(Index n_blocks, int n_threads, const std::function<void(Index)>& body) {
    const Index n_workers = std::min<Index>(resolve_threads(n_threads), n_blocks);
    if (n_workers <= 1) {
        for (Index block = 0; block < n_blocks; ++block) body(block);
        return;
    }
    std::atomic<Index> next{0};
    std::exception_ptr failure;
    std::mutex failure_mutex;
    const auto work = [&] {
        try {
            for (Index block = next++; block < n_blocks; block = next++) body(block);
        } catch (...) {
            next = n_blocks;
            const std::lock_guard lock(failure_mutex);
            if (!failure) failure = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> helpers;
        for (Index i = 1; i < n_workers; ++i) helpers.emplace_back(work);
        work();
    }
    if (failure) std::rethrow_exception(failure);
}

void parallel_blocks(Index n_points, Index block_size, int n_threads,
                     const std::function<void(Index begin, Index end)>& body) {
    parallel_for((n_points + block_size - 1) / block_size, n_threads, [&](Index block) {
        body(block * block_size, std::min(n_points, (block + 1) * block_size));
    });
}

}  // namespace redoubt
