#include "noisy_points.hpp"
#include "redoubt/svm.hpp"

#include <benchmark/benchmark.h>

namespace redoubt::micro {
namespace {

constexpr Index kFeatures = 32;

void report(benchmark::State& state, const SvmResult& result) {
    state.counters["newton_steps"] = result.stats.n_newton_steps;
    state.counters["gap"] = result.relative_gap;
    state.SetComplexityN(state.range(0));
    if (result.status != Status::Optimal) state.SkipWithError("not optimal");
}

void bm_svm_cold(benchmark::State& state) {
    const NoisyPoints points(state.range(0), kFeatures);
    SvmResult result;
    for (auto _ : state) result = train_svm({points.X, points.y});
    report(state, result);
}

/// From the answer for points that all moved by a hundredth of their spread.
void bm_svm_warm(benchmark::State& state) {
    const NoisyPoints points(state.range(0), kFeatures);
    const Matrix moved = points.X + 0.01 * NoisyPoints(state.range(0), kFeatures, 2).X;
    const SvmStart start = train_svm({moved, points.y}).start();
    SvmResult result;
    for (auto _ : state) result = train_svm({points.X, points.y}, {}, start);
    report(state, result);
}

void bm_robust_svm(benchmark::State& state, Norm norm) {
    const NoisyPoints points(state.range(0), kFeatures);
    const Vector radius = Vector::Constant(1, 0.05);
    RobustSvmSettings settings;
    settings.attack_model.norm = norm;
    SvmResult result;
    for (auto _ : state) result = train_robust_svm({points.X, points.y}, radius, settings);
    report(state, result);
}

void sizes(benchmark::internal::Benchmark* bench) {
    bench->RangeMultiplier(2)->Range(1 << 10, 1 << 15)->Unit(benchmark::kMillisecond)->Complexity();
}

BENCHMARK(bm_svm_cold)->Apply(sizes);
BENCHMARK(bm_svm_warm)->Apply(sizes);
BENCHMARK_CAPTURE(bm_robust_svm, l1, Norm::L1)->Apply(sizes);
BENCHMARK_CAPTURE(bm_robust_svm, l2, Norm::L2)->Apply(sizes);
BENCHMARK_CAPTURE(bm_robust_svm, linf, Norm::LInf)->Apply(sizes);

}  // namespace
}  // namespace redoubt::micro
