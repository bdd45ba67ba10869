#pragma once

/// Certificates of one vote under one adversary, prepared once for many calls.

#include "redoubt/certificate.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace redoubt {

/// What `certify` derives from a vote and an attack model before it looks at the first point, and
/// the memory of searches that ended. Gives the same bits as `certify`, from any thread.
class Certifier {
public:
    /// Both must outlive this. Throws InvalidInput if the attack model is inconsistent.
    Certifier(const Ensemble& ensemble, const AttackModel& attack_model);
    ~Certifier();
    Certifier(const Certifier&) = delete;
    Certifier& operator=(const Certifier&) = delete;

    const Ensemble& ensemble() const;
    const AttackModel& attack_model() const;

    /// As the function `certify`; the settings' own attack model is not looked at.
    std::vector<Certificate> certify(const PointsRef& X, const VectorRef& y,
                                     const CertifySettings& settings = {}) const;

    /// The answer at x, and the certificate of a point with this label, by the native search. It
    /// does the least that gives one point; throws as `certify` does.
    std::pair<int, Certificate> certify_answer(const VectorRef& x,
                                               const SearchLimits& limits = {}) const;

private:
    class Prepared;
    friend std::vector<Certificate> certify(const Ensemble& ensemble, const PointsRef& X,
                                            const VectorRef& y, const CertifySettings& settings);

    std::vector<Certificate> certify_checked(const PointsRef& X, const VectorRef& y,
                                             const CertifySettings& settings) const;

    std::unique_ptr<const Prepared> prepared_;
};

}  // namespace redoubt
