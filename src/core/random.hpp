#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "redoubt/types.hpp"

namespace redoubt {

/// Random numbers that are the same on every platform: the standard fixes its engines but not its
/// distributions.
class Random {
public:
    /// Streams of one seed are independent for all practical purposes.
    explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
        : engine_(seed * 0x9E3779B97F4A7C15ULL + stream * 0xD1B54A32D192ED03ULL + 1) {}

    /// In [0, 1).
    double uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

    /// In [0, n), n >= 1.
    Index below(Index n) {
        const auto range = static_cast<std::uint64_t>(n);
        const std::uint64_t limit = ~std::uint64_t{0} - ~std::uint64_t{0} % range;
        std::uint64_t value = engine_();
        while (value >= limit) value = engine_();
        return static_cast<Index>(value % range);
    }

    /// Standard normal (Marsaglia's polar method).
    double normal() {
        for (;;) {
            const double u = 2.0 * uniform() - 1.0;
            const double v = 2.0 * uniform() - 1.0;
            const double square = u * u + v * v;
            if (square > 0.0 && square < 1.0)
                return u * std::sqrt(-2.0 * std::log(square) / square);
        }
    }

    template <typename T>
    void shuffle(std::vector<T>& values) {
        for (std::size_t i = values.size(); i > 1; --i) {
            std::swap(values[i - 1],
                      values[static_cast<std::size_t>(below(static_cast<Index>(i)))]);
        }
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace redoubt
