/// What training against an attack model is good for, on real tables.

#include <gtest/gtest.h>

#include <algorithm>

#include "redoubt/bundled_data.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/collaborative.hpp"
#include "redoubt/robust_ensemble.hpp"
#include "redoubt/scaler.hpp"

namespace redoubt::testing {
namespace {

struct Table {
    Matrix train_X;
    Vector train_y;
    Matrix test_X;
    Vector test_y;
    AttackModel model;
};

/// Two thirds of a bundled table, scaled to [0, 1], and the model in those units: one scaled unit
/// of every feature at radius 1.
Table make_table(const std::string& name, AttackModel model, std::uint64_t seed) {
    const Dataset data = load_bundled(name);
    const Split split = hold_out(data.y, 0.33, seed);
    const Dataset train = data.subset(split.train);
    const Dataset test = data.subset(split.test);
    const Scaler scaler = Scaler::fit(Scaling::MinMax, train.X);
    const Vector units = model.scale;
    AttackModel scaled = model.scaled(scaler);
    scaled.scale = units;
    return {scaler.transform(train.X.dense()), train.y, scaler.transform(test.X.dense()), test.y, scaled};
}

/// Age and sex stay; integers of vessels; chest pain, ECG and thal are groups.
Table heart(std::uint64_t seed) {
    AttackModel model;
    model.norm = Norm::LInf;
    model.scale = Vector::Ones(20);
    model.scale[0] = model.scale[1] = 0.0;
    model.integers = {{9, 0.0, 1.0}};
    model.one_hot = {
        {{10, 11, 12, 13}, 0.5, {}, {}}, {{14, 15, 16}, 0.5, {}, {}}, {{17, 18, 19}, 0.5, {}, {}}};
    return make_table("heart", model, seed);
}

/// Age stays; pregnancies are whole and only grow; glucose and BMI are measured well.
Table diabetes(std::uint64_t seed) {
    AttackModel model;
    model.norm = Norm::LInf;
    model.scale = Vector::Ones(8);
    model.scale[7] = 0.0;
    model.scale[1] = model.scale[5] = 0.3;
    model.integers = {{0, 0.0, 1.0}};
    model.direction.assign(8, Direction::Both);
    model.direction[0] = Direction::Up;
    return make_table("diabetes", model, seed);
}

/// Mean certified radius, wrong points counting 0 and none more than `cap`.
double mean_radius(const Ensemble& ensemble, const Matrix& X, const Vector& y,
                   const AttackModel& model, double cap) {
    CertifySettings settings;
    settings.attack_model = model;
    double sum = 0.0;
    for (const Certificate& certificate : certify(ensemble, X, y, settings))
        sum += std::clamp(certificate.lower, 0.0, cap);
    return sum / static_cast<double>(y.size());
}

/// Mean certified radii of the training and of the held-out points.
struct Scores {
    double training = 0.0;
    double held_out = 0.0;

    void add(const Ensemble& ensemble, const Table& table, double cap) {
        training += mean_radius(ensemble, table.train_X, table.train_y, table.model, cap);
        held_out += mean_radius(ensemble, table.test_X, table.test_y, table.model, cap);
    }
};

TEST(ModelBenefit, BeatsTrainingWithoutTheModel) {
    for (const bool is_heart : {true, false}) {
        Scores plain;
        Scores in_model;
        Scores plain_robust;
        Scores robust_in_model;
        const double rho = is_heart ? 0.5 : 0.15;
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            const Table table = is_heart ? heart(seed) : diabetes(seed);
            const SvmData data{table.train_X, table.train_y};
            const Vector radius = Vector::Constant(1, rho);
            CollaborativeSettings collaborative;
            collaborative.attack_model.norm = Norm::LInf;
            collaborative.n_planes = 5;
            collaborative.n_epochs = 20;
            collaborative.step = 0.02;
            plain.add(train_collaborative(data, radius, collaborative).ensemble, table, rho);
            collaborative.attack_model = table.model;
            in_model.add(train_collaborative(data, radius, collaborative).ensemble, table, rho);

            RobustEnsembleSettings robust;
            robust.attack_model.norm = Norm::LInf;
            robust.n_planes = 5;
            const Vector half = 0.5 * radius;
            plain_robust.add(train_robust_ensemble(data, half, robust).ensemble(), table, rho);
            robust.attack_model = table.model;
            robust_in_model.add(train_robust_ensemble(data, half, robust).ensemble(), table, rho);
        }
        EXPECT_GT(in_model.training, 1.05 * plain.training);
        EXPECT_GT(in_model.held_out, plain.held_out);
        EXPECT_GT(robust_in_model.training, 1.05 * plain_robust.training);
    }
}

TEST(ModelBenefit, KnowingWhichClassAttacksHelps) {
    for (const bool is_heart : {true, false}) {
        Table table = is_heart ? heart(1) : diabetes(1);
        const SvmData data{table.train_X, table.train_y};
        const double rho = is_heart ? 0.4 : 0.1;
        const Vector radius = Vector::Constant(1, rho);
        CollaborativeSettings settings;
        settings.n_planes = 5;
        settings.n_epochs = 20;
        RobustEnsembleSettings robust;
        robust.n_planes = 5;
        settings.attack_model = robust.attack_model = table.model;
        const Ensemble all = train_collaborative(data, radius, settings).ensemble;
        const Ensemble all_robust = train_robust_ensemble(data, radius, robust).ensemble();
        for (int attacking_class : {-1, 1}) {
            table.model.attacking_class = attacking_class;
            settings.attack_model = robust.attack_model = table.model;
            const Ensemble one = train_collaborative(data, radius, settings).ensemble;
            const Ensemble one_robust = train_robust_ensemble(data, radius, robust).ensemble();
            const auto score = [&](const Ensemble& ensemble) {
                return mean_radius(ensemble, table.train_X, table.train_y, table.model, rho);
            };
            // Ens-C knows of the class at its start only.
            EXPECT_GT(score(one), 0.99 * score(all));
            EXPECT_GT(score(one_robust), 1.05 * score(all_robust));
        }
    }
}

}  // namespace
}  // namespace redoubt::testing
