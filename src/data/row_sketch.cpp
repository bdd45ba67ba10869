#include "redoubt/row_sketch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/check.hpp"

namespace redoubt {

namespace {

/// A bijection that leaves no pattern of its argument recognisable.
std::uint64_t mix(std::uint64_t value) {
    value ^= value >> 32;
    value *= 0xD6E8FEB86659FD93ULL;
    value ^= value >> 32;
    value *= 0xD6E8FEB86659FD93ULL;
    return value ^ (value >> 32);
}

/// Rows of more features than this are hashed by the entries that are not 0, in time that does not
/// grow with the features.
constexpr Index kMaxHashedFeatures = 4096;
constexpr std::uint64_t kStart = 0x9E3779B97F4A7C15ULL;

/// 0 and -0 are equal numbers of different bits.
std::uint64_t bits_of(double value) {
    return std::bit_cast<std::uint64_t>(value + 0.0);
}

/// Equal for equal numbers, dense or compressed.
std::uint64_t hash_row(const PointRef& x) {
    std::uint64_t hash = kStart;
    if (x.size() > kMaxHashedFeatures) {
        x.for_each([&](Index l, double value) {
            if (value == 0.0) return;
            hash = mix(mix(hash + static_cast<std::uint64_t>(l)) + bits_of(value));
        });
        return hash;
    }
    Index next = 0;
    const auto skip_to = [&](Index l) {
        for (; next < l; ++next) hash = mix(hash);
    };
    x.for_each([&](Index l, double value) {
        skip_to(l);
        hash = mix(hash + bits_of(value));
        ++next;
    });
    skip_to(x.size());
    return hash;
}

std::vector<std::uint64_t> hash_rows(const PointsRef& X) {
    std::vector<std::uint64_t> hashes;
    hashes.reserve(static_cast<std::size_t>(X.rows()));
    for (Index i = 0; i < X.rows(); ++i) hashes.push_back(hash_row(X.row(i)));
    return hashes;
}

}  // namespace

RowSketch RowSketch::of(const PointsRef& X) {
    std::vector<std::uint64_t> hashes = hash_rows(X);
    std::sort(hashes.begin(), hashes.end());
    RowSketch sketch;
    std::size_t n_repeated = 0;
    for (std::size_t first = 0, next = 0; first < hashes.size(); first = next) {
        while (next < hashes.size() && hashes[next] == hashes[first]) ++next;
        if (next - first > 1) n_repeated += next - first;
        if (sketch.hashes.size() < kMaxHashes) {
            sketch.hashes.push_back(hashes[first]);
        } else {
            sketch.is_sample = true;
        }
    }
    if (!hashes.empty()) {
        sketch.repeated_share =
            static_cast<double>(n_repeated) / static_cast<double>(hashes.size());
    }
    return sketch;
}

SeenRows RowSketch::look_up(const PointsRef& X, const SeenRows& before) const {
    SeenRows seen = before;
    seen.n_rows += X.rows();
    if (hashes.empty()) return seen;
    for (std::uint64_t hash : hash_rows(X)) {
        if (is_sample && hash > hashes.back()) continue;
        ++seen.n_looked_up;
        if (std::binary_search(hashes.begin(), hashes.end(), hash)) ++seen.n_seen;
    }
    const double p = repeated_share;
    const auto n = static_cast<double>(seen.n_looked_up);
    // Fresh rows of the same kind repeat a training row about as often as training rows repeat each
    // other. Three standard deviations more are no chance.
    seen.is_suspicious =
        static_cast<double>(seen.n_seen) > n * p + 3.0 * std::sqrt(n * p * (1 - p));
    return seen;
}

void RowSketch::check() const {
    const bool ascending = std::is_sorted(hashes.begin(), hashes.end(), std::less_equal<>());
    if (!ascending)
        throw InvalidInput("training.rows.hashes", "ascending numbers", "another order");
    if (hashes.size() > kMaxHashes || (is_sample && hashes.size() != kMaxHashes)) {
        throw InvalidInput("training.rows.hashes",
                           (is_sample ? "" : "at most ") + std::to_string(kMaxHashes) + " numbers",
                           std::to_string(hashes.size()));
    }
    check_value(repeated_share >= 0.0 && repeated_share <= 1.0, "training.rows.repeated_share",
                "a number in [0, 1]", repeated_share);
}

}  // namespace redoubt
