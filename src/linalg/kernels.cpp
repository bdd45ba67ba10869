#include "linalg/kernels.hpp"

#include <cmath>
#include <cstring>

// One copy of each kernel per instruction set, picked by the loader. Fused multiply-add is never
// enabled: it would round differently from the plain version.
#if defined(__x86_64__) && defined(__ELF__) && !defined(REDOUBT_NO_TARGET_CLONES)
#define REDOUBT_KERNEL __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define REDOUBT_KERNEL
#endif

#define REDOUBT_INLINE inline __attribute__((always_inline))

namespace redoubt::kernels {

namespace {

using std::ptrdiff_t;

/// Eight numbers that move together; the compiler maps them to whatever registers there are.
typedef double Lanes __attribute__((vector_size(64)));
constexpr ptrdiff_t kLanes = 8;

REDOUBT_INLINE void load(const double* from, Lanes& to) {
    std::memcpy(&to, from, sizeof(Lanes));
}

REDOUBT_INLINE void store(const Lanes& from, double* to) {
    std::memcpy(to, &from, sizeof(Lanes));
}

/// Always the same tree, so that the sum does not depend on the instruction set.
REDOUBT_INLINE double sum(const Lanes& v) {
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

}  // namespace

REDOUBT_KERNEL
void multiply_rows(const Rows& X, const double* w, ptrdiff_t begin, ptrdiff_t end, double* out) {
    const ptrdiff_t whole = X.cols / kLanes * kLanes;
    for (ptrdiff_t j = begin; j < end; ++j) {
        const double* x = X.data + j * X.stride;
        Lanes even{};
        Lanes odd{};
        ptrdiff_t l = 0;
        for (; l + 2 * kLanes <= whole; l += 2 * kLanes) {
            Lanes x0, w0, x1, w1;
            load(x + l, x0);
            load(w + l, w0);
            load(x + l + kLanes, x1);
            load(w + l + kLanes, w1);
            even += x0 * w0;
            odd += x1 * w1;
        }
        if (l < whole) {
            Lanes x0, w0;
            load(x + l, x0);
            load(w + l, w0);
            even += x0 * w0;
        }
        double rest = 0.0;
        for (l = whole; l < X.cols; ++l) rest += x[l] * w[l];
        const Lanes both = even + odd;
        out[j] = sum(both) + rest;
    }
}

REDOUBT_KERNEL
void add_weighted_rows(const Rows& X, const int* rows, const double* coef, ptrdiff_t count,
                       double* out) {
    for (ptrdiff_t i = 0; i < count; ++i) {
        const double* x = X.data + rows[i] * X.stride;
        const double c = coef[i];
        for (ptrdiff_t l = 0; l < X.cols; ++l) out[l] += c * x[l];
    }
}

namespace {

template <typename Column>
REDOUBT_INLINE double dot_entries(const Column* column, const double* value, ptrdiff_t count,
                                  const double* w) {
    // Four sums side by side: one would wait for every addition.
    double sums[4] = {};
    ptrdiff_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (int lane = 0; lane < 4; ++lane) sums[lane] += value[i + lane] * w[column[i + lane]];
    }
    for (; i < count; ++i) sums[0] += value[i] * w[column[i]];
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

}  // namespace

double dot(const SparseRow& x, const double* w) {
    return x.columns32 != nullptr ? dot_entries(x.columns32, x.values, x.n_entries, w)
                                  : dot_entries(x.columns64, x.values, x.n_entries, w);
}

void add_row(const SparseRow& x, double coef, double* out) {
    x.for_each([&](ptrdiff_t l, double value) { out[l] += coef * value; });
}

REDOUBT_KERNEL
double sum_clipped(const ClippedSum& terms, ptrdiff_t begin, ptrdiff_t end) {
    const auto term = [&terms](ptrdiff_t j) __attribute__((always_inline)) {
        double a = terms.centre[j] + (terms.t[j] + terms.step * terms.dt[j]) * terms.slope;
        a = a < 0.0 ? 0.0 : a;
        a = a > 1.0 ? 1.0 : a;
        return terms.weight[j] * a;
    };
    // Eight sums side by side, which the compiler maps to whatever registers there are.
    double sums[kLanes] = {};
    ptrdiff_t j = begin;
    for (; j + kLanes <= end; j += kLanes) {
        for (ptrdiff_t lane = 0; lane < kLanes; ++lane) sums[lane] += term(j + lane);
    }
    for (ptrdiff_t lane = 0; j < end; ++j, ++lane) sums[lane] += term(j);
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
           ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

namespace {

/// One feature's share of the sums.
REDOUBT_INLINE void add_to_threshold(double u, double z, double level, double& product,
                                     double& excess, double& soft, double& count, double& signs,
                                     double& squares) {
    const double size = u < 0.0 ? -u : u;
    const double along = u < 0.0 ? -z : z;
    const double beyond = size - level;
    const double active = beyond > 0.0 ? 1.0 : 0.0;
    const double rest = beyond > 0.0 ? beyond : 0.0;
    product += u * z;
    excess += rest;
    soft += rest * along;
    count += active;
    signs += active * along;
    squares += active * z * z;
}

}  // namespace

REDOUBT_KERNEL
ThresholdSums threshold_sums(const ThresholdTest& test) {
    double lanes[6][kLanes] = {};
    const auto add = [&](ptrdiff_t l, ptrdiff_t lane) __attribute__((always_inline)) {
        const double z = test.x[l] - test.mean[l];
        add_to_threshold(test.v[l] + test.step * z, z, test.level, lanes[0][lane], lanes[1][lane],
                         lanes[2][lane], lanes[3][lane], lanes[4][lane], lanes[5][lane]);
    };
    ptrdiff_t l = 0;
    for (; l + kLanes <= test.n; l += kLanes) {
        for (ptrdiff_t lane = 0; lane < kLanes; ++lane) add(l + lane, lane);
    }
    for (ptrdiff_t lane = 0; l < test.n; ++l, ++lane) add(l, lane);
    double sums[6];
    for (int i = 0; i < 6; ++i) {
        const double* v = lanes[i];
        sums[i] = ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
    }
    return {sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]};
}

ThresholdSums threshold_sums(const SparseRow& x, const double* v, double step, double level) {
    ThresholdSums sums;
    x.for_each([&](ptrdiff_t l, double z) {
        add_to_threshold(v[l] + step * z, z, level, sums.product, sums.excess, sums.soft,
                         sums.count, sums.signs, sums.squares);
    });
    return sums;
}

// Both divide in any case, which vectors can do and a branch costs more than.

REDOUBT_KERNEL
void ratios_to_zero(const RatioTest& test, const double* sign, double* __restrict ratio) {
    const double* g = test.g;
    const double* rates = test.rate;
    const double least = test.least;
    for (ptrdiff_t l = 0; l < test.n; ++l) {
        const double closing = -rates[l] * sign[l];
        const double way = g[l] * sign[l];
        const double room = way > 0.0 ? way : 0.0;
        const double step = room / closing;
        ratio[l] = closing > least ? step : HUGE_VAL;
    }
}

REDOUBT_KERNEL
void ratios_to_one(const RatioTest& test, double* __restrict ratio) {
    const double* g = test.g;
    const double* rates = test.rate;
    const double least = test.least;
    for (ptrdiff_t l = 0; l < test.n; ++l) {
        const double rate = rates[l];
        const double speed = rate < 0.0 ? -rate : rate;
        const double way = 1.0 - (rate < 0.0 ? -g[l] : g[l]);
        const double room = way > 0.0 ? way : 0.0;
        const double step = room / speed;
        ratio[l] = speed > least ? step : HUGE_VAL;
    }
}

REDOUBT_KERNEL
double sum_of_sizes(const double* g, const double* rate, double step, ptrdiff_t n) {
    const auto term = [=](ptrdiff_t l) __attribute__((always_inline)) {
        const double value = g[l] + step * rate[l];
        return value < 0.0 ? -value : value;
    };
    double sums[kLanes] = {};
    ptrdiff_t l = 0;
    for (; l + kLanes <= n; l += kLanes) {
        for (ptrdiff_t lane = 0; lane < kLanes; ++lane) sums[lane] += term(l + lane);
    }
    for (ptrdiff_t lane = 0; l < n; ++l, ++lane) sums[lane] += term(l);
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
           ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

namespace {

/// Numbers that are worked out before they are summed: a loop with a sum in it is not vectorised.
constexpr ptrdiff_t kChunk = 64;

REDOUBT_INLINE double sum_of(const double* values, ptrdiff_t count) {
    Lanes lanes{};
    ptrdiff_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        Lanes next;
        load(values + i, next);
        lanes += next;
    }
    double rest = 0.0;
    for (; i < count; ++i) rest += values[i];
    return sum(lanes) + rest;
}

}  // namespace

REDOUBT_KERNEL
LevelSums sums_at_level(const double* g, const double* lo, const double* hi, double level,
                        ptrdiff_t n) {
    LevelSums result{0.0, 0.0, 0.0};
    double part[kChunk];
    double follow[kChunk];
    double size[kChunk];
    for (ptrdiff_t begin = 0; begin < n; begin += kChunk) {
        const ptrdiff_t count = n - begin < kChunk ? n - begin : kChunk;
        for (ptrdiff_t i = 0; i < count; ++i) {
            const double value = g[begin + i];
            const double magnitude = value < 0.0 ? -value : value;
            const double end = value < 0.0 ? -lo[begin + i] : hi[begin + i];
            const double way = level < end ? level : end;
            part[i] = magnitude * way;
            follow[i] = level < end ? magnitude : 0.0;
            size[i] = magnitude;
        }
        result.reached += sum_of(part, count);
        result.slope += sum_of(follow, count);
        result.sizes += sum_of(size, count);
    }
    return result;
}

REDOUBT_KERNEL
void settle_at_level(const double* side, const double* lo, const double* hi, double level,
                     ptrdiff_t n, double* follow, double* settled) {
    for (ptrdiff_t l = 0; l < n; ++l) {
        const double place = side[l] < 0.0 ? lo[l] : hi[l];
        const double end = side[l] < 0.0 ? -lo[l] : hi[l];
        const double resting = side[l] == 0.0 ? 0.0 : place;
        follow[l] = level < end ? side[l] : 0.0;
        settled[l] = level < end ? 0.0 : resting;
    }
}

REDOUBT_KERNEL
bool is_settled_at_level(const double* side, const double* lo, const double* hi,
                         const double* follow, double level, ptrdiff_t n) {
    double changes[kChunk];
    double n_changes = 0.0;
    for (ptrdiff_t begin = 0; begin < n; begin += kChunk) {
        const ptrdiff_t count = n - begin < kChunk ? n - begin : kChunk;
        for (ptrdiff_t i = 0; i < count; ++i) {
            const double own = side[begin + i];
            const double end = own < 0.0 ? -lo[begin + i] : hi[begin + i];
            const double now = level < end ? own : 0.0;
            const double difference = now - follow[begin + i];
            changes[i] = difference * difference;
        }
        n_changes += sum_of(changes, count);
    }
    return n_changes == 0.0;
}

namespace {

/// H[a..a+4, b..b+8] += the same block of P'P.
REDOUBT_INLINE void add_gram_block(const double* panel, ptrdiff_t count, ptrdiff_t width,
                                   ptrdiff_t a, ptrdiff_t b, double* H) {
    Lanes h0, h1, h2, h3;
    load(H + (a + 0) * width + b, h0);
    load(H + (a + 1) * width + b, h1);
    load(H + (a + 2) * width + b, h2);
    load(H + (a + 3) * width + b, h3);
    const double* p = panel;
    for (ptrdiff_t j = 0; j < count; ++j, p += width) {
        Lanes right;
        load(p + b, right);
        h0 += p[a + 0] * right;
        h1 += p[a + 1] * right;
        h2 += p[a + 2] * right;
        h3 += p[a + 3] * right;
    }
    store(h0, H + (a + 0) * width + b);
    store(h1, H + (a + 1) * width + b);
    store(h2, H + (a + 2) * width + b);
    store(h3, H + (a + 3) * width + b);
}

}  // namespace

REDOUBT_KERNEL
void add_gram(const double* panel, ptrdiff_t count, ptrdiff_t width, double* H) {
    for (ptrdiff_t a = 0; a < width; a += 4) {
        for (ptrdiff_t b = a / kLanes * kLanes; b < width; b += kLanes) {
            add_gram_block(panel, count, width, a, b, H);
        }
    }
}

namespace {

/// The block of one tile by two: kept in registers while the panel's rows go by.
REDOUBT_INLINE void add_tile_block(const double* left, const double* right, ptrdiff_t count,
                                   double sign, double* H, ptrdiff_t stride) {
    Lanes h[kTile][2] = {};
    const double* next = right + count * kTile;
    for (ptrdiff_t i = 0; i < count; ++i) {
        Lanes r0, r1;
        load(right + i * kTile, r0);
        load(next + i * kTile, r1);
        for (ptrdiff_t k = 0; k < kTile; ++k) {
            const double factor = left[i * kTile + k];
            h[k][0] += factor * r0;
            h[k][1] += factor * r1;
        }
    }
    for (ptrdiff_t k = 0; k < kTile; ++k) {
        double* row = H + k * stride;
        Lanes old;
        load(row, old);
        old += sign * h[k][0];
        store(old, row);
        load(row + kTile, old);
        old += sign * h[k][1];
        store(old, row + kTile);
    }
}

}  // namespace

REDOUBT_KERNEL
void add_tile_gram(const double* tiles, ptrdiff_t count, ptrdiff_t width, double sign,
                   ptrdiff_t row_begin, ptrdiff_t row_end, double* H, ptrdiff_t stride) {
    for (ptrdiff_t a = row_begin; a < row_end; a += kTile) {
        for (ptrdiff_t b = a / (2 * kTile) * (2 * kTile); b < width; b += 2 * kTile)
            add_tile_block(tiles + a * count, tiles + b * count, count, sign, H + a * stride + b,
                           stride);
    }
}

REDOUBT_KERNEL
double dot(const double* x, const double* y, ptrdiff_t n) {
    Lanes even{};
    Lanes odd{};
    ptrdiff_t l = 0;
    for (; l + 2 * kLanes <= n; l += 2 * kLanes) {
        Lanes x0, y0, x1, y1;
        load(x + l, x0);
        load(y + l, y0);
        load(x + l + kLanes, x1);
        load(y + l + kLanes, y1);
        even += x0 * y0;
        odd += x1 * y1;
    }
    double rest = 0.0;
    for (; l < n; ++l) rest += x[l] * y[l];
    const Lanes both = even + odd;
    return sum(both) + rest;
}

REDOUBT_KERNEL
void add_multiple(double a, const double* x, ptrdiff_t n, double* y) {
    for (ptrdiff_t l = 0; l < n; ++l) y[l] += a * x[l];
}

}  // namespace redoubt::kernels
