#include "svm/large_cholesky.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "linalg/kernels.hpp"

namespace redoubt {

namespace {

using kernels::kTile;

/// Rows of a panel, and of a block that is factorised at once: its tiles stay in the cache.
constexpr Index kBlock = 64;
/// Rows of the matrix that a thread works on before the flag is looked at.
constexpr Index kRowsPerLook = 64;
/// Smaller updates are over before a second thread would have started.
constexpr double kParallelFlops = 4e6;

}  // namespace

void LargeCholesky::reset(Index size) {
    size_ = size;
    width_ = kernels::padded_to_tiles(size);
    matrix_.setZero(width_, width_);
    tiles_.assign(static_cast<std::size_t>(kBlock * width_), 0.0);
    row_.resize(static_cast<std::size_t>(std::max(width_, kBlock)));
}

bool LargeCholesky::add_rows(Index count, const std::function<void(Index, double*)>& pack) {
    for (Index begin = 0; begin < count; begin += kBlock) {
        const Index rows = std::min(kBlock, count - begin);
        for (Index i = 0; i < rows; ++i) {
            pack(begin + i, row_.data());
            for (Index k = 0; k < size_; ++k)
                tiles_[static_cast<std::size_t>((k / kTile * rows + i) * kTile + k % kTile)] =
                    row_[static_cast<std::size_t>(k)];
        }
        for (Index k = size_; k < width_; ++k) {
            for (Index i = 0; i < rows; ++i)
                tiles_[static_cast<std::size_t>((k / kTile * rows + i) * kTile + k % kTile)] = 0.0;
        }
        if (!add_tiles(rows)) return false;
    }
    return true;
}

bool LargeCholesky::add_columns(Index count, const PackColumn& pack) {
    for (Index begin = 0; begin < count; begin += kBlock) {
        const Index rows = std::min(kBlock, count - begin);
        for (Index k = 0; k < width_; ++k) {
            double* out = tiles_.data() + k / kTile * rows * kTile + k % kTile;
            if (k < size_) {
                pack(k, begin, begin + rows, row_.data());
                for (Index i = 0; i < rows; ++i) out[i * kTile] = row_[static_cast<std::size_t>(i)];
            } else {
                for (Index i = 0; i < rows; ++i) out[i * kTile] = 0.0;
            }
        }
        if (!add_tiles(rows)) return false;
    }
    return true;
}

bool LargeCholesky::add_tiles(Index count) {
    const double flops = static_cast<double>(count * width_ * width_);
    parallel_blocks(width_, kRowsPerLook, flops < kParallelFlops ? 1 : n_threads_,
                    [&](Index begin, Index end) {
                        if (is_raised(stop_)) return;
                        kernels::add_tile_gram(tiles_.data(), count, width_, 1.0, begin, end,
                                               matrix_.data(), width_);
                    });
    return !is_raised(stop_);
}

bool LargeCholesky::factorize() {
    for (Index begin = 0; begin < size_; begin += kBlock) {
        const Index end = std::min(size_, begin + kBlock);
        if (is_raised(stop_) || !factorize_block(begin, end)) return false;
        if (end == size_) break;
        solve_block_row(begin, end);
        if (!update_rest(begin, end)) return false;
    }
    return true;
}

/// The block on the diagonal, U'U = A, row by row.
bool LargeCholesky::factorize_block(Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
        const double pivot = matrix_(i, i);
        if (!(pivot > 0.0 && std::isfinite(pivot))) return false;
        const double root = std::sqrt(pivot);
        matrix_(i, i) = root;
        for (Index k = i + 1; k < end; ++k) matrix_(i, k) /= root;
        for (Index p = i + 1; p < end; ++p)
            kernels::add_multiple(-matrix_(i, p), &matrix_(i, p), end - p, &matrix_(p, p));
    }
    return true;
}

/// The rest of the block's rows: U12 = U11^-T A12.
void LargeCholesky::solve_block_row(Index begin, Index end) {
    // Columns in pieces that stay in the cache while all rows of the block go over them.
    constexpr Index kPiece = 256;
    const double flops = static_cast<double>((end - begin) * (end - begin) * (size_ - end));
    parallel_blocks(size_ - end, kPiece, flops < kParallelFlops ? 1 : n_threads_,
                    [&](Index first, Index last) {
                        for (Index i = begin; i < end; ++i) {
                            double* row = &matrix_(i, end + first);
                            for (Index p = begin; p < i; ++p)
                                kernels::add_multiple(-matrix_(p, i), &matrix_(p, end + first),
                                                      last - first, row);
                            const double pivot = matrix_(i, i);
                            for (Index k = 0; k < last - first; ++k) row[k] /= pivot;
                        }
                    });
}

/// A22 -= U12'U12.
bool LargeCholesky::update_rest(Index begin, Index end) {
    const Index count = end - begin;
    // Blocks end at multiples of kBlock, so that the rest begins with a tile.
    const Index rest = width_ - end;
    for (Index k = 0; k < rest; ++k) {
        double* out = tiles_.data() + k / kTile * count * kTile + k % kTile;
        for (Index i = 0; i < count; ++i)
            out[i * kTile] = end + k < size_ ? matrix_(begin + i, end + k) : 0.0;
    }
    const double flops = static_cast<double>(count * rest * rest);
    parallel_blocks(rest, kRowsPerLook, flops < kParallelFlops ? 1 : n_threads_,
                    [&](Index first, Index last) {
                        if (is_raised(stop_)) return;
                        kernels::add_tile_gram(tiles_.data(), count, rest, -1.0, first, last,
                                               &matrix_(end, end), width_);
                    });
    return !is_raised(stop_);
}

void LargeCholesky::solve(double* x) const {
    for (Index i = 0; i < size_; ++i) {
        x[i] /= matrix_(i, i);
        kernels::add_multiple(-x[i], &matrix_(i, i) + 1, size_ - i - 1, x + i + 1);
    }
    for (Index i = size_; i-- > 0;) {
        x[i] -= kernels::dot(&matrix_(i, i) + 1, x + i + 1, size_ - i - 1);
        x[i] /= matrix_(i, i);
    }
}

}  // namespace redoubt
