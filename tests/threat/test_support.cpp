/// The support function against every whole point and switch, and the adversaries built on it.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "core/random.hpp"
#include "flip/flip.hpp"
#include "redoubt/attack.hpp"
#include "redoubt/certificate.hpp"
#include "reference/reference_problems.hpp"
#include "reference/set_search.hpp"
#include "support/seeds.hpp"
#include "threat/random_models.hpp"
#include "threat/support.hpp"

namespace redoubt::testing {
namespace {

class SupportOfNorm : public ::testing::TestWithParam<Norm> {};

/// max over grids and switches by recursion; what is continuous is left to a bisection on the
/// multiplier of the ball: coordinates in closed form for a given price of size.
class SlowSupport {
public:
    SlowSupport(const ModelProblem& problem, const Vector& g) : problem_(problem), g_(g) {}

    double value(double radius) {
        best_ = -HUGE_VAL;
        radius_ = radius;
        choose_group(0, 0.0, 0.0);
        return best_;
    }

private:
    static double add(Norm norm, double spent, double size) {
        if (norm == Norm::L1) return spent + size;
        if (norm == Norm::LInf) return std::max(spent, size);
        return spent + size * size;
    }
    double budget() const { return problem_.model.norm == Norm::L2 ? radius_ * radius_ : radius_; }

    void choose_group(std::size_t at, double spent, double value) {
        if (spent > budget() * (1.0 + 1e-12)) return;
        if (at == problem_.model.one_hot.size()) {
            choose_integer(0, spent, value);
            return;
        }
        const OneHotGroup& group = problem_.model.one_hot[at];
        std::size_t now = 0;
        while (problem_.x[group.features[now]] != group.on_value(now)) ++now;
        for (std::size_t on = 0; on < group.features.size(); ++on) {
            double gain = 0.0;
            for (std::size_t i = 0; i < group.features.size(); ++i) {
                const int l = group.features[i];
                const double next = i == on ? group.on_value(i) : group.off_value(i);
                gain += g_[l] * (next - problem_.x[l]);
            }
            const double price = price_by_hand(group, now, on);
            if (std::isinf(price)) continue;
            choose_group(at + 1, add(problem_.model.norm, spent, price), value + gain);
        }
    }

    void choose_integer(std::size_t at, double spent, double value) {
        if (spent > budget() * (1.0 + 1e-12)) return;
        if (at == problem_.model.integers.size()) {
            best_ = std::max(best_, value + continuous(spent));
            return;
        }
        const IntegerFeature& one = problem_.model.integers[at];
        const double x = problem_.x[one.feature];
        const double scale = problem_.model.scale_of(one.feature);
        for (int steps = -40; steps <= 40; ++steps) {
            Vector moved = problem_.x;
            if (steps != 0) moved[one.feature] = one.value(one.nearest(x) + steps);
            if (!problem_.model.allows(problem_.x, moved)) continue;
            const double d = moved[one.feature] - x;
            const double size = d == 0.0 ? 0.0 : std::abs(d / scale);
            choose_integer(at + 1, add(problem_.model.norm, spent, size),
                           value + g_[one.feature] * d);
        }
    }

    /// The best of the other features with what is left.
    double continuous(double spent) const {
        const AttackModel& model = problem_.model;
        std::vector<char> is_taken(static_cast<std::size_t>(g_.size()), 0);
        for (const IntegerFeature& one : model.integers)
            is_taken[static_cast<std::size_t>(one.feature)] = 1;
        for (const OneHotGroup& group : model.one_hot) {
            for (int l : group.features) is_taken[static_cast<std::size_t>(l)] = 1;
        }
        const auto at_price = [&](double price, double& size) {
            double gain = 0.0;
            size = 0.0;
            for (Index l = 0; l < g_.size(); ++l) {
                const double unit = model.scale_of(l);
                const double c = std::abs(g_[l]) * unit;
                if (is_taken[static_cast<std::size_t>(l)] != 0 || c == 0.0) continue;
                const bool is_up = g_[l] > 0.0;
                double room = (is_up ? model.upper_of(l) - problem_.x[l]
                                     : problem_.x[l] - model.lower_of(l)) /
                              unit;
                if (model.direction_of(l) == (is_up ? Direction::Down : Direction::Up)) room = 0.0;
                double u = std::max(0.0, room);
                if (model.norm == Norm::LInf) u = std::min(u, radius_);
                if (model.norm == Norm::L2) u = std::min(u, c / (2.0 * price));
                if (model.norm == Norm::L1 && c <= price) u = 0.0;
                if (u == HUGE_VAL) u = 1e9;
                gain += c * u;
                size = add(model.norm, size, u);
            }
            return gain;
        };
        const double left = budget() - spent;
        double size = 0.0;
        if (model.norm == Norm::LInf) return at_price(0.0, size);
        double low = 1e-12;
        double high = 1e6;
        const double gain = at_price(low, size);
        if (size <= left) return gain;
        for (int i = 0; i < 200; ++i) {
            const double middle = std::sqrt(low * high);
            at_price(middle, size);
            (size > left ? low : high) = middle;
        }
        double size_high = 0.0;
        const double gain_high = at_price(high, size_high);
        // l1: the coordinate at the price itself takes what is left.
        return gain_high + (model.norm == Norm::L1 ? high * (left - size_high) : 0.0);
    }

