#include "core/parallel.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace redoubt::testing {
namespace {

TEST(ParallelThreads, RunEveryBlockOnce) {
    for (int n_threads : {0, 1, 2, 7}) {
        std::vector<int> counts(1000, 0);
        parallel_for(1000, n_threads,
                     [&](Index block) { ++counts[static_cast<std::size_t>(block)]; });
        for (int count : counts) ASSERT_EQ(count, 1);
    }
    parallel_for(0, 2, [](Index) { FAIL(); });
}

TEST(ParallelThreads, PassOnAnExceptionAfterAllHaveStopped) {
    for (int n_threads : {1, 3}) {
        EXPECT_THROW(parallel_for(100, n_threads,
                                  [](Index block) {
                                      if (block == 17) throw std::runtime_error("block 17");
                                  }),
                     std::runtime_error);
    }
}

}  // namespace
}  // namespace redoubt::testing
