#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <set>

#include "support/checkpoints.hpp"

namespace redoubt::test {
namespace {

TEST(TrainingFingerprint, ChangesWithTheData) {
    const RandomProblem data = problem();
    const auto sum_of = [](const RandomProblem& changed) {
        return training_fingerprint(changed.data(), BaggingSettings()).data;
    };
    const std::vector<std::function<void(RandomProblem&)>> changes{
        [](RandomProblem& p) { p.X(1, 1) += 1e-9; },
        [](RandomProblem& p) { p.X.row(0).swap(p.X.row(1)); },
        [](RandomProblem& p) { p.y[3] = -p.y[3]; },
        [](RandomProblem& p) { p.weights = Vector::Constant(p.y.size(), 0.5); },
        [](RandomProblem& p) { p.weights.resize(0); }};
    for (std::size_t i = 0; i < changes.size(); ++i) {
        RandomProblem changed = data;
        if (changed.weights.size() == 0) changed.weights = Vector::Ones(data.y.size());
        const std::uint32_t before = sum_of(changed);
        changes[i](changed);
        EXPECT_NE(sum_of(changed), before) << i;
    }
}

template <class Settings>
using Changes = std::vector<std::function<void(Settings&)>>;

/// Which of the changes go unnoticed.
template <class Settings, class SumOf>
std::vector<std::size_t> unnoticed(const Changes<Settings>& changes, const SumOf& sum_of) {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < changes.size(); ++i) {
        Settings settings;
        changes[i](settings);
        if (sum_of(settings) == sum_of(Settings())) result.push_back(i);
    }
    return result;
}

TEST(TrainingFingerprint, ChangesWithEveryRuleOfTheAttackModel) {
    const RandomProblem data = problem();
    const Index n = data.X.cols();
    const Changes<AttackModel> rules{
        [](auto& m) { m.norm = Norm::LInf; },
        [&](auto& m) { m.scale = Vector::Constant(n, 2.0); },
        [&](auto& m) { m.lower = Vector::Zero(n); },
        [&](auto& m) { m.upper = Vector::Zero(n); },
        [&](auto& m) { m.direction.assign(static_cast<std::size_t>(n), Direction::Up); },
        [](auto& m) {
            m.integers = {{0, 0.0, 1.0}};
        },
        [](auto& m) {
            m.integers = {{0, 0.5, 1.0}};
        },
        [](auto& m) {
            m.one_hot = {{{0, 1}, 1.0, {}, {}}};
        },
        [](auto& m) {
            m.one_hot = {{{0, 1}, 2.0, {}, {}}};
        },
        [](auto& m) { m.norm = Norm::L0; },
        [&](auto& m) {
            m.norm = Norm::L0;
            m.cost = Vector::Constant(n, 2.0);
        },
        [](auto& m) { m.attacking_class = 1; },
        [](auto& m) { m.attacking_class = -1; }};
    const auto sums_of = [&](const AttackModel& model) {
        RobustEnsembleSettings robust;
        CollaborativeSettings collaborative;
        robust.attack_model = collaborative.attack_model = model;
        return std::pair{training_fingerprint(data.data(), kRadius, robust).settings,
                         training_fingerprint(data.data(), kRadius, collaborative).settings};
    };
    std::set<std::uint32_t> robust_sums;
    std::set<std::uint32_t> collaborative_sums;
    const auto note = [&](const AttackModel& model) {
        const auto [robust, collaborative] = sums_of(model);
        EXPECT_TRUE(robust_sums.insert(robust).second);
        EXPECT_TRUE(collaborative_sums.insert(collaborative).second);
    };
    note(AttackModel());
    for (const auto& change : rules) {
        AttackModel model;
        change(model);
        note(model);
    }
}

TEST(TrainingFingerprint, ChangesWithTheSettingsThatMatter) {
    const RandomProblem data = problem();
    const Index n = data.X.cols();
    const Hyperplane plane{Vector::Ones(n), 0.5};
    const Changes<BaggingSettings> bagging{
        [](auto& s) { s.n_planes = 3; }, [](auto& s) { s.C = 2; },
        [](auto& s) { s.tolerance = 1e-6; }, [](auto& s) { s.seed = 1; },
        [&](auto& s) { s.bags = Matrix::Ones(15, data.y.size()); }};
    EXPECT_EQ(
        unnoticed(bagging,
                  [&](const auto& s) { return training_fingerprint(data.data(), s).settings; }),
        std::vector<std::size_t>());
    const auto with_radius = [&](const auto& s) {
        return training_fingerprint(data.data(), kRadius, s).settings;
    };
    const Changes<RobustEnsembleSettings> robust{[](auto& s) { s.attack_model.norm = Norm::L1; },
                                                 [](auto& s) { s.adversary = Adversary::Relaxed; },
                                                 [](auto& s) { s.rule = HeuristicRule::Published; },
                                                 [](auto& s) { s.n_planes = 3; },
                                                 [](auto& s) { s.C = 2; },
                                                 [](auto& s) { s.tolerance = 1e-6; },
                                                 [&](auto& s) { s.first_plane = plane; },
                                                 [](auto& s) { s.records_accuracy = true; }};
    EXPECT_EQ(unnoticed(robust, with_radius), std::vector<std::size_t>());
    const Changes<CollaborativeSettings> collaborative{
        [](auto& s) { s.attack_model.norm = Norm::LInf; },
        [](auto& s) { s.n_planes = 3; },
        [](auto& s) { s.n_epochs = 3; },
        [](auto& s) { s.batch_size = 3; },
        [](auto& s) { s.step = 0.1; },
        [](auto& s) { s.power = 1; },
        [](auto& s) { s.cap = 2; },
        [](auto& s) { s.seed = 1; },
        [&](auto& s) { s.start.emplace(plane); },
        [](auto& s) { s.start_radius = 0.1; },
        [](auto& s) { s.jitter = 0.1; },
        [](auto& s) { s.validation_share = 0.1; },
        [](auto& s) { s.patience = 3; },
        [](auto& s) { s.quota = 3; }};
    EXPECT_EQ(unnoticed(collaborative, with_radius), std::vector<std::size_t>());
    EXPECT_NE(with_radius(RobustEnsembleSettings()), with_radius(CollaborativeSettings()));
}

TEST(TrainingFingerprint, DoesNotDependOnThreadsLimitsAndCallbacks) {
    const RandomProblem data = problem();
    CollaborativeSettings settings;
    const TrainingFingerprint before = training_fingerprint(data.data(), kRadius, settings);
    settings.n_threads = 2;
    settings.control.max_seconds = 1.0;
    settings.checkpoint = [](const CollaborativeState&) {};
    EXPECT_EQ(training_fingerprint(data.data(), kRadius, settings), before);
}

}  // namespace
}  // namespace redoubt::test
