#pragma once

/// The planes of a model and how they answer: a vote of two classes, or of more.

#include <optional>
#include <vector>

#include "redoubt/class_attack.hpp"
#include "redoubt/class_certificate.hpp"
#include "redoubt/model.hpp"

namespace redoubt::app {

class Decision {
public:
    /// Must not outlive its parts.
    Decision(const Ensemble& ensemble, const std::optional<ClassVote>& classes)
        : ensemble_(ensemble), classes_(classes ? &*classes : nullptr) {}
    explicit Decision(const Model& model) : Decision(model.ensemble(), model.class_vote()) {}

    std::size_t n_classes() const {
        return classes_ == nullptr ? 2 : static_cast<std::size_t>(classes_->n_classes());
    }

    /// Labels as in Dataset, for scaled features.
    Vector predict_all(const PointsRef& scaled, int n_threads) const;
    /// Without labels the answers count as right.
    std::vector<ClassCertificate> certify(const PointsRef& scaled, const std::optional<Vector>& y,
                                          const CertifySettings& settings) const;
    /// Of two classes `fooled` holds planes.
    std::vector<ClassAttack> attack(const PointsRef& scaled, const Vector& y, const Vector& radii,
                                    const AttackSettings& settings) const;

private:
    const Ensemble& ensemble_;
    const ClassVote* classes_;
};

/// Throws InvalidInput, naming the command, for a model of more than two classes.
void check_two_classes(const Model& model, const std::string& what);

}  // namespace redoubt::app
