/// Certificates of several classes against every cell of the planes, under every norm and kind of
/// attack model.

#include <gtest/gtest.h>

#include <cmath>

#include "redoubt/class_certificate.hpp"
#include "redoubt/error.hpp"
#include "reference/set_search.hpp"
#include "support/seeds.hpp"
#include "threat/random_models.hpp"

namespace redoubt::testing {
namespace {

using reference::make_enumeration;
using reference::PlaneSystem;

class ClassesInNorm : public ::testing::TestWithParam<Norm> {};

struct ClassProblem {
    ClassVote vote;
    Vector x;
    AttackModel model;
};

/// The planes of a problem shared out to 3 to 5 classes; nothing where there are too few.
std::optional<ClassProblem> make_class_problem(Norm norm, unsigned rules, std::uint64_t seed,
                                               ClassScore score) {
    ModelProblem problem = make_model_problem(norm, rules, seed);
    const Index k = problem.ensemble.n_planes();
    const auto n_classes =
        score == ClassScore::Value ? std::min<Index>(k, 5) : 3 + static_cast<Index>(seed % 2);
    if (k < n_classes || n_classes < 3) return std::nullopt;
    const Index n_planes = score == ClassScore::Value ? n_classes : k;
    std::vector<Index> counts(static_cast<std::size_t>(n_classes), 0);
    for (Index i = 0; i < n_planes; ++i) ++counts[static_cast<std::size_t>(i % n_classes)];
    Vector weights;
    if (score == ClassScore::Votes && seed % 3 == 0) {
        weights = Vector::Ones(n_planes);
        for (Index i = 0; i < n_planes; ++i) weights[i] += static_cast<double>(i % 3);
    }
    std::vector<char> is_minus;
    for (Index i = 0; seed % 5 == 1 && i < n_planes; ++i)
        is_minus.push_back(static_cast<char>(i % 2));
    return ClassProblem{ClassVote(Ensemble(problem.ensemble.coef().topRows(n_planes),
                                           problem.ensemble.intercept().head(n_planes), weights),
                                  counts, score, is_minus),
                        problem.x, problem.model};
}

/// How far planes that must be passed are put off, and what that may add to a size.
constexpr double kPassed = 1e-9;
constexpr double kSameCell = 1e-6;
/// Nothing beyond is looked for: the enumeration knows 64 steps of an integer.
constexpr double kFar = 10.0;

/// The least move after which all planes are >= 0, if it is below `best`.
double least_for_all(const std::vector<Hyperplane>& planes, const ClassProblem& problem,
                     double best) {
    const Ensemble ensemble(planes);
    PlaneSystem system(ensemble, problem.model, problem.x, -1);
    const auto search = make_enumeration(&system, PointLimits{});
    const auto answer = search->least_within(ensemble.n_planes(), best);
    return answer.choice ? std::min(best, static_cast<double>(answer.size)) : best;
}

/// A plane that must be >= 0 or, if it `passes`, a little more.
Hyperplane put_off(Hyperplane plane, bool passes) {
    if (passes) plane.b -= kPassed * (1.0 + std::abs(plane.b));
    return plane;
}

Hyperplane turned(const ClassVote& vote, Index plane, double sign, bool is_strict) {
    return put_off({sign * vote.planes().coef().row(plane).transpose(),
                    sign * vote.planes().intercept()[plane]},
                   is_strict && sign != vote.answer_at_zero(plane));
}

/// By the definition, of signs per plane.
int winner(const ClassVote& vote, unsigned signs) {
    int best = 0;
    double most = -HUGE_VAL;
    for (Index c = 0; c < vote.n_classes(); ++c) {
        double sum = 0.0;
        for (Index i = vote.first_plane(c); i < vote.first_plane(c + 1); ++i)
            sum += ((signs >> i & 1U) != 0 ? 1.0 : -1.0) * vote.planes().weight(i);
        if (!(sum > most)) continue;
        most = sum;
        best = static_cast<int>(c);
    }
    return best;
}

/// The least move to a class, or away from it: with all edges of the cells, or safely within those
/// that are not theirs; `best` if it is no less.
double oracle(const ClassProblem& problem, int c, bool is_leaving, bool is_strict, double best) {
    const ClassVote& vote = problem.vote;
    if (vote.score() == ClassScore::Votes) {
        for (unsigned signs = 0; signs < 1U << vote.planes().n_planes(); ++signs) {
            if ((winner(vote, signs) == c) == is_leaving) continue;
            std::vector<Hyperplane> planes;
            for (Index i = 0; i < vote.planes().n_planes(); ++i)
                planes.push_back(turned(vote, i, (signs >> i & 1U) != 0 ? 1.0 : -1.0, is_strict));
            best = least_for_all(planes, problem, best);
        }
        return best;
    }
    std::vector<Hyperplane> planes;
    for (Index k = 0; k < vote.n_classes(); ++k) {
        if (k == c) continue;
        const bool has_tie = is_leaving ? k < c : c < k;
        planes.push_back(put_off(is_leaving ? vote.difference(k, c) : vote.difference(c, k),
                                 is_strict && !has_tie));
        if (!is_leaving) continue;
        best = least_for_all(planes, problem, best);
        planes.clear();
    }
    return is_leaving ? best : least_for_all(planes, problem, best);
}

void expect_witness(const ClassProblem& problem, const ClassCertificate& certificate, int y) {
    EXPECT_LE(certificate.lower, certificate.upper);
    if (certificate.witness.size() == 0) {
        EXPECT_EQ(certificate.moved_answer, -1);
        return;
    }
    const Vector moved = problem.x + certificate.witness;
    const int answer = problem.vote.predict(moved);
    EXPECT_EQ(answer, certificate.moved_answer);
    EXPECT_EQ(answer == y, certificate.answer != y);
    EXPECT_TRUE(problem.model.allows(problem.x, moved));
    const double upper = certificate.answer == y ? certificate.upper : -certificate.lower;
    EXPECT_LE(problem.model.move_size(problem.x, moved - problem.x), upper);
    EXPECT_NEAR(problem.model.move_size(problem.x, moved - problem.x), upper, 1e-9 * (1.0 + upper));
}

/// The true infimum lies between those of the closed and of the open cells.
void expect_between(const ClassProblem& problem, const ClassCertificate& certificate, int y,
                    int& n_open) {
    const bool is_right = certificate.answer == y;
    const double closed = oracle(problem, y, is_right, false, kFar);
    const double same = closed + kSameCell * (1.0 + closed);
    const double open = oracle(problem, y, is_right, true, same);
    const double lower = is_right ? certificate.lower : -certificate.upper;
    const double upper = is_right ? certificate.upper : -certificate.lower;
    EXPECT_GE(upper, closed * (1.0 - 1e-9) - 1e-9);
    if (open == same && closed < kFar) return;
    EXPECT_LE(std::min(lower, kFar), open * (1.0 + 1e-9) + 1e-9);
    if (certificate.status != Status::Optimal) {
        ++n_open;
        return;
    }
    EXPECT_NEAR(std::min(lower, kFar), closed, 2.0 * kSameCell * (1.0 + closed));
    EXPECT_NEAR(std::min(upper, kFar), closed, 2.0 * kSameCell * (1.0 + closed));
}

int check_all_labels(const ClassProblem& problem, int& n_open) {
    int n_checked = 0;
    for (int y = 0; y < problem.vote.n_classes(); ++y) {
        SCOPED_TRACE("label " + std::to_string(y));
        ClassCertifySettings settings;
        settings.attack_model = problem.model;
        const Eigen::VectorXi labels = Eigen::VectorXi::Constant(1, y);
        const ClassCertificate certificate =
            certify(problem.vote, problem.x.transpose(), labels, settings)[0];
        expect_witness(problem, certificate, y);
        const bool is_leaving = certificate.answer == y;
        expect_between(problem, certificate, y, n_open);
        const ClassCertificate target =
            certify_targets(problem.vote, problem.x.transpose(), labels, settings)[0];
        EXPECT_EQ(target.upper, is_leaving ? 0.0 : -certificate.lower);
        EXPECT_EQ(target.lower, is_leaving ? 0.0 : -certificate.upper);
        ++n_checked;
    }
    return n_checked;
}

void check_rules(Norm norm, ClassScore score, std::uint64_t n_usual, int n_least) {
    int n_checked = 0;
    int n_open = 0;
    for (unsigned rules = 0; rules < kAllRules; ++rules) {
        for (std::uint64_t i = 0; i < n_seeds(n_usual); ++i) {
            const std::uint64_t seed = 3 * rules + i;
            SCOPED_TRACE(rules_text(rules) + " seed " + std::to_string(seed));
            const auto problem = make_class_problem(norm, rules, seed, score);
            if (problem) n_checked += check_all_labels(*problem, n_open);
        }
    }
    EXPECT_GE(n_checked, least_found(n_least));
    // On a grid cells may touch where no double is.
    EXPECT_LE(n_open, n_checked / 50);
}

TEST_P(ClassesInNorm, ValuesAgreeWithEnumeration) {
    check_rules(GetParam(), ClassScore::Value, 3, 300);
}

TEST_P(ClassesInNorm, VotesAgreeWithEnumeration) {
    check_rules(GetParam(), ClassScore::Votes, 1, 80);
}

INSTANTIATE_TEST_SUITE_P(Norms, ClassesInNorm, ::testing::Values(Norm::L1, Norm::L2, Norm::LInf));

TEST(ClassVote, TiesGoToTheFirstClass) {
    Matrix W(3, 1);
    W << 1.0, 1.0, -1.0;
    const ClassVote values(Ensemble(W, Vector::Zero(3)), {1, 1, 1}, ClassScore::Value);
    const ClassVote votes(Ensemble(W, Vector::Zero(3)), {1, 1, 1}, ClassScore::Votes);
    Matrix X(3, 1);
    X << -1.0, 0.0, 1.0;
    EXPECT_EQ(values.predict_all(X), (Eigen::Vector3i() << 2, 0, 0).finished());
    EXPECT_EQ(votes.predict_all(X), (Eigen::Vector3i() << 2, 0, 0).finished());
    EXPECT_EQ(votes.votes(X).row(1), (Eigen::RowVector3i() << 1, 1, 1).finished());
}

TEST(ClassVote, DifferencesDecideWhereRoundingMight) {
    // 0.1 + 0.2 > 0.3 in doubles, by one rounding: the values differ by less than theirs.
    Matrix W(2, 2);
    W << 0.1, 0.2, 0.3, 0.0;
    const ClassVote vote(Ensemble(W, Vector::Zero(2)), {1, 1}, ClassScore::Value);
    for (double scale : {1e-300, 1e-3, 1.0, 1e200}) {
        Matrix x(1, 2);
        x << scale, scale;
        const Hyperplane pair = vote.difference(0, 1);
        EXPECT_EQ(vote.predict(x.row(0).transpose()) == 0,
                  sign_of_plane(pair.w, pair.b, x.row(0).transpose()) > 0);
    }
}

TEST(ClassCertificates, PointsOfOtherClassesStay) {
    const auto problem = make_class_problem(Norm::L2, 0, 4, ClassScore::Votes);
    ASSERT_TRUE(problem);
    ClassCertifySettings settings;
    const int answer = problem->vote.predict(problem->x);
    settings.attack_model.attacking_class = (answer + 1) % 3;
    const Eigen::VectorXi right = Eigen::VectorXi::Constant(1, answer);
    EXPECT_EQ(certify(problem->vote, problem->x.transpose(), right, settings)[0].lower, HUGE_VAL);
    const Eigen::VectorXi wrong = Eigen::VectorXi::Constant(1, (answer + 2) % 3);
    EXPECT_EQ(certify(problem->vote, problem->x.transpose(), wrong, settings)[0].upper, -HUGE_VAL);
    settings.attack_model.attacking_class = answer;
    EXPECT_LT(certify(problem->vote, problem->x.transpose(), right, settings)[0].lower, HUGE_VAL);
}

TEST(ClassCertificates, LimitsLeaveTrueBrackets) {
    int n_cut = 0;
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        const auto problem = make_class_problem(Norm::L2, kScale, seed, ClassScore::Votes);
        if (!problem) continue;
        ClassCertifySettings full;
        full.attack_model = problem->model;
        ClassCertifySettings cut = full;
        cut.limits.max_nodes_per_point = 1;
        const Eigen::VectorXi y = Eigen::VectorXi::Constant(1, static_cast<int>(seed % 3));
        const auto exact = certify(problem->vote, problem->x.transpose(), y, full)[0];
        const auto bracket = certify(problem->vote, problem->x.transpose(), y, cut)[0];
        if (bracket.status == Status::Optimal) continue;
        ++n_cut;
        EXPECT_EQ(bracket.status, Status::NodeLimit);
        EXPECT_LE(bracket.lower, exact.upper);
        EXPECT_GE(bracket.upper, exact.lower);
    }
    EXPECT_GT(n_cut, 0);
}

template <typename Call>
std::string message_of(Call call) {
    try {
        call();
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "";
}

TEST(ClassCertificates, RefuseBadInput) {
    const ClassVote vote(Ensemble(Matrix(Matrix::Identity(3, 3)), Vector::Zero(3)), {1, 1, 1},
                         ClassScore::Votes);
    const Matrix X = Matrix::Zero(1, 3);
    const Eigen::VectorXi y = Eigen::VectorXi::Zero(1);
    ClassCertifySettings settings;
    EXPECT_EQ(message_of([&] { certify(vote, X, Eigen::VectorXi::Constant(1, 3)); }),
              "y: expected classes 0 to 2, got 3");
    EXPECT_EQ(message_of([&] { certify_targets(vote, X, Eigen::VectorXi::Constant(1, -1)); }),
              "target: expected classes 0 to 2, got -1");
    EXPECT_EQ(message_of([&] { certify(vote, Matrix::Zero(1, 2), y); }),
              "X: expected 3 features, got 2");
    settings.solver = Solver::Mip;
    EXPECT_EQ(message_of([&] { certify(vote, X, y, settings); }),
              "solver: expected native for several classes, got mip");
    settings = {};
    settings.attack_model = AttackModel::ball(Norm::L0);
    EXPECT_EQ(message_of([&] { certify(vote, X, y, settings); }),
              "attack_model.norm: expected l1, l2 or linf for several classes, got l0");
    const Ensemble planes(Matrix(Matrix::Identity(3, 3)), Vector::Zero(3));
    EXPECT_EQ(message_of([&] { ClassVote(planes, {3}, ClassScore::Votes); }),
              "counts: expected at least 2 classes, got 1");
    EXPECT_EQ(message_of([&] {
                  ClassVote(planes.with_quota(2.0), {1, 1, 1}, ClassScore::Votes);
              }),
              "planes: expected no quota with several classes, got 2");
    EXPECT_EQ(message_of([&] {
                  ClassVote({planes, planes.with_quota(1.0)}, ClassScore::Votes);
              }),
              "classes: expected votes without a quota, got 1");
    EXPECT_EQ(message_of([&] {
                  ClassVote(planes, {1, 1}, ClassScore::Votes);
              }),
              "counts: expected numbers that add up to the 3 planes, got 2");
    EXPECT_EQ(message_of([&] {
                  ClassVote(planes, {1, 2}, ClassScore::Value);
              }),
              "counts: expected one plane per class where values are compared, got 2");
}

}  // namespace
}  // namespace redoubt::testing