    const ModelProblem& problem_;
    const Vector& g_;
    double radius_ = 0.0;
    double best_ = 0.0;
};

TEST_P(SupportOfNorm, AgreesWithEnumeration) {
    for (unsigned rules = 0; rules < kAllRules; ++rules) {
        for (std::uint64_t seed = 0; seed < n_seeds(8); ++seed) {
            SCOPED_TRACE(rules_text(rules) + " seed " + std::to_string(seed));
            const ModelProblem problem = make_model_problem(GetParam(), rules, seed);
            Random random(seed, rules);
            Vector g(problem.x.size());
            for (double& value : g) value = random.normal();
            const double radius = 3.0 * random.uniform();
            const MoveSpace space(problem.model, problem.x.size());
            Support support(space);
            support.load(problem.x);
            const Vector d = support.maximise(g, radius);
            EXPECT_TRUE(problem.model.allows(problem.x, problem.x + d));
            EXPECT_LE(problem.model.move_size(problem.x, d), radius * (1.0 + 1e-11));
            const double slow = SlowSupport(problem, g).value(radius);
            EXPECT_NEAR(support.value(g, radius), slow, 1e-8 * (1.0 + std::abs(slow)));
        }
    }
}

TEST_P(SupportOfNorm, IsTheDualNormOfAPlainBall) {
    Random random(5);
    for (int trial = 0; trial < 50; ++trial) {
        Vector g(6);
        Vector x(6);
        for (double& value : g) value = random.normal();
        for (double& value : x) value = random.normal();
        AttackModel model;
        model.norm = GetParam();
        const MoveSpace space(model, 6);
        Support support(space);
        support.load(x);
        const double wanted = 0.7 * norm_value(dual(GetParam()), g);
        EXPECT_NEAR(support.value(g, 0.7), wanted, 1e-12 * wanted);
    }
}

TEST_P(SupportOfNorm, AdversariesStayWithinTheModel) {
    for (unsigned rules = 0; rules < kAllRules; ++rules) {
        for (std::uint64_t seed = 0; seed < n_seeds(6); ++seed) {
            SCOPED_TRACE(rules_text(rules) + " seed " + std::to_string(seed));
            const ModelProblem problem = make_model_problem(GetParam(), rules, seed);
            const int y = seed % 2 == 0 ? 1 : -1;
            const double radius = 0.7310585786 * (1.0 + static_cast<double>(seed % 3));
            Attack found[3];
            for (Adversary adversary :
                 {Adversary::Exact, Adversary::Relaxed, Adversary::Heuristic}) {
                AttackSettings settings;
                settings.attack_model = problem.model;
                settings.adversary = adversary;
                Attack& result = found[static_cast<int>(adversary)];
                result = attack(problem.ensemble, problem.x.transpose(), Vector::Constant(1, y),
                                Vector::Constant(1, radius), settings)[0];
                const Vector moved = problem.x + result.d;
                EXPECT_TRUE(problem.model.allows(problem.x, moved));
                EXPECT_LE(problem.model.move_size(problem.x, result.d), radius * (1.0 + 1e-11));
                EXPECT_LE(result.objective, result.bound);
            }
            const Attack& exact = found[0];
            EXPECT_EQ(exact.objective, static_cast<double>(exact.fooled.size()));
            EXPECT_GE(exact.bound, static_cast<double>(found[1].fooled.size()));
            EXPECT_GE(exact.bound, static_cast<double>(found[2].fooled.size()));
            const Attack& relaxed = found[1];
            EXPECT_EQ(relaxed.status, Status::Optimal);
            EXPECT_NEAR(relaxed.bound, relaxed.objective, 1e-8 * (1.0 + relaxed.objective));
            if (is_on_grid(seed)) continue;
            // One more plane than the exact adversary fools costs more than the radius, and as many
            // cost what its move does.
            EXPECT_EQ(exact.status, Status::Optimal);
            reference::PlaneSystem system(problem.ensemble, problem.model, problem.x, y);
            const auto search = reference::make_enumeration(&system, {});
            const auto n_fooled = static_cast<std::int64_t>(exact.fooled.size());
            EXPECT_GT(search->least_within(n_fooled + 1, HUGE_VAL).bound, radius);
            if (exact.d.isZero(0.0)) continue;
            EXPECT_NEAR(search->least_within(n_fooled, HUGE_VAL).bound,
                        problem.model.move_size(problem.x, exact.d), 1e-8);
        }
    }
}

/// The relaxed adversary's sum cannot be beaten by moves that somebody else proposes.
TEST_P(SupportOfNorm, RelaxedBeatsEveryChoiceOfPlanes) {
    for (unsigned rules = 0; rules < kAllRules; rules += 3) {
        for (std::uint64_t seed = 0; seed < 3; ++seed) {
            SCOPED_TRACE(rules_text(rules) + " seed " + std::to_string(seed));
            const ModelProblem problem = make_model_problem(GetParam(), rules, seed);
            AttackSettings settings;
            settings.attack_model = problem.model;
            settings.adversary = Adversary::Relaxed;
            const double radius = 1.3;
            const Attack found = attack(problem.ensemble, problem.x.transpose(), Vector::Ones(1),
                                        Vector::Constant(1, radius), settings)[0];
            const MoveSpace space(problem.model, problem.x.size());
            Support support(space);
            support.load(problem.x);
            const Index k = problem.ensemble.n_planes();
            double best = 0.0;
            for (unsigned v = 0; v < (1U << k); ++v) {
                Vector g = Vector::Zero(problem.x.size());
                double c = 0.0;
                for (Index i = 0; i < k; ++i) {
                    if ((v >> i & 1U) == 0) continue;
                    g -= problem.ensemble.coef().row(i).transpose();
                    c += 1.0 - problem.ensemble.margins(problem.x)[i];
                }
                best = std::max(best, c + support.value(g, radius));
            }
            EXPECT_NEAR(found.objective, best, 1e-8 * (1.0 + best));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Norms, SupportOfNorm, ::testing::ValuesIn(kAllNorms),
                         [](const auto& norm) { return std::string(to_string(norm.param)); });

}  // namespace
}  // namespace redoubt::testing
