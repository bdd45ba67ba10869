#pragma once

/// One pass over rows that do not fit in memory: what a training needs to know about them.
///
/// Around a plane (w, b), with t_j = 1 - y_j (w'x_j + b) + r_j size, the rows near t = 0 are kept;
/// all others are added up in cells by class, sign of t and distance from 0. The kept rows and the
/// means of the cells, weighted, form a small SVM whose optimum is at most that of all rows
/// (docs/scale.md explains why, and the use of it).
///
/// Equal rows (in features, class, weight and radius) are one kept row with a number of copies: all
/// of them are kept, or none.
///
/// A summary is a pure function of its rows and the query. Sums are sums of integers, so the
/// summaries of parts add up to the same bits however the rows are divided.

#include "redoubt/types.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace redoubt {

/// A number in [0, 1), determined by a row's number in the whole data, or its key.
double row_uniform(std::uint64_t seed, std::uint64_t row);

struct BandQuery {
    Vector w;
    double b = 0.0;
    /// The factor of the adversary's radii: ||S w||_q, or 0 without an adversary.
    double size = 0.0;
    /// How the plane may still move: one move (dw, db) per row, with its effect on `size`. The
    /// scale of a data row is the root mean square of the changes that these moves make to its t.
    Matrix moves;
    Vector size_moves;
    /// Other planes (w, b), one per row, and their sizes: every cell is divided by the sign of t at
    /// each of them. At most kMostDivisions.
    Matrix divisions{};
    Vector division_sizes{};
    /// Rows with |t| <= reach scale are in the band.
    double reach = 4.0;
    /// Rows of the band are kept with probability share min(1, density ((1 - (|t| / (reach
    /// scale))^2)^3 + 0.02)), all others never. Infinite: with probability `share`.
    double density = 0.0;
    double share = 1.0;
    std::uint64_t seed = 0;
    /// Powers of 2. Products of a weight with a feature, a radius or [t]_+, and the weights
    /// themselves, are added up as integer multiples of these units; none may reach 2^62 units.
    Vector feature_units;
    double radius_unit = 0.0;
    double hinge_unit = 0.0;
    double weight_unit = 0.0;

    static constexpr Index kMostDivisions = 8;

    /// Throws InvalidInput, naming the field, if sizes do not match `n_features` or a unit is not
    /// positive.
    void check(Index n_features) const;
};

/// Rows of one block. `weights` and `radii` have one entry per row.
struct BandRows {
    MatrixRef X;
    VectorRef y;
    VectorRef weights;
    VectorRef radii;
    /// How many equal rows each of them stands for, below 2^30; empty: one each.
    std::span<const std::int64_t> copies{};

    /// Determined by the bits of the row's features, class, weight and radius.
    std::uint64_t key(Index j) const;
    bool are_equal(Index i, Index j) const;
};

using IntegerMatrix = Eigen::Matrix<std::int64_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct BandSummary {
    /// Upper ends of |t| / scale of the cells on one side of t = 0; the last cell is unbounded.
    static const std::vector<double>& cell_ends();
    /// Cell (class, side, distance) has number (2 class + side) n_distances + distance; class 1 is
    /// y = +1 and side 1 is t > 0. With k divisions that is multiplied by 2^k, and bit i says
    /// whether t > 0 at plane i.
    static Index n_distances();

    /// One row per cell: the sums of c, c r and c x over the rows that are not kept, in units. A
    /// sum is 2^32 high + low; both halves can be added up over 2^30 rows.
    IntegerMatrix high;
    IntegerMatrix low;
    /// The same for c [t]_+, over all rows.
    std::int64_t hinge_high = 0;
    std::int64_t hinge_low = 0;
    /// Number of rows that are not kept, by cell.
    std::vector<std::int64_t> counts;
    /// Kept rows, by their number in the block, the probability with which they were kept, and how
    /// many equal rows there were. Each thread finds the copies among its own rows only.
    std::vector<std::int64_t> kept;
    std::vector<double> probability;
    std::vector<std::int64_t> copies;
};

/// A pass of Newton's method, used where bands do not help. Each hinge is smoothed:
///
///     [t]_+  ~  t a - width a^2 / 2 ,    a = min(max(t / width, 0), 1) .
struct SmoothQuery {
    Vector w;
    double b = 0.0;
    double size = 0.0;
    double width = 1.0;
    /// Powers of 2 again, one per sum.
    Vector units;

    /// For n features: see SmoothSums.
    static Index n_sums(Index n_features);

    void check(Index n_features) const;
};

/// With g = (-y x, -y, r), the derivative of t with respect to w, b and `size`, and k = n + 2:
///   2 sums        c [t]_+ , and its smooth neighbour
///   k for y = -1  c a, c a r, c a x
///   k for y = +1  the same
///   k (k + 1) / 2 c g g' over rows with 0 < a < 1, its upper triangle row by row
/// in units, as 2^32 high + low.
struct SmoothSums {
    std::vector<std::int64_t> high;
    std::vector<std::int64_t> low;
};

SmoothSums summarise_smooth(const BandRows& rows, const SmoothQuery& query, int n_threads = 1);

/// Rows of weight 0 are left out. Throws InvalidInput for sizes that do not match. Values are not
/// checked: a product too large for its unit makes the sum meaningless.
BandSummary summarise_bands(const BandRows& rows, const BandQuery& query, int n_threads = 1);

}  // namespace redoubt
