#pragma once

/// The passes over samples that dominate training, on raw memory.
///
/// Each is compiled for several instruction sets and the best one is chosen at load time. Every
/// result element is summed in one fixed order of plain multiplications and additions, so all
/// versions give the same bits.

#include <cstddef>

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

/// Features of a box that contains 0 go to the side of g_l until `level`, or to their end there.
struct LevelSums {
    double reached;  ///< sum of |g_l| times how far they get
    double slope;    ///< sum of |g_l| of those that are not at their end
    double sizes;    ///< sum of all |g_l|
};
LevelSums sums_at_level(const double* g, const double* lo, const double* hi, double level,
                        std::ptrdiff_t n);

/// The same for given sides (-1 or +1; a feature with side 0 stays at 0): follow[l] = side for
/// those that follow the level and 0 for the others, which are at settled[l].
void settle_at_level(const double* side, const double* lo, const double* hi, double level,
                     std::ptrdiff_t n, double* follow, double* settled);
/// Would other features follow at this level?
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

}  // namespace redoubt::kernels
