#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/random.hpp"
#include "redoubt/attack_curve.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/collaborative.hpp"
#include "redoubt/error.hpp"
#include "support/published_parts.hpp"
#include "support/random_problems.hpp"

namespace redoubt::testing {
namespace {

/// As the library's: see CollaborativeSettings::start_radius.
double spread_of(const Matrix& X) {
    const Matrix centred = X.rowwise() - X.colwise().mean();
    const double variance = centred.squaredNorm() / static_cast<double>(X.size());
    return std::exp2(std::round(0.5 * std::log2(variance)));
}

double mean_accuracy(const Ensemble& ensemble, const Matrix& X, const Vector& y, Norm norm,
                     double largest) {
    CertifySettings settings;
    settings.attack_model.norm = norm;
    Vector radii(y.size());
    const std::vector<Certificate> certificates = certify(ensemble, X, y, settings);
    for (Index j = 0; j < radii.size(); ++j)
        radii[j] = certificates[static_cast<std::size_t>(j)].radius;
    return attack_curve(radii, y, Vector::LinSpaced(9, 0.0, largest)).accuracy.mean();
}

TEST(Collaborative, BeatsTheRobustSvmItStartsFrom) {
    const PublishedParts data = published_parts("bcw");
    for (auto [norm, largest] : {std::pair{Norm::L2, 2.0}, {Norm::LInf, 0.5}, {Norm::L1, 3.0}}) {
        CollaborativeSettings settings;
        settings.attack_model.norm = norm;
        settings.n_planes = 7;
        settings.n_epochs = 20;
        const Vector rho = Vector::Constant(1, largest);
        const CollaborativeResult trained =
            train_collaborative({data.train_X, data.train_y}, rho, settings);
        settings.n_epochs = 0;
        const CollaborativeResult start =
            train_collaborative({data.train_X, data.train_y}, rho, settings);
        EXPECT_EQ(trained.status, Status::Finished);
        EXPECT_FALSE(trained.is_partial);
        ASSERT_EQ(trained.state.history.size(), 20U);
        EXPECT_LT(trained.state.history.back().objective, trained.state.history.front().objective);
        EXPECT_GT(mean_accuracy(trained.ensemble, data.train_X, data.train_y, norm, largest),
                  mean_accuracy(start.ensemble, data.train_X, data.train_y, norm, largest))
            << to_string(norm);
    }
}

TEST(Collaborative, NormalsHaveDualNormOne) {
    const RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 2);
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
        CollaborativeSettings settings;
        settings.attack_model.norm = norm;
        settings.n_planes = 4;
        settings.n_epochs = 3;
        const CollaborativeResult result =
            train_collaborative(problem.data(), Vector::Ones(1), settings);
        for (Index i = 0; i < 4; ++i) {
            EXPECT_NEAR(norm_value(dual(norm), result.ensemble.coef().row(i).transpose()), 1.0,
                        1e-12);
        }
    }
}

TEST(Collaborative, KeepsTheBestEpochOfTheHeldOutPoints) {
    const PublishedParts data = published_parts("gaussian");
    CollaborativeSettings settings;
    settings.validation_share = 0.3;
    settings.patience = 3;
    settings.n_epochs = 40;
    const CollaborativeResult result =
        train_collaborative({data.train_X, data.train_y}, Vector::Constant(1, 2.0), settings);
    const auto& history = result.state.history;
    ASSERT_GE(result.state.best_epoch, 1);
    const double best =
        history[static_cast<std::size_t>(result.state.best_epoch - 1)].validation_objective;
    for (const EpochRecord& record : history) EXPECT_GE(record.validation_objective, best);
    EXPECT_TRUE(static_cast<Index>(history.size()) == 40 ||
                static_cast<Index>(history.size()) == result.state.best_epoch + 3);
    EXPECT_EQ(result.ensemble.coef(), result.state.best.leftCols(result.ensemble.n_features()));
}

