#include "svm/ball_rows.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"

namespace redoubt {

namespace {

/// Rows per piece of a pass: a piece's vectors stay in the first-level cache.
constexpr Index kRowsPerPiece = 2048;
/// Partial sums of a reduction: enough to share out, few enough to hold n x n matrices.
constexpr Index kMaxPartials = 16;
/// Below this many multiplications a pass is over before a second thread would have started.
constexpr double kParallelWork = 2e6;

Index n_pieces(Index count, Index rows_per_piece) {
    return (count + rows_per_piece - 1) / rows_per_piece;
}

/// Piece length for a reduction over `count` rows that keeps at most kMaxPartials partial sums.
Index reduction_length(Index count) {
    return std::max(kRowsPerPiece, n_pieces(count, kMaxPartials));
}

}  // namespace

int BallRows::threads_for(double n_operations) const {
    return n_operations < kParallelWork ? 1 : problem_.n_threads;
}

void BallRows::multiply(const VectorRef& z, Vector& out) const {
    multiply_shifted(z, z[bias()] - problem_.mean.dot(z.head(problem_.n())), out);
}

void BallRows::multiply_uncentred(const VectorRef& z, Vector& out) const {
    multiply_shifted(z, z[bias()], out);
}

void BallRows::multiply_shifted(const VectorRef& z, double shift, Vector& out) const {
    const double s = problem_.is_robust() ? z[size()] : 0.0;
    const int threads = threads_for(problem_.rows.n_numbers());
    parallel_blocks(problem_.m, kRowsPerPiece, threads, [&](Index begin, Index end) {
        const Index length = end - begin;
        problem_.rows.multiply(z.data(), begin, end, out.data());
        auto part = out.segment(begin, length).array();
        part = -problem_.y.segment(begin, length).array() * (part + shift);
        if (problem_.is_robust()) part += s * problem_.r.segment(begin, length).array();
    });
}

void BallRows::multiply_transposed(const VectorRef& alpha, Vector& out) {
    rows_.clear();
    coef_.clear();
    double balance = 0.0;
    double radius = 0.0;
    for (Index j = 0; j < problem_.m; ++j) {
        if (alpha[j] == 0.0) continue;
        const double signed_alpha = -problem_.y[j] * alpha[j];
        rows_.push_back(static_cast<int>(j));
        coef_.push_back(signed_alpha);
        balance += signed_alpha;
        if (problem_.is_robust()) radius += alpha[j] * problem_.r[j];
    }
    const auto count = static_cast<Index>(rows_.size());
    const Index length = reduction_length(count);
    const Index pieces = n_pieces(count, length);
    partial_sums_.resize(static_cast<std::size_t>(std::max<Index>(pieces, 1)));
    const int threads = threads_for(static_cast<double>(count * problem_.n()));
    parallel_for(pieces, threads, [&](Index piece) {
        Vector& sum = partial_sums_[static_cast<std::size_t>(piece)];
        sum.setZero(problem_.n());
        const Index begin = piece * length;
        problem_.rows.add_weighted(rows_.data() + begin, coef_.data() + begin,
                                   std::min(length, count - begin), sum.data());
    });
    out.head(problem_.n()) = -balance * problem_.mean;
    for (Index piece = 0; piece < pieces; ++piece) {
        out.head(problem_.n()) += partial_sums_[static_cast<std::size_t>(piece)];
    }
    out[bias()] = balance;
    if (problem_.is_robust()) out[size()] = radius;
}

void BallRows::pack_row(int row, double weight, double* out) const {
    const double root = std::sqrt(weight);
    const double signed_root = -problem_.y[row] * root;
    const Index n = problem_.n();
    problem_.rows.copy(row, out);
    for (Index l = 0; l < n; ++l) out[l] = signed_root * (out[l] - problem_.mean[l]);
    out[bias()] = signed_root;
    if (problem_.is_robust()) out[size()] = root * problem_.r[row];
    std::fill(out + n_variables(), out + kernels::padded(n_variables()), 0.0);
}

void BallRows::gram(const std::vector<int>& rows, const std::vector<double>& weights, Matrix& H) {
    const auto count = static_cast<Index>(rows.size());
    const Index width = kernels::padded(n_variables());
    const Index length = reduction_length(count);
    const Index pieces = n_pieces(count, length);
    partial_grams_.resize(static_cast<std::size_t>(std::max<Index>(pieces, 1)));
    panels_.resize(partial_grams_.size());
    const int threads = threads_for(0.5 * static_cast<double>(count * width * width));
    parallel_for(pieces, threads, [&](Index piece) {
        Matrix& sum = piece == 0 ? H : partial_grams_[static_cast<std::size_t>(piece)];
        sum.setZero(width, width);
        std::vector<double>& panel = panels_[static_cast<std::size_t>(piece)];
        panel.resize(static_cast<std::size_t>(kPanelRows * width));
        const Index end = std::min(count, (piece + 1) * length);
        for (Index begin = piece * length; begin < end; begin += kPanelRows) {
            const Index n_rows = std::min(kPanelRows, end - begin);
            for (Index i = 0; i < n_rows; ++i) {
                const auto at = static_cast<std::size_t>(begin + i);
                pack_row(rows[at], weights[at], panel.data() + i * width);
            }
            kernels::add_gram(panel.data(), n_rows, width, sum.data());
        }
    });
    if (pieces == 0) H.setZero(width, width);
    for (Index piece = 1; piece < pieces; ++piece)
        H += partial_grams_[static_cast<std::size_t>(piece)];
}

bool BallRows::gram(const std::vector<int>& rows, const std::vector<double>& weights,
                    LargeCholesky& H) {
    H.reset(n_variables());
    return H.add_rows(static_cast<Index>(rows.size()), [&](Index i, double* out) {
        const auto at = static_cast<std::size_t>(i);
        pack_row(rows[at], weights[at], out);
    });
}

double BallRows::sum(const std::function<double(Index, Index)>& part) const {
    const Index length = reduction_length(problem_.m);
    const Index pieces = n_pieces(problem_.m, length);
    if (pieces == 1) return part(0, problem_.m);
    std::vector<double> sums(static_cast<std::size_t>(pieces));
    parallel_for(pieces, threads_for(4.0 * static_cast<double>(problem_.m)), [&](Index piece) {
        const Index begin = piece * length;
        sums[static_cast<std::size_t>(piece)] = part(begin, std::min(problem_.m, begin + length));
    });
    double total = 0.0;
    for (double value : sums) total += value;
    return total;
}

}  // namespace redoubt
