#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "redoubt/types.hpp"

namespace redoubt {

/// Raised from outside to end a computation; null = never.
using StopFlag = const std::atomic<bool>*;

inline bool is_raised(StopFlag stop) {
    return stop != nullptr && stop->load(std::memory_order_relaxed);
}

/// A symmetric matrix too large to be factorised in one go: it is summed from panels and
/// factorised in blocks, shared out among threads, and a raised flag is heard between blocks.
/// Results do not depend on the number of threads.
class LargeCholesky {
public:
    LargeCholesky(int n_threads, StopFlag stop) : n_threads_(n_threads), stop_(stop) {}

    using PackColumn = std::function<void(Index k, Index begin, Index end, double* out)>;

    /// The matrix is 0 from now on, size x size.
    void reset(Index size);
    Index size() const { return size_; }

    /// `pack(i, row)` writes row i of the panel, `size` numbers: matrix += the sum of row row' for
    /// i in [0, count). False when stopped.
    bool add_rows(Index count, const std::function<void(Index i, double* row)>& pack);
    /// The same for a panel that is given by columns: `pack(k, begin, end, out)` writes the
    /// numbers of column k in the rows [begin, end).
    bool add_columns(Index count, const PackColumn& pack);

    bool is_stopped() const { return is_raised(stop_); }
    /// Row-major, padded; only its upper triangle counts.
    Matrix& matrix() { return matrix_; }
    double& diagonal(Index i) { return at(i, i); }
    /// Element (i, k), i <= k.
    double& at(Index i, Index k) { return matrix_(i, k); }

    /// False when stopped or not positive definite.
    bool factorize();
    /// x <- matrix^-1 x. Needs `factorize`.
    void solve(double* x) const;

private:
    bool add_tiles(Index count);
    bool factorize_block(Index begin, Index end);
    void solve_block_row(Index begin, Index end);
    bool update_rest(Index begin, Index end);

    int n_threads_;
    StopFlag stop_;
    Index size_ = 0;
    Index width_ = 0;
    Matrix matrix_;
    std::vector<double> tiles_;
    std::vector<double> row_;
};

}  // namespace redoubt
