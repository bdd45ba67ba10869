#pragma once

/// The passes over samples that dominate training, on raw memory.
///
/// Each is compiled for several instruction sets, and the best one is chosen at load time. Every
/// element of a result is summed in one fixed order of plain multiplications and additions, so all
/// versions give the same bits.

#include <cstddef>

#include "redoubt/points.hpp"

namespace redoubt::kernels {

/// A row-major block of samples: row j starts at data + j * stride and has `cols` numbers.
struct Rows {
    const double* data;
    std::ptrdiff_t stride;
    std::ptrdiff_t cols;
};

/// out[j] = x_j'w for j in [begin, end).
void multiply_rows(const Rows& X, const double* w, std::ptrdiff_t begin, std::ptrdiff_t end,
                   double* out);

/// out += sum over i in [0, count) of coef[i] x_{rows[i]}; `out` has X.cols numbers.
void add_weighted_rows(const Rows& X, const int* rows, const double* coef, std::ptrdiff_t count,
                       double* out);

/// x'w and out += coef x of a compressed row.
double dot(const SparseRow& x, const double* w);
void add_row(const SparseRow& x, double coef, double* out);

/// The sum over j in [begin, end) of  weight[j] clip(centre[j] + (t[j] + step dt[j]) slope, 0, 1).
struct ClippedSum {
    const double* weight;
    const double* centre;
    const double* t;
    const double* dt;
    double step;
    double slope;
};
double sum_clipped(const ClippedSum& terms, std::ptrdiff_t begin, std::ptrdiff_t end);

/// The effect of a threshold on u = v + step z, with z = x - mean: sums over all features.
struct ThresholdSums {
    double product = 0.0;  ///< of u and z
    double excess = 0.0;   ///< (|u| - level)_+
    double soft = 0.0;     ///< sign(u) (|u| - level)_+ z
    double count = 0.0;    ///< those with |u| > level, and over these:
    double signs = 0.0;    ///< sign(u) z
    double squares = 0.0;  ///< z^2
};
struct ThresholdTest {
    const double* x;
    const double* mean;
    const double* v;
    double step;
    double level;
    std::ptrdiff_t n;
};
ThresholdSums threshold_sums(const ThresholdTest& test);
/// For a compressed row, with mean 0: sums over its own columns.
ThresholdSums threshold_sums(const SparseRow& x, const double* v, double step, double level);

/// Where g + step rate meets a limit, feature by feature: the ratio tests of a simplex method.
/// Features whose rate is at most `least` in size never do: infinity.
struct RatioTest {
    const double* g;
    const double* rate;
    double least;
    std::ptrdiff_t n;
};
/// The limit is 0, approached from the side `sign` (-1 or +1; a feature with sign 0 has none).
void ratios_to_zero(const RatioTest& test, const double* sign, double* ratio);
/// The limits are -1 and +1.
void ratios_to_one(const RatioTest& test, double* ratio);

/// sum_l |g_l + step rate_l|.
double sum_of_sizes(const double* g, const double* rate, double step, std::ptrdiff_t n);

/// Features of a box that contains 0 move to the side of g_l up to `level`, or to their end on that
/// side.
struct LevelSums {
    double reached;  ///< sum of |g_l| times how far they move
    double slope;    ///< sum of |g_l| of those that are not at their end
    double sizes;    ///< sum of all |g_l|
};
LevelSums sums_at_level(const double* g, const double* lo, const double* hi, double level,
                        std::ptrdiff_t n);

/// The same for given sides (-1 or +1; a feature with side 0 stays at 0): follow[l] = side for
/// features that follow the level and 0 for the others, which are at settled[l].
void settle_at_level(const double* side, const double* lo, const double* hi, double level,
                     std::ptrdiff_t n, double* follow, double* settled);
/// True if other features would follow at this level.
bool is_settled_at_level(const double* side, const double* lo, const double* hi,
                         const double* follow, double level, std::ptrdiff_t n);

/// Numbers per row of a panel and of the matrix below: cols rounded up to a multiple of this.
inline constexpr std::ptrdiff_t kPanelPad = 8;

inline std::ptrdiff_t padded(std::ptrdiff_t cols) {
    return (cols + kPanelPad - 1) / kPanelPad * kPanelPad;
}

/// H += P'P for a panel P of `count` rows and `width` columns (a multiple of kPanelPad, no gaps
/// between rows). H is width x width, row-major; only its blocks on and above the diagonal are
/// computed, so read the upper triangle.
void add_gram(const double* panel, std::ptrdiff_t count, std::ptrdiff_t width, double* H);

// --- Large symmetric matrices: products of tiles ------------------------------------------------
//
// A panel of `count` rows is packed in tiles of kTile columns: the number in row i and column k is
// at tiles[(k / kTile) count kTile + i kTile + k % kTile]. Columns are padded to an even number of
// tiles.

inline constexpr std::ptrdiff_t kTile = 8;

inline std::ptrdiff_t padded_to_tiles(std::ptrdiff_t cols) {
    return (cols + 2 * kTile - 1) / (2 * kTile) * (2 * kTile);
}

/// H += sign P'P for a packed panel P of `width` columns (padded), in the rows [row_begin, row_end)
/// of H, which are multiples of kTile. H is row-major with `stride` numbers a row; only its blocks
/// on and above the diagonal are computed. Every element is summed in the order of the panel's
/// rows.
void add_tile_gram(const double* tiles, std::ptrdiff_t count, std::ptrdiff_t width, double sign,
                   std::ptrdiff_t row_begin, std::ptrdiff_t row_end, double* H,
                   std::ptrdiff_t stride);

/// x'y and y += a x.
double dot(const double* x, const double* y, std::ptrdiff_t n);
void add_multiple(double a, const double* x, std::ptrdiff_t n, double* y);

}  // namespace redoubt::kernels
