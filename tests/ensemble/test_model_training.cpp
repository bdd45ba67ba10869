/// Training against an attack model: what moves and what must not.

#include <gtest/gtest.h>

#include <cstring>

#include "core/random.hpp"
#include "ensemble/moved_points.hpp"
#include "redoubt/attack.hpp"
#include "redoubt/collaborative.hpp"
#include "redoubt/error.hpp"
#include "redoubt/robust_ensemble.hpp"
#include "redoubt/selection.hpp"
#include "support/random_problems.hpp"
#include "support/seeds.hpp"
#include "threat/random_models.hpp"
#include "threat/support.hpp"

namespace redoubt::testing {
namespace {

constexpr Norm kNorms[] = {Norm::L1, Norm::L2, Norm::LInf};
constexpr Adversary kAdversaries[] = {Adversary::Exact, Adversary::Relaxed, Adversary::Heuristic};

struct ModelData {
    Matrix X;
    Vector y;
    AttackModel model;

    SvmData data() const { return {X, y}; }
};

/// Eight features: integers 0 and 1, a group 5 to 7; two clouds that overlap. The rules are
/// those of random_models.hpp, and the points are the model's.
ModelData make_model_data(Norm norm, unsigned rules, std::uint64_t seed) {
    constexpr Index n = 8;
    constexpr Index m = 40;
    Random random(seed, rules);
    ModelData result{Matrix(m, n), Vector(m), {}};
    AttackModel& model = result.model;
    model.norm = norm;
    for (Index j = 0; j < m; ++j) {
        result.y[j] = j % 2 == 0 ? 1.0 : -1.0;
        for (Index l = 0; l < n; ++l) result.X(j, l) = random.normal() + 0.7 * result.y[j];
    }
    if ((rules & kScale) != 0) {
        model.scale = Vector::Ones(n);
        for (Index l = 0; l < n; ++l) model.scale[l] = 0.5 + random.uniform();
    }
    if ((rules & kFrozen) != 0) {
        if (model.scale.size() == 0) model.scale = Vector::Ones(n);
        model.scale[2] = 0.0;
    }
    if ((rules & kOneSided) != 0) {
        model.direction.assign(n, Direction::Both);
        model.direction[0] = model.direction[3] = Direction::Up;
        model.direction[4] = Direction::Down;
    }
    if ((rules & kIntegers) != 0) {
        model.integers = {{0, 0.0, 1.0}, {1, 0.7, 1.3}};
        for (const IntegerFeature& one : model.integers) {
            for (double& value : result.X.col(one.feature))
                value = one.value(one.nearest(2.0 * value));
        }
    }
    if ((rules & kRange) != 0) {
        model.lower = Vector::Constant(n, -HUGE_VAL);
        model.upper = Vector::Constant(n, HUGE_VAL);
        for (Index l = 0; l < 5; ++l) {
            model.lower[l] = result.X.col(l).minCoeff();
            model.upper[l] = result.X.col(l).maxCoeff();
        }
    }
    if ((rules & kOneHot) != 0) {
        model.one_hot = {{{5, 6, 7}, 0.4, {}, {}}};
        for (Index j = 0; j < m; ++j) {
            const Index on = result.y[j] > 0.0 ? random.below(2) : 1 + random.below(2);
            for (Index l = 0; l < 3; ++l) result.X(j, 5 + l) = l == on ? 1.0 : 0.0;
        }
    }
    return result;
}

bool are_same_bits(double a, double b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

void check_moved(const ModelData& data, Index j, const Vector& moved, double radius,
                 const std::string& text) {
    const AttackModel& model = data.model;
    const Vector x = data.X.row(j).transpose();
    if (!model.attacks(data.y[j] > 0.0 ? 1 : -1)) {
        EXPECT_EQ(moved, x) << text;
        return;
    }
    EXPECT_TRUE(model.allows(x, moved)) << text;
    EXPECT_LE(model.move_size(x, moved - x), radius * (1.0 + 1e-12) + 1e-15) << text;
    for (Index l = 0; l < x.size(); ++l) {
        EXPECT_TRUE(model.scale_of(l) > 0.0 || are_same_bits(moved[l], x[l])) << text;
        EXPECT_GE(moved[l], std::min(x[l], model.lower_of(l)) - 1e-12) << text;
        EXPECT_LE(moved[l], std::max(x[l], model.upper_of(l)) + 1e-12) << text;
        EXPECT_TRUE(model.direction_of(l) != Direction::Up || moved[l] >= x[l]) << text;
        EXPECT_TRUE(model.direction_of(l) != Direction::Down || moved[l] <= x[l]) << text;
    }
    for (const IntegerFeature& one : model.integers) {
        EXPECT_NEAR(moved[one.feature], one.value(one.nearest(moved[one.feature])), 1e-12) << text;
    }
    for (const OneHotGroup& group : model.one_hot) {
        double sum = 0.0;
        for (int l : group.features) {
            EXPECT_TRUE(moved[l] == 0.0 || moved[l] == 1.0) << text;
            sum += moved[l];
        }
        EXPECT_EQ(sum, 1.0) << text;
    }
}

/// Trains a few planes and looks at every point that any of them was trained on.
void check_training_points(const ModelData& data, Adversary adversary, const std::string& text) {
    RobustEnsembleSettings settings;
    settings.attack_model.norm = data.model.norm;
    settings.attack_model = data.model;
    settings.adversary = adversary;
    settings.n_planes = 4;
    settings.records_accuracy = true;
    const Vector radius = Vector::Constant(1, 0.6);
    const RobustEnsembleResult result = train_robust_ensemble(data.data(), radius, settings);
    ASSERT_EQ(result.state.planes.size(), 4U) << text;
    for (std::size_t t = 1; t < 4; ++t)
        EXPECT_EQ(result.state.history[t].svm_status, Status::Optimal) << text;

    const SvmData svm_data = data.data();
    const VectorRef radii = radius;
    MovedPoints moved(svm_data, radii, settings);
    std::vector<Hyperplane> planes;
    for (std::size_t t = 0; t < 4; ++t) {
        moved.add_plane(result.state.planes[t]);
        planes.push_back(result.state.planes[t]);
        ASSERT_TRUE(moved.move()) << text;
        for (Index j = 0; j < data.X.rows(); ++j)
            check_moved(data, j, moved.points().row(j).transpose(), radius[0], text);
        if (t < 3) {
            EXPECT_EQ(moved.n_foolable(), result.state.history[t + 1].n_foolable) << text;
        }
        if (adversary != Adversary::Exact) continue;
        AttackSettings attack_settings;
        attack_settings.attack_model = data.model;
        const Ensemble ensemble(planes);
        const std::vector<Attack> attacks =
            attack(ensemble, data.X, data.y, radius, attack_settings);
        for (Index j = 0; j < data.X.rows(); ++j) {
            EXPECT_EQ(static_cast<double>(ensemble.n_planes()) - moved.n_right()[j],
                      static_cast<double>(attacks[static_cast<std::size_t>(j)].fooled.size()))
                << text;
        }
    }
}

TEST(ModelTraining, EveryMovedPointObeysTheModel) {
    // Five and 64 have no common factor: each rule comes with and without each other one.
    constexpr unsigned kRuleStep = kShareOfSeeds == 1 ? 1 : 5;
    for (Norm norm : kNorms) {
        for (unsigned rules = 1; rules < kAllRules; rules += kRuleStep) {
            // Every third one of the models has a class that does not attack.
            ModelData data = make_model_data(norm, rules, 3);
            if (rules % 3 == 1) data.model.attacking_class = rules % 2 == 1 ? 1 : -1;
            for (Adversary adversary : kAdversaries) {
                check_training_points(data, adversary,
                                      std::string(to_string(norm)) + " " + rules_text(rules) + " " +
                                          std::string(to_string(adversary)));
            }
        }
    }
}

TEST(ModelTraining, APointBeyondReachTakesTheFarthestStepAgainstTheNewestPlane) {
    const ModelData data = make_model_data(Norm::L2, kAllRules - 1, 5);
    RobustEnsembleSettings settings;
    settings.attack_model = data.model;
    const SvmData svm_data = data.data();
    const Vector radius = Vector::Constant(1, 1.1);
    const VectorRef radii = radius;
    MovedPoints moved(svm_data, radii, settings);
    // Right about every point of class +1, by far.
    moved.add_plane({Vector::Ones(8), 100.0});
    moved.add_plane({Vector::LinSpaced(8, -1.0, 2.0), 100.0});
    ASSERT_TRUE(moved.move());
    const MoveSpace space(data.model, 8);
    Support support(space);
    for (Index j = 0; j < data.X.rows(); ++j) {
        if (data.y[j] < 0.0) continue;
        const Vector x = data.X.row(j).transpose();
        support.load(x);
        const Vector d = support.maximise(-Vector::LinSpaced(8, -1.0, 2.0), 1.1);
        EXPECT_EQ(moved.points().row(j).transpose(), x + d);
        EXPECT_GT(d.norm(), 0.0);
    }
}

/// Rules that allow everything are no rules.
TEST(ModelTraining, APlainModelIsBitwiseThePlainEnsemble) {
    const RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 8);
    for (Norm norm : kNorms) {
        AttackModel plain;
        plain.norm = norm;
        plain.scale = Vector::Ones(problem.data().X.cols());
        plain.direction.assign(static_cast<std::size_t>(plain.scale.size()), Direction::Both);
        RobustEnsembleSettings settings;
        settings.n_planes = 4;
        settings.attack_model.norm = norm;
        const Matrix robust =
            train_robust_ensemble(problem.data(), problem.radii, settings).ensemble().coef();
        settings.attack_model = plain;
        EXPECT_EQ(train_robust_ensemble(problem.data(), problem.radii, settings).ensemble().coef(),
                  robust);
        CollaborativeSettings collaborative;
        collaborative.n_planes = 3;
        collaborative.n_epochs = 4;
        collaborative.attack_model.norm = norm;
        const Matrix coef =
            train_collaborative(problem.data(), problem.radii, collaborative).ensemble.coef();
        collaborative.attack_model = plain;
        EXPECT_EQ(train_collaborative(problem.data(), problem.radii, collaborative).ensemble.coef(),
                  coef);
    }
}

/// Ranges that nothing reaches: a plain ball, but not to the code.
AttackModel wide_model(Norm norm, Index n) {
    AttackModel model;
    model.norm = norm;
    model.lower = Vector::Constant(n, -1e6);
    model.upper = Vector::Constant(n, 1e6);
    return model;
}

TEST(ModelTraining, AWideModelGivesThePlainEnsemble) {
    const ModelData data = make_model_data(Norm::L2, 0, 4);
    const SvmData svm_data = data.data();
    const Vector radius = Vector::Constant(1, 0.3);
    const VectorRef radii = radius;
    for (Adversary adversary : kAdversaries) {
        // In l2 every step is unique.
        RobustEnsembleSettings settings;
        settings.n_planes = 5;
        settings.adversary = adversary;
        settings.tolerance = 1e-13;
        const RobustEnsembleResult plain = train_robust_ensemble(svm_data, radius, settings);
        RobustEnsembleSettings wide = settings;
        wide.attack_model = wide_model(Norm::L2, data.X.cols());
        const RobustEnsembleResult same = train_robust_ensemble(svm_data, radius, wide);
        // A gap of 1e-13 leaves planes of strictly convex problems an error of its root.
        EXPECT_LT((plain.ensemble().coef() - same.ensemble().coef()).norm(), 1e-5)
            << to_string(adversary);
        MovedPoints in_ball(svm_data, radii, settings);
        MovedPoints in_box(svm_data, radii, wide);
        for (const Hyperplane& plane : plain.state.planes) {
            in_ball.add_plane(plane);
            in_box.add_plane(plane);
            ASSERT_TRUE(in_ball.move() && in_box.move());
            EXPECT_EQ(in_ball.n_foolable(), in_box.n_foolable());
            EXPECT_EQ(in_ball.n_right(), in_box.n_right()) << to_string(adversary);
            EXPECT_LT((in_ball.points() - in_box.points()).norm(), 1e-9) << to_string(adversary);
        }
    }
    for (Norm norm : kNorms) {
        CollaborativeSettings settings;
        settings.attack_model.norm = norm;
        settings.n_epochs = 5;
        settings.start = Ensemble(Matrix::Constant(3, 8, 0.5) + Matrix::Identity(3, 8),
                                  Vector::LinSpaced(3, -0.2, 0.3));
        const Ensemble plain = train_collaborative(svm_data, radius, settings).ensemble;
        settings.attack_model = wide_model(norm, 8);
        const Ensemble wide = train_collaborative(svm_data, radius, settings).ensemble;
        EXPECT_LT((plain.coef() - wide.coef()).norm(), 1e-9) << to_string(norm);
        EXPECT_LT((plain.intercept() - wide.intercept()).norm(), 1e-9) << to_string(norm);
    }
}

TEST(ModelTraining, AResumedTrainingIsBitwiseTheSame) {
    for (Norm norm : kNorms) {
        const ModelData data = make_model_data(norm, kAllRules - 1, 6);
        const Vector radius = Vector::Constant(1, 0.6);
        RobustEnsembleSettings robust;
        robust.attack_model = data.model;
        robust.n_planes = 4;
        std::vector<RobustEnsembleState> robust_states;
        robust.checkpoint = [&](const RobustEnsembleState& state) {
            robust_states.push_back(state);
        };
        const Matrix planes = train_robust_ensemble(data.data(), radius, robust).ensemble().coef();
        ASSERT_EQ(robust_states.size(), 4U);
        const RobustEnsembleState robust_from = robust_states[1];
        robust.n_threads = 2;
        EXPECT_EQ(train_robust_ensemble(data.data(), radius, robust, robust_from).ensemble().coef(),
                  planes);

        CollaborativeSettings settings;
        settings.attack_model = data.model;
        settings.n_planes = 3;
        settings.n_epochs = 5;
        settings.batch_size = 9;
        std::vector<CollaborativeState> states;
        settings.checkpoint = [&](const CollaborativeState& state) { states.push_back(state); };
        const Matrix coef = train_collaborative(data.data(), radius, settings).ensemble.coef();
        ASSERT_EQ(states.size(), 5U);
        const CollaborativeState from = states[2];
        settings.n_threads = 2;
        EXPECT_EQ(train_collaborative(data.data(), radius, settings, from).ensemble.coef(), coef);
    }
}

TEST(ModelTraining, CandidatesAreScoredWithinTheModel) {
    const ModelData data = make_model_data(Norm::LInf, kFrozen, 2);
    // Frozen but for one feature: a plane without it cannot be attacked.
    AttackModel model = data.model;
    model.scale.setZero();
    model.scale[4] = 1.0;
    SelectionSettings settings;
    settings.attack_radii = Vector::Constant(1, 5.0);
    settings.n_folds = 2;
    const auto fit = [](Index candidate, const SvmData&, const std::vector<Index>&) {
        return Ensemble(Hyperplane{Vector::Unit(8, candidate == 0 ? 4 : 3), 0.0});
    };
    const SelectionResult plain = select_candidate(data.data(), 2, fit, settings);
    EXPECT_EQ(plain.mean[0], 0.0);
    EXPECT_EQ(plain.mean[1], 0.0);
    settings.attack_model = model;
    const SelectionResult in_model = select_candidate(data.data(), 2, fit, settings);
    EXPECT_EQ(in_model.best, 1);
    EXPECT_EQ(in_model.mean[0], 0.0);
    EXPECT_GT(in_model.mean[1], 0.5);
}

template <typename Function>
std::string message_of(const Function& function) {
    try {
        function();
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "no error";
}

TEST(ModelTraining, RejectsBadModels) {
    const ModelData data = make_model_data(Norm::L2, kAllRules - 1, 6);
    const Vector radius = Vector::Constant(1, 0.6);
    RobustEnsembleSettings robust;
    robust.attack_model = data.model;
    robust.adversary = Adversary::Heuristic;
    robust.rule = HeuristicRule::Published;
    EXPECT_EQ(message_of([&] { train_robust_ensemble(data.data(), radius, robust); }),
              "rule: expected 'corrected' with an attack model, got 'published'");
    robust.rule = HeuristicRule::Corrected;
    EXPECT_EQ(message_of([&] { train_robust_ensemble(data.data(), radius, robust); }), "no error");
    ModelData bad = data;
    bad.X(3, 0) += 0.5;
    CollaborativeSettings settings;
    settings.attack_model = data.model;
    EXPECT_NE(message_of([&] { train_robust_ensemble(bad.data(), radius, robust); }), "no error");
    EXPECT_NE(message_of([&] { train_collaborative(bad.data(), radius, settings); }), "no error");
    settings.attack_model.scale = Vector::Ones(3);
    robust.attack_model.scale = Vector::Ones(3);
    EXPECT_NE(message_of([&] { train_robust_ensemble(data.data(), radius, robust); }), "no error");
    EXPECT_NE(message_of([&] { train_collaborative(data.data(), radius, settings); }), "no error");
}

TEST(ModelTraining, FrozenFeaturesOnlyLeaveAnOrdinaryTraining) {
    const ModelData data = make_model_data(Norm::L2, 0, 7);
    AttackModel frozen;
    frozen.scale = Vector::Zero(8);
    CollaborativeSettings settings;
    settings.attack_model = frozen;
    settings.n_planes = 3;
    settings.n_epochs = 5;
    const CollaborativeResult result =
        train_collaborative(data.data(), Vector::Constant(1, 0.6), settings);
    EXPECT_EQ(result.status, Status::Finished);
    for (Index i = 0; i < 3; ++i) EXPECT_NEAR(result.ensemble.coef().row(i).norm(), 1.0, 1e-12);
    RobustEnsembleSettings robust;
    robust.attack_model = frozen;
    robust.n_planes = 3;
    EXPECT_EQ(
        train_robust_ensemble(data.data(), Vector::Constant(1, 0.6), robust).state.planes.size(),
        3U);
}

}  // namespace
}  // namespace redoubt::testing