TEST(Collaborative, StartsFromAGivenEnsembleAndSurvivesEveryKindOfData) {
    for (ProblemKind kind : all_problem_kinds()) {
        const RandomProblem problem = make_random_problem(kind, 6);
        CollaborativeSettings settings;
        settings.n_epochs = 2;
        settings.start = Ensemble(Matrix::Random(3, problem.X.cols()), Vector::Zero(3));
        for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf}) {
            settings.attack_model.norm = norm;
            const CollaborativeResult result =
                train_collaborative(problem.data(), problem.radii, settings);
            EXPECT_EQ(result.ensemble.n_planes(), 3) << to_string(kind);
            EXPECT_EQ(result.state.history.size(), 2U) << to_string(kind);
        }
    }
}

TEST(Collaborative, ClassesOfConstantRobustSvmsAreTrained) {
    // Three classes in a row: the middle one cannot be told from the rest by a plane.
    Matrix X(300, 2);
    Vector y(300);
    std::mt19937_64 rng(6);
    std::normal_distribution<double> normal;
    for (Index j = 0; j < X.rows(); ++j) {
        y[j] = static_cast<double>(j % 3);
        X.row(j) << 1.5 * (y[j] - 1.0) + normal(rng), normal(rng);
    }
    CollaborativeSettings settings;
    settings.n_classes = 3;
    settings.n_planes = 1;
    settings.power = 2.0;
    const Ensemble planes =
        train_collaborative({X, y, {}}, Vector::Constant(1, 4.0), settings).ensemble;
    const Matrix values = (X * planes.coef().transpose()).rowwise() +
                          Eigen::RowVectorXd(planes.intercept().transpose());
    Index n_right = 0;
    for (Index j = 0; j < X.rows(); ++j) {
        Index answer = -1;
        values.row(j).maxCoeff(&answer);
        n_right += answer == static_cast<Index>(y[j]) ? 1 : 0;
    }
    EXPECT_GT(n_right, 150) << "a constant answer is right 100 times";
}

TEST(Collaborative, RejectsBadInput) {
    const RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 2);
    const auto message = [&](const CollaborativeSettings& settings, const Vector& radii,
                             const std::optional<CollaborativeState>& resume =
                                 std::nullopt) -> std::string {
        try {
            train_collaborative(problem.data(), radii, settings, resume);
        } catch (const InvalidInput& error) {
            return error.what();
        }
        return "no error";
    };
    const Vector one = Vector::Ones(1);
    const auto with = [](auto change) {
        CollaborativeSettings settings;
        change(settings);
        return settings;
    };
    EXPECT_EQ(message(with([](auto& s) { s.n_planes = 0; }), one),
              "n_planes: expected an integer >= 1, got 0");
    EXPECT_EQ(message(with([](auto& s) { s.n_epochs = -1; }), one),
              "n_epochs: expected an integer >= 0, got -1");
    EXPECT_EQ(message(with([](auto& s) { s.batch_size = 0; }), one),
              "batch_size: expected an integer >= 1, got 0");
    EXPECT_EQ(message(with([](auto& s) { s.step = 0.0; }), one),
              "step: expected a finite number > 0, got 0");
    EXPECT_EQ(message(with([](auto& s) { s.cap = 0.0; }), one),
              "cap: expected a finite number > 0, got 0");
    EXPECT_EQ(message(with([](auto& s) { s.power = 0.0; }), one),
              "power: expected a number in (0, 2], got 0");
    EXPECT_EQ(message(with([](auto& s) { s.jitter = NAN; }), one),
              "jitter: expected a finite number >= 0, got nan");
    EXPECT_EQ(message(with([](auto& s) { s.validation_share = 1.0; }), one),
              "validation_share: expected a number in [0, 0.9], got 1");
    EXPECT_EQ(message({}, Vector::Zero(1)), "radii: expected numbers > 0, got 0");
    EXPECT_EQ(
        message(with([](auto& s) { s.start = Ensemble(Matrix::Ones(1, 99), Vector::Ones(1)); }),
                one)
            .substr(0, 17),
        "start's features:");
    EXPECT_EQ(message({}, one, CollaborativeState{}).substr(0, 12), "resume.coef:");
}

/// The order in which train_collaborative takes the points of an epoch.
std::vector<Index> order_of(Index size, std::uint64_t seed, std::uint64_t epoch) {
    std::vector<Index> order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), Index{0});
    Random(seed, 2 + epoch).shuffle(order);
    return order;
}

