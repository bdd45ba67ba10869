#include "noisy_points.hpp"
#include "redoubt/data_files.hpp"

#include <benchmark/benchmark.h>

#include <charconv>
#include <string>

namespace redoubt::micro {
namespace {

constexpr Index kFeatures = 20;

std::string csv_text(Index m) {
    const NoisyPoints points(m, kFeatures);
    std::string text;
    char digits[32];
    for (Index j = 0; j < m; ++j) {
        for (Index l = 0; l < kFeatures; ++l) {
            const auto end = std::to_chars(digits, digits + sizeof digits, points.X(j, l)).ptr;
            text.append(digits, end).push_back(',');
        }
        text += points.y[j] > 0 ? "yes\n" : "no\n";
    }
    return text;
}

void bm_read_csv(benchmark::State& state) {
    const std::string text = csv_text(state.range(0));
    for (auto _ : state) {
        benchmark::DoNotOptimize(read_dataset(DataSource::text(text)));
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

BENCHMARK(bm_read_csv)->RangeMultiplier(4)->Range(1 << 10, 1 << 16)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace redoubt::micro
