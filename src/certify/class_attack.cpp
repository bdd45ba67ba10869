#include "redoubt/class_attack.hpp"

#include <string>
#include <utility>

#include "core/check.hpp"
#include "flip/row_patterns.hpp"
#include "redoubt/class_certificate.hpp"

namespace redoubt {

namespace {

void check_input(const PointsRef& X, const VectorRef& radii, const AttackSettings& settings) {
    settings.check();
    if (settings.adversary != Adversary::Exact) {
        throw InvalidInput("adversary", "exact for several classes",
                           std::string(to_string(settings.adversary)));
    }
    if (radii.size() != 1) check_length("radii", radii.size(), X.rows());
    check_non_negative("radii", radii);
}

ClassCertifySettings searches_of(const AttackSettings& settings) {
    ClassCertifySettings searches;
    searches.attack_model = settings.attack_model;
    searches.frozen = settings.frozen;
    searches.solver = settings.solver;
    searches.limits = settings.limits;
    searches.n_threads = settings.n_threads;
    searches.progress = settings.progress;
    return searches;
}

/// Of a point with the label y: its certificate says whether the move to its witness is allowed.
ClassAttack attack_of(const PointRef& x, int y, double radius, const AttackModel& rules,
                      ClassCertificate&& found) {
    ClassAttack result;
    result.status = found.status;
    result.answer = result.moved_answer = found.answer;
    result.n_nodes = found.n_nodes;
    result.solve_seconds = found.solve_seconds;
    const bool is_right = found.answer == y;
    const bool is_known =
        is_right && found.witness.size() > 0 && found.moved_answer >= 0 && found.moved_answer != y;
    if (is_known) {
        Vector step = found.witness;
        if (!found.witness_features.empty()) {
            step = Vector::Zero(x.size());
            step(found.witness_features) = found.witness;
        }
        if (rules.move_size(x.to_dense(), step) <= radius) {
            result.d = std::move(found.witness);
            result.features = std::move(found.witness_features);
            result.moved_answer = found.moved_answer;
        }
    }
    if (result.d.size() == 0 && !x.is_sparse()) result.d = Vector::Zero(x.size());
    result.success = result.moved_answer != y;
    if (result.success) result.fooled = {result.moved_answer};
    result.objective = result.success ? 1.0 : 0.0;
    result.bound = !is_right || found.lower <= radius ? 1.0 : 0.0;
    // Whether a wrong answer could be made right is nobody's question here.
    if (!is_right) result.status = Status::Optimal;
    return result;
}

}  // namespace

std::vector<ClassAttack> attack(const ClassVote& vote, const PointsRef& X, const Eigen::VectorXi& y,
                                const VectorRef& radii, const AttackSettings& settings) {
    check_input(X, radii, settings);
    check_length("y", y.size(), X.rows());
    if (X.cols() != vote.n_features()) {
        throw InvalidInput("X", std::to_string(vote.n_features()) + " features",
                           std::to_string(X.cols()));
    }
    for (Index j = 0; j < y.size(); ++j) {
        check_value(y[j] >= 0 && y[j] < vote.n_classes(), "y",
                    "classes 0 to " + std::to_string(vote.n_classes() - 1), y[j]);
    }
    const Eigen::VectorXi answers = vote.predict_all(X, settings.n_threads);
    std::vector<Index> right;
    for (Index j = 0; j < y.size(); ++j) {
        if (answers[j] == y[j]) right.push_back(j);
    }
    ClassCertifySettings searches = searches_of(settings);
    if (!searches.frozen.empty()) {
        check_frozen(searches.frozen, X.rows(), X.cols());
        RowFeatures own;
        for (Index j : right) own.push_back(searches.frozen[static_cast<std::size_t>(j)]);
        searches.frozen = std::move(own);
    }
    std::vector<ClassCertificate> found =
        certify(vote, PointSet(X, right), Eigen::VectorXi(y(right)), searches);
    std::vector<ClassAttack> results;
    std::size_t next = 0;
    for (Index j = 0; j < X.rows(); ++j) {
        ClassCertificate certificate;
        certificate.status = Status::Optimal;
        certificate.answer = answers[j];
        if (answers[j] == y[j]) certificate = std::move(found[next++]);
        results.push_back(attack_of(X.row(j), y[j], radii.size() == 1 ? radii[0] : radii[j],
                                    settings.attack_model, std::move(certificate)));
    }
    return results;
}

}  // namespace redoubt
