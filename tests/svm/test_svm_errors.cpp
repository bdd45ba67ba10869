/// Each test changes one thing from a working base and matches the message.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "redoubt/error.hpp"
#include "redoubt/svm.hpp"

namespace redoubt::testing {
namespace {

struct Call {
    Matrix X = (Matrix(4, 2) << 0.0, 0.0, 1.0, 0.5, 2.0, 2.0, 3.0, 2.5).finished();
    Vector y = (Vector(4) << -1.0, -1.0, 1.0, 1.0).finished();
    Vector weights{};
    Vector radii = Vector::Constant(1, 0.1);
    SvmSettings svm{};
    RobustSvmSettings robust{};
    std::optional<SvmStart> start{};
};

SvmStart start_at(Index n_features, double b, Vector dual_ratio) {
    return {{Vector::Ones(n_features), b}, std::move(dual_ratio)};
}

std::string message_of(const std::function<void(Call&)>& change, bool robust) {
    Call call;
    change(call);
    try {
        if (robust) {
            train_robust_svm({call.X, call.y, call.weights}, call.radii, call.robust, call.start);
        } else {
            train_svm({call.X, call.y, call.weights}, call.svm, call.start);
        }
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "no error";
}

void expect_both(const std::function<void(Call&)>& change, const std::string& message) {
    EXPECT_EQ(message_of(change, false), message);
    EXPECT_EQ(message_of(change, true), message);
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(SvmErrors, TheBaseWorks) {
    expect_both([](Call&) {}, "no error");
}

TEST(SvmErrors, NameTheDataAtFault) {
    expect_both([](Call& c) { c.X(2, 1) = kNaN; },
                "X: expected finite numbers of magnitude at most 1e+100, got nan at [2, 1]");
    expect_both([](Call& c) { c.X(0, 0) = -INFINITY; },
                "X: expected finite numbers of magnitude at most 1e+100, got -inf at [0, 0]");
    expect_both([](Call& c) { c.X(1, 0) = 1e300; },
                "X: expected finite numbers of magnitude at most 1e+100, got 1e+300 at [1, 0]");
    expect_both([](Call& c) { c.X.resize(1, 2); }, "X: expected at least 2 rows, got 1");
    expect_both([](Call& c) { c.X.resize(4, 0); }, "X: expected at least 1 column, got none");
    expect_both([](Call& c) { c.y.conservativeResize(3); }, "y: expected length 4, got length 3");
    expect_both([](Call& c) { c.y[1] = 0.0; }, "y: expected labels -1 and +1, got 0 at [1]");
    expect_both([](Call& c) { c.y.setOnes(); },
                "y: expected both classes with positive weight, got only +1");
    expect_both([](Call& c) { c.y.setConstant(-1.0); },
                "y: expected both classes with positive weight, got only -1");
}

TEST(SvmErrors, NameTheWeightsAtFault) {
    expect_both([](Call& c) { c.weights = Vector::Ones(3); },
                "weights: expected length 4, got length 3");
    expect_both([](Call& c) { c.weights = (Vector(4) << 1, 1, -2, 1).finished(); },
                "weights: expected numbers >= 0, got -2 at [2]");
    expect_both([](Call& c) { c.weights = (Vector(4) << 1, kNaN, 2, 1).finished(); },
                "weights: expected finite numbers of magnitude at most 1e+100, got nan at [1]");
    expect_both([](Call& c) { c.weights = Vector::Zero(4); },
                "weights: expected a positive sum, got all zero");
    expect_both([](Call& c) { c.weights = (Vector(4) << 1, 1, 0, 0).finished(); },
                "y: expected both classes with positive weight, got only -1");
}

TEST(SvmErrors, NameTheSettingAtFault) {
    EXPECT_EQ(message_of([](Call& c) { c.svm.C = 0.0; }, false),
              "C: expected a finite number > 0, got 0");
    EXPECT_EQ(message_of([](Call& c) { c.svm.C = kNaN; }, false),
              "C: expected a finite number > 0, got nan");
    EXPECT_EQ(message_of([](Call& c) { c.svm.tolerance = 1e-20; }, false),
              "tolerance: expected a number in [1e-14, 0.1], got 1e-20");
    EXPECT_EQ(message_of([](Call& c) { c.svm.max_iterations = 0; }, false),
              "max_iterations: expected an integer >= 1, got 0");
    EXPECT_EQ(message_of([](Call& c) { c.svm.n_threads = -1; }, false),
              "n_threads: expected an integer >= 0, got -1");
    EXPECT_EQ(message_of([](Call& c) { c.robust.regularization = -1.0; }, true),
              "regularization: expected a finite number >= 0, got -1");
    EXPECT_EQ(message_of([](Call& c) { c.robust.tolerance = 1.0; }, true),
              "tolerance: expected a number in [1e-14, 0.1], got 1");
}

TEST(SvmErrors, NameTheRadiiAtFault) {
    EXPECT_EQ(message_of([](Call& c) { c.radii = Vector::Constant(1, -0.5); }, true),
              "radii: expected numbers >= 0, got -0.5 at [0]");
    EXPECT_EQ(message_of([](Call& c) { c.radii = Vector::Constant(3, 0.5); }, true),
              "radii: expected length 4, got length 3");
    EXPECT_EQ(message_of([](Call& c) { c.radii = Vector(); }, true),
              "radii: expected length 4, got length 0");
    EXPECT_EQ(message_of([](Call& c) { c.radii[0] = kNaN; }, true),
              "radii: expected finite numbers of magnitude at most 1e+100, got nan at [0]");
}

TEST(SvmErrors, NameTheStartAtFault) {
    expect_both([](Call& c) { c.start = start_at(3, 0.0, {}); },
                "start.plane.w: expected length 2, got length 3");
    expect_both([](Call& c) { c.start = start_at(2, kNaN, {}); },
                "start.plane.b: expected a finite number, got nan");
    expect_both([](Call& c) { c.start = start_at(2, 0.0, Vector::Ones(5)); },
                "start.dual_ratio: expected length 4, got length 5");
    expect_both([](Call& c) { c.start = start_at(2, 0.0, Vector::Constant(4, -1.0)); },
                "start.dual_ratio: expected numbers >= 0, got -1 at [0]");
}

TEST(SvmErrors, TinyAndDenormalFeaturesAreFine) {
    for (double scale : {1e-300, 1e-310, 1e-320}) {
        Call call;
        call.X *= scale;
        const SvmResult result = train_svm({call.X, call.y});
        EXPECT_TRUE(result.plane.w.allFinite());
        EXPECT_TRUE(std::isfinite(result.plane.b));
    }
}

}  // namespace
}  // namespace redoubt::testing
