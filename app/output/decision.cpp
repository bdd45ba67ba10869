#include "output/decision.hpp"

#include <utility>

#include "redoubt/error.hpp"

namespace redoubt::app {

Vector Decision::predict_all(const PointsRef& scaled, int n_threads) const {
    if (classes_ != nullptr) return classes_->predict_all(scaled, n_threads).cast<double>();
    return ensemble_.predict_all(scaled, n_threads).cast<double>();
}

std::vector<ClassCertificate> Decision::certify(const PointsRef& scaled,
                                                const std::optional<Vector>& y,
                                                const CertifySettings& settings) const {
    if (classes_ != nullptr) {
        const ClassCertifySettings own{settings};
        if (!y) return redoubt::certify(*classes_, scaled, own);
        return redoubt::certify(*classes_, scaled, Eigen::VectorXi(y->cast<int>()), own);
    }
    std::vector<ClassCertificate> results;
    const Eigen::VectorXi answers = ensemble_.predict_all(scaled, settings.n_threads);
    std::vector<Certificate> found = y ? redoubt::certify(ensemble_, scaled, *y, settings)
                                       : redoubt::certify(ensemble_, scaled, settings);
    for (std::size_t j = 0; j < found.size(); ++j) {
        ClassCertificate& result = results.emplace_back();
        static_cast<Certificate&>(result) = std::move(found[j]);
        result.answer = answers[static_cast<Index>(j)];
        result.moved_answer = -result.answer;
    }
    return results;
}

std::vector<ClassAttack> Decision::attack(const PointsRef& scaled, const Vector& y,
                                          const Vector& radii,
                                          const AttackSettings& settings) const {
    if (classes_ != nullptr)
        return redoubt::attack(*classes_, scaled, Eigen::VectorXi(y.cast<int>()), radii, settings);
    std::vector<ClassAttack> results;
    for (Attack& found : redoubt::attack(ensemble_, scaled, y, radii, settings)) {
        ClassAttack& result = results.emplace_back();
        static_cast<Attack&>(result) = std::move(found);
        const int label = y[std::ssize(results) - 1] > 0.0 ? 1 : -1;
        result.moved_answer = result.success ? -label : label;
    }
    return results;
}

void check_two_classes(const Model& model, const std::string& what) {
    if (!model.class_vote()) return;
    throw InvalidInput("MODEL", "two classes for " + what, std::to_string(model.classes().size()));
}

}  // namespace redoubt::app