TEST(Collaborative, PointsThatComeInPartsGiveTheSamePlanes) {
    const RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 5);
    const Index m = problem.y.size();
    const Vector weights = Vector::LinSpaced(m, 0.5, 2.0);
    const SvmData data{problem.X, problem.y, weights};
    CollaborativeSettings settings;
    settings.n_planes = 3;
    settings.n_epochs = 2;
    settings.batch_size = 7;
    settings.seed = 11;
    const Vector radius = Vector::Constant(1, 0.8);
    const CollaborativeResult whole = train_collaborative(data, radius, settings);

    settings.n_epochs = 0;  // its start is the start
    const CollaborativeState begin = train_collaborative(data, radius, settings).state;
    settings.n_epochs = 2;
    const CollaborativePlan plan = plan_collaborative(m, settings);
    EXPECT_EQ(plan.n_epochs, whole.n_epochs);
    EXPECT_EQ(plan.step, whole.step);
    CollaborativeState state = begin;
    const double spread = spread_of(problem.X);
    for (Index epoch = 0; epoch < plan.n_epochs; ++epoch) {
        const std::vector<Index> order = order_of(m, settings.seed, epoch);
        double sum = 0.0;
        // 14 points are two batches; the last part ends with a smaller one.
        for (std::size_t first = 0; first < order.size(); first += 14) {
            const std::vector<Index> some(
                order.begin() + static_cast<std::ptrdiff_t>(first),
                order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), first + 14)));
            const Matrix X = problem.X(some, Eigen::all);
            const Vector y = problem.y(some);
            sum += run_collaborative_batches({X, y, weights(some)}, radius, settings, plan, spread,
                                             state);
        }
        const double mean = whole.state.history[static_cast<std::size_t>(epoch)].objective;
        EXPECT_NEAR(sum / static_cast<double>(m), mean, 1e-13 * mean);
    }
    EXPECT_EQ(state.coef, whole.state.coef);
    EXPECT_EQ(state.intercept, whole.state.intercept);
    EXPECT_EQ(state.n_steps, whole.state.n_steps);

    const double all = collaborative_objective(data, radius, settings, state);
    double single = 0.0;
    for (Index j = 0; j < m; ++j) {
        const Matrix x = problem.X.row(j);
        const Vector y = problem.y.segment(j, 1);
        single += collaborative_objective({x, y, weights.segment(j, 1)}, radius, settings, state);
    }
    EXPECT_NEAR(all, single, 1e-12 * all);
}

TEST(Collaborative, BadPartsAreRefused) {
    const RandomProblem problem = make_random_problem(ProblemKind::Overlapping, 6);
    CollaborativeSettings settings;
    settings.n_planes = 2;
    const Hyperplane plane{Vector::Ones(problem.X.cols()), 0.0};
    const auto message = [&](const Vector& radii, Index n_columns, CollaborativeSettings own) {
        CollaborativeState state = start_collaborative(plane, problem.X, settings);
        state.coef.conservativeResize(Eigen::NoChange, n_columns);
        try {
            const CollaborativePlan plan = plan_collaborative(problem.y.size(), settings);
            run_collaborative_batches(problem.data(), radii, own, plan, 1.0, state);
        } catch (const InvalidInput& error) {
            return std::string(error.what());
        }
        return std::string("no error");
    };
    const Index n = problem.X.cols();
    EXPECT_EQ(message(Vector::Ones(1), n, settings), "no error");
    EXPECT_EQ(message(Vector::Zero(1), n, settings), "radii: expected numbers > 0, got 0");
    EXPECT_EQ(message(Vector::Ones(1), n - 1, settings).substr(0, 11), "state.coef:");
    CollaborativeSettings stumps = settings;
    stumps.attack_model.norm = Norm::LInf;
    stumps.features_per_plane = 1;
    EXPECT_EQ(message(Vector::Ones(1), n, stumps),
              "features_per_plane: expected 0 for points that come in parts, got 1");
}

}  // namespace
}  // namespace redoubt::testing
