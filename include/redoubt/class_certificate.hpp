#pragma once

/// Certificates of a classifier of several classes (class_vote.hpp), as exact as those of two
/// classes (certificate.hpp), and least moves to a given class.
///
/// The signed radius R of a point x with label y is the least ||d||_p that makes the answer at x + d
/// differ from y, which some rival class does; for a point that is wrong to begin with, minus the
/// least ||d||_p after which y beats all its rivals.

#include "redoubt/certificate.hpp"
#include "redoubt/class_vote.hpp"

#include <optional>
#include <vector>

namespace redoubt {

struct ClassCertifySettings : CertifySettings {
    /// Only points with this label move; AttackModel::attacking_class, which is about two classes,
    /// is not for these.
    std::optional<int> attacking{};
    /// Where votes of all classes count against each other at once, as for wrong answers, the
    /// search for one point gives up after this many nodes and leaves a bracket that holds.
    std::int64_t max_joint_nodes = 20000;

    /// Throws InvalidInput naming the field: `solver` must be native, and there are no proofs and no
    /// counted changes (l0).
    void check() const;
};

/// `fooled` is empty.
struct ClassCertificate : Certificate {
    int answer = 0;  ///< at x
    /// The answer at the witness; -1 when none is known.
    int moved_answer = -1;
};

/// The certificate of every row of X (m x n) for its label in y (length m, class numbers). Throws
/// InvalidInput when sizes do not fit, a number is not finite, a label is no class, or the attack
/// model makes no sense or does not allow a point of X that moves.
std::vector<ClassCertificate> certify(const ClassVote& vote, const PointsRef& X,
                                      const Eigen::VectorXi& y,
                                      const ClassCertifySettings& settings = {});

/// The radius of the prediction: every point is taken as correct.
std::vector<ClassCertificate> certify(const ClassVote& vote, const PointsRef& X,
                                      const ClassCertifySettings& settings = {});

/// The least move after which the answer is `target` (length m, class numbers): R >= 0, and 0 where
/// it is so already.
std::vector<ClassCertificate> certify_targets(const ClassVote& vote, const PointsRef& X,
                                              const Eigen::VectorXi& target,
                                              const ClassCertifySettings& settings = {});

}  // namespace redoubt
