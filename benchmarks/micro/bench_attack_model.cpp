/// What an attack model costs: certificates of bagged planes with and without ranges.

#include <benchmark/benchmark.h>

#include "redoubt/bagging.hpp"
#include "redoubt/bundled_data.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/scaler.hpp"

namespace redoubt {
namespace {

/// Digits(3), standardised; 15 bagged planes and the test part of the published split.
struct Problem {
    Problem() {
        const Dataset data = load_bundled("digits3");
        const Split split = published_split("digits3");
        const Matrix train = data.X.dense()(split.train, Eigen::all);
        const Scaler scaler = Scaler::fit(Scaling::Standard, train);
        const Matrix scaled = scaler.transform(data.X.dense());
        X = scaled(split.test, Eigen::all);
        const Vector y = data.y(split.train);
        const Matrix train_scaled = scaled(split.train, Eigen::all);
        const Vector weights = Vector::Ones(y.size());
        planes = train_bagged_svms({train_scaled, y, weights}).planes;
        lower = scaled.colwise().minCoeff().transpose();
        upper = scaled.colwise().maxCoeff().transpose();
    }
    Matrix X;
    std::vector<Hyperplane> planes;
    Vector lower;
    Vector upper;
};

const Problem& problem() {
    static const Problem instance;
    return instance;
}

void certify_test_part(benchmark::State& state) {
    const Ensemble ensemble(problem().planes);
    CertifySettings settings;
    settings.attack_model.norm = static_cast<Norm>(state.range(0));
    if (state.range(1) != 0) {
        settings.attack_model.lower = problem().lower;
        settings.attack_model.upper = problem().upper;
    }
    for (auto _ : state) benchmark::DoNotOptimize(certify(ensemble, problem().X, settings));
    state.SetItemsProcessed(state.iterations() * problem().X.rows());
    state.SetLabel(std::string(to_string(settings.attack_model.norm)) +
                   (state.range(1) != 0 ? " with ranges" : ""));
}
BENCHMARK(certify_test_part)->ArgsProduct({{0, 1, 2}, {0, 1}})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace redoubt
