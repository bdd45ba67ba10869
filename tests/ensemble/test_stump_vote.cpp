/// Ens-C with one feature per plane.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "redoubt/bundled_data.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/collaborative.hpp"
#include "redoubt/error.hpp"
#include "redoubt/scaler.hpp"

namespace redoubt::testing {
namespace {

struct Heart {
    Matrix X;
    Vector y;
};

Heart heart() {
    const Dataset data = load_bundled("heart");
    return {Scaler::fit(Scaling::MinMax, data.X).transform(data.X.dense()), data.y};
}

CollaborativeSettings stumps(Index n_planes, Index n_bags = 1) {
    CollaborativeSettings settings;
    settings.attack_model.norm = Norm::LInf;
    settings.features_per_plane = 1;
    settings.n_planes = n_planes;
    settings.n_bags = n_bags;
    settings.power = 1.0;
    return settings;
}

Vector radii_of(const Ensemble& ensemble, const Matrix& X, const Vector& y) {
    CertifySettings settings;
    settings.attack_model.norm = Norm::LInf;
    const std::vector<Certificate> certificates = certify(ensemble, X, y, settings);
    Vector radii(y.size());
    for (Index j = 0; j < y.size(); ++j)
        radii[j] = certificates[static_cast<std::size_t>(j)].radius;
    return radii;
}

/// Ens-C's objective with power 1 and cap 1, from exact certificates.
double objective(const Ensemble& ensemble, const Matrix& X, const Vector& y, double rho) {
    const Vector radii = radii_of(ensemble, X, y);
    return (rho - radii.array()).max(0.0).min(2.0 * rho).sum();
}

TEST(StumpVote, PlanesHaveOneFeatureAndLookOneWayOnIt) {
    const Heart data = heart();
    const CollaborativeResult result =
        train_collaborative({data.X, data.y}, Vector::Constant(1, 0.2), stumps(7));
    ASSERT_EQ(result.status, Status::Finished);
    ASSERT_EQ(result.ensemble.n_planes(), 7);
    const Matrix& coef = result.ensemble.coef();
    EXPECT_TRUE(((coef.array() != 0.0).rowwise().count() == 1).all());
    for (Index l = 0; l < coef.cols(); ++l)
        EXPECT_FALSE(coef.col(l).maxCoeff() > 0.0 && coef.col(l).minCoeff() < 0.0);
}

/// No single stump can be exchanged for a better one among those between the points' values.
TEST(StumpVote, IsACoordinateOptimum) {
    const Heart data = heart();
    const double rho = 0.2;
    for (Index k : {1, 2, 5}) {
        const CollaborativeResult result =
            train_collaborative({data.X, data.y}, Vector::Constant(1, rho), stumps(k));
        const double found = objective(result.ensemble, data.X, data.y, rho);
        for (Index i = 0; i < k; ++i) {
            for (Index l : {1, 6, 13, 19}) {  // features of two values: one threshold
                for (double sign : {1.0, -1.0}) {
                    Matrix coef = result.ensemble.coef();
                    coef.row(i).setZero();
                    if ((coef.col(l).array() * sign < 0.0).any()) continue;
                    coef(i, l) = sign;
                    Vector intercept = result.ensemble.intercept();
                    intercept[i] = -0.5 * sign;
                    EXPECT_GE(objective(Ensemble(coef, intercept), data.X, data.y, rho),
                              found - 1e-9);
                }
            }
        }
    }
}

TEST(StumpVote, BagsJoinTheirVotes) {
    const Heart data = heart();
    const CollaborativeResult result =
        train_collaborative({data.X, data.y}, Vector::Constant(1, 0.2), stumps(3, 4));
    EXPECT_EQ(result.ensemble.n_planes(), 12);
    const CollaborativeResult again =
        train_collaborative({data.X, data.y}, Vector::Constant(1, 0.2), stumps(3, 4));
    EXPECT_EQ(result.ensemble.coef(), again.ensemble.coef());
    EXPECT_EQ(result.ensemble.intercept(), again.ensemble.intercept());
}

TEST(StumpVote, PointsOfNoWeightAreNotThere) {
    const Heart data = heart();
    Vector weights = Vector::Ones(data.y.size());
    weights.tail(70).setZero();
    const Matrix X = data.X.topRows(200);
    const Vector y = data.y.head(200);
    const CollaborativeResult with =
        train_collaborative({data.X, data.y, weights}, Vector::Constant(1, 0.2), stumps(5));
    const CollaborativeResult without =
        train_collaborative({X, y}, Vector::Constant(1, 0.2), stumps(5));
    EXPECT_EQ(with.ensemble.coef(), without.ensemble.coef());
}

TEST(StumpVote, ConstantFeaturesGiveTheMoreFrequentAnswer) {
    const Matrix X = Matrix::Ones(5, 2);
    const Vector y = (Vector(5) << 1, 1, -1, -1, -1).finished();
    const CollaborativeResult result =
        train_collaborative({X, y}, Vector::Constant(1, 1.0), stumps(3));
    EXPECT_EQ(result.ensemble.predict(X.row(0).transpose()), -1);
}

TEST(StumpVote, HistoryIsTheObjectiveSweepBySweep) {
    const Heart data = heart();
    const Vector radius = Vector::Constant(1, 0.2);
    const CollaborativeResult result = train_collaborative({data.X, data.y}, radius, stumps(5));
    const std::vector<EpochRecord>& history = result.state.history;
    ASSERT_GE(history.size(), 2U);
    EXPECT_EQ(result.state.n_epochs_done, static_cast<Index>(history.size()));
    for (std::size_t i = 1; i < history.size(); ++i) {
        EXPECT_LE(history[i].objective, history[i - 1].objective);
        EXPECT_TRUE(std::isnan(history[i].validation_objective));
        EXPECT_GE(history[i].seconds, 0.0);
    }
    const double mean = objective(result.ensemble, data.X, data.y, 0.2) / double(data.y.size());
    EXPECT_NEAR(history.back().objective, mean, 1e-9);

    const CollaborativeResult bags = train_collaborative({data.X, data.y}, radius, stumps(5, 4));
    ASSERT_GE(bags.state.history.size(), 2U);
    EXPECT_LE(bags.state.history.back().objective, bags.state.history.front().objective);
}

TEST(StumpVote, StopsAndSaysSo) {
    const Heart data = heart();
    CollaborativeSettings settings = stumps(5, 10);
    settings.control.max_seconds = 0.0;
    const CollaborativeResult result =
        train_collaborative({data.X, data.y}, Vector::Constant(1, 0.2), settings);
    EXPECT_EQ(result.status, Status::TimeLimit);
    EXPECT_TRUE(result.is_partial);
    EXPECT_TRUE(result.state.history.empty());
}

TEST(StumpVote, RefusesWhatStumpsCannotDo) {
    const Heart data = heart();
    const SvmData points{data.X, data.y};
    const Vector radius = Vector::Constant(1, 0.2);
    const auto change = [&](auto edit) {
        CollaborativeSettings settings = stumps(3);
        edit(settings);
        EXPECT_THROW(train_collaborative(points, radius, settings), InvalidInput);
    };
    change([](CollaborativeSettings& s) { s.attack_model.norm = Norm::L2; });
    change([](CollaborativeSettings& s) { s.features_per_plane = 2; });
    change([](CollaborativeSettings& s) { s.n_bags = 0; });
    change([](CollaborativeSettings& s) { s.features_per_plane = 0, s.n_bags = 2; });
    change([](CollaborativeSettings& s) { s.validation_share = 0.2; });
    EXPECT_THROW(train_collaborative(points, radius, stumps(3), CollaborativeState{}),
                 InvalidInput);
}

}  // namespace
}  // namespace redoubt::testing
