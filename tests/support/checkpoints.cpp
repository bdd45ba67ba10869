#include "support/checkpoints.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace redoubt::test {

RandomProblem problem() {
    return testing::make_random_problem(testing::ProblemKind::Overlapping, 8);
}

RobustEnsembleSettings robust_settings(Adversary adversary) {
    RobustEnsembleSettings settings;
    settings.adversary = adversary;
    settings.n_planes = 4;
    return settings;
}

CollaborativeSettings collaborative_settings(double validation_share) {
    CollaborativeSettings settings;
    settings.n_planes = 3;
    settings.n_epochs = 5;
    settings.batch_size = 7;
    settings.validation_share = validation_share;
    return settings;
}

BaggingSettings bagging_settings() {
    BaggingSettings settings;
    settings.n_planes = 4;
    return settings;
}

Checkpoint bagging_checkpoint() {
    const RandomProblem data = problem();
    std::vector<Hyperplane> planes = train_bagged_svms(data.data(), bagging_settings()).planes;
    planes.resize(2);
    return {"svm-ens", training_fingerprint(data.data(), bagging_settings()), planes};
}

Checkpoint robust_checkpoint(Adversary adversary, std::size_t round) {
    const RandomProblem data = problem();
    RobustEnsembleSettings settings = robust_settings(adversary);
    const std::string method = adversary == Adversary::Exact     ? "ens-e"
                               : adversary == Adversary::Relaxed ? "ens-r"
                                                                 : "ens-h";
    Checkpoint checkpoint{method, training_fingerprint(data.data(), kRadius, settings),
                          RobustEnsembleState()};
    settings.checkpoint = [&](const RobustEnsembleState& state) {
        if (state.planes.size() == round) checkpoint.state = state;
    };
    train_robust_ensemble(data.data(), kRadius, settings);
    return checkpoint;
}

Checkpoint collaborative_checkpoint(double validation_share, Index epoch) {
    const RandomProblem data = problem();
    CollaborativeSettings settings = collaborative_settings(validation_share);
    Checkpoint checkpoint{"ens-c", training_fingerprint(data.data(), kRadius, settings),
                          CollaborativeState()};
    settings.checkpoint = [&](const CollaborativeState& state) {
        if (state.n_epochs_done == epoch) checkpoint.state = state;
    };
    train_collaborative(data.data(), kRadius, settings);
    return checkpoint;
}

std::vector<Checkpoint> all_checkpoints() {
    return {bagging_checkpoint(),
            robust_checkpoint(Adversary::Exact, 1),
            robust_checkpoint(Adversary::Exact, 3),
            robust_checkpoint(Adversary::Relaxed, 2),
            robust_checkpoint(Adversary::Heuristic, 4),
            collaborative_checkpoint(0.0, 2),
            collaborative_checkpoint(0.3, 4)};
}

bool same(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
           (std::isnan(a) && std::isnan(b));
}

bool same(const Matrix& a, const Matrix& b) {
    if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
    return std::equal(a.data(), a.data() + a.size(), b.data(),
                      [](double x, double y) { return same(x, y); });
}

void expect_same(const std::vector<Hyperplane>& a, const std::vector<Hyperplane>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_TRUE(same(Matrix(a[i].w), Matrix(b[i].w)));
        EXPECT_TRUE(same(a[i].b, b[i].b));
    }
}

void expect_same(const RobustEnsembleState& a, const RobustEnsembleState& b) {
    expect_same(a.planes, b.planes);
    EXPECT_TRUE(same(Matrix(a.dual_ratio), Matrix(b.dual_ratio)));
    ASSERT_EQ(a.history.size(), b.history.size());
    for (std::size_t i = 0; i < a.history.size(); ++i) {
        const RoundRecord& x = a.history[i];
        const RoundRecord& y = b.history[i];
        EXPECT_EQ(x.n_foolable, y.n_foolable);
        EXPECT_EQ(x.n_fooled, y.n_fooled);
        EXPECT_TRUE(same(x.mean_fooled, y.mean_fooled));
        EXPECT_TRUE(same(x.least_weight, y.least_weight));
        EXPECT_TRUE(same(x.most_weight, y.most_weight));
        EXPECT_TRUE(same(x.adversary_seconds, y.adversary_seconds));
        EXPECT_TRUE(same(x.svm_seconds, y.svm_seconds));
        EXPECT_EQ(x.svm_status, y.svm_status);
        EXPECT_TRUE(same(x.accuracy, y.accuracy));
    }
}

void expect_same(const CollaborativeState& a, const CollaborativeState& b) {
    EXPECT_EQ(a.n_epochs_done, b.n_epochs_done);
    EXPECT_TRUE(same(a.coef, b.coef));
    EXPECT_TRUE(same(Matrix(a.intercept), Matrix(b.intercept)));
    EXPECT_TRUE(same(a.moment, b.moment));
    EXPECT_TRUE(same(a.variance, b.variance));
    EXPECT_EQ(a.n_steps, b.n_steps);
    EXPECT_TRUE(same(a.best, b.best));
    EXPECT_EQ(a.best_epoch, b.best_epoch);
    ASSERT_EQ(a.history.size(), b.history.size());
    for (std::size_t i = 0; i < a.history.size(); ++i) {
        EXPECT_TRUE(same(a.history[i].objective, b.history[i].objective));
        EXPECT_TRUE(same(a.history[i].validation_objective, b.history[i].validation_objective));
        EXPECT_TRUE(same(a.history[i].seconds, b.history[i].seconds));
    }
}

void expect_same(const Checkpoint& a, const Checkpoint& b) {
    EXPECT_EQ(a.method, b.method);
    EXPECT_EQ(a.fingerprint, b.fingerprint);
    EXPECT_EQ(a.library_version, b.library_version);
    ASSERT_EQ(a.state.index(), b.state.index());
    std::visit(
        [&](const auto& state) {
            expect_same(state, std::get<std::decay_t<decltype(state)>>(b.state));
        },
        a.state);
}

}  // namespace redoubt::test
