#include "linalg/kernels.hpp"
#include "noisy_points.hpp"
#include "redoubt/ensemble.hpp"

#include <benchmark/benchmark.h>

#include <numeric>
#include <vector>

namespace redoubt::micro {
namespace {

constexpr Index kRows = 4096;

kernels::Rows rows_of(const Matrix& X) {
    return {X.data(), X.cols(), X.cols()};
}

void count_flops(benchmark::State& state, double per_iteration) {
    state.counters["flops"] = benchmark::Counter(
        per_iteration, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}

void bm_multiply_rows(benchmark::State& state) {
    const Index n = state.range(0);
    const NoisyPoints points(kRows, n);
    const Vector w = Vector::Ones(n);
    Vector out(kRows);
    for (auto _ : state) {
        kernels::multiply_rows(rows_of(points.X), w.data(), 0, kRows, out.data());
        benchmark::DoNotOptimize(out.data());
        benchmark::ClobberMemory();
    }
    count_flops(state, 2.0 * kRows * static_cast<double>(n));
}

void bm_add_weighted_rows(benchmark::State& state) {
    const Index n = state.range(0);
    const NoisyPoints points(kRows, n);
    std::vector<int> rows(kRows);
    std::iota(rows.begin(), rows.end(), 0);
    Vector out = Vector::Zero(n);
    for (auto _ : state) {
        kernels::add_weighted_rows(rows_of(points.X), rows.data(), points.y.data(), kRows,
                                   out.data());
        benchmark::DoNotOptimize(out.data());
        benchmark::ClobberMemory();
    }
    count_flops(state, 2.0 * kRows * static_cast<double>(n));
}

void bm_add_gram(benchmark::State& state) {
    const Index width = kernels::padded(state.range(0));
    constexpr Index kPanelRows = 256;
    const NoisyPoints points(kPanelRows, width);
    Matrix H = Matrix::Zero(width, width);
    for (auto _ : state) {
        kernels::add_gram(points.X.data(), kPanelRows, width, H.data());
        benchmark::DoNotOptimize(H.data());
        benchmark::ClobberMemory();
    }
    const auto size = static_cast<double>(width);
    count_flops(state, kPanelRows * size * (size + 1.0));  // the upper triangle
}

/// Far from the plane the floating-point filter decides; on the plane, exact arithmetic.
void bm_sign_of_plane(benchmark::State& state, bool on_plane) {
    const Index n = state.range(0);
    const Vector w = Vector::Ones(n);
    Vector x = Vector::LinSpaced(n, 0.1, 1.0);
    if (on_plane) {
        x.tail(n / 2) = -x.head(n / 2);
    }
    for (auto _ : state) {
        benchmark::DoNotOptimize(sign_of_plane(w, 0.0, x));
    }
}

void features(benchmark::internal::Benchmark* bench) {
    bench->RangeMultiplier(4)->Range(8, 512);
}

BENCHMARK(bm_multiply_rows)->Apply(features);
BENCHMARK(bm_add_weighted_rows)->Apply(features);
BENCHMARK(bm_add_gram)->Apply(features);
BENCHMARK_CAPTURE(bm_sign_of_plane, far, false)->Apply(features);
BENCHMARK_CAPTURE(bm_sign_of_plane, exact, true)->Apply(features);

}  // namespace
}  // namespace redoubt::micro
