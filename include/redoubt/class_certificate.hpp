#pragma once

/// Certificates of a classifier of several classes (class_vote.hpp), as exact as those of two
/// classes (certificate.hpp), and smallest moves to a given class.
///
/// The signed radius R of a point x with label y is the least ||d||_p after which some rival beats
/// y; for a point that is wrong to begin with, minus the least ||d||_p after which y beats all its
/// rivals.

#include "redoubt/certificate.hpp"
#include "redoubt/class_vote.hpp"

#include <vector>

namespace redoubt {

struct ClassCertifySettings : CertifySettings {
    /// Limits the search for a wrong answer of votes, which sets all rivals against each other at
    /// once: after this many nodes for one point, it stops with a bracket that is wide but valid.
    std::int64_t max_joint_nodes = 20000;

    /// Throws InvalidInput naming the field. `solver` must be native; Norm::L0 is for two classes.
    void check() const;
};

/// Why a certificate of several classes holds (proof_file.hpp). Planes are those of the class vote;
/// by value, plane k stands for the difference with class k.
struct ClassProof {
    /// For a wrong answer: the label does not beat all of these at once. Empty = all other classes.
    std::vector<int> rivals{};
    /// For a right answer by votes one tree per rival, ascending; else one.
    std::vector<ProofNode> trees{};
};

/// `fooled` is always empty, and `proof` absent.
struct ClassCertificate : Certificate {
    int answer = 0;  ///< at x
    /// The answer at the witness; -1 if none is known.
    int moved_answer = -1;
    /// As Certificate::proof.
    std::optional<ClassProof> class_proof{};
};

/// The certificate of every row of X (m x n) for its label in y (length m, class numbers). Throws
/// InvalidInput if sizes do not match, a number is not finite, a label is not a class, or the
/// attack model is inconsistent or does not allow a point of X that moves.
std::vector<ClassCertificate> certify(const ClassVote& vote, const PointsRef& X,
                                      const Eigen::VectorXi& y,
                                      const ClassCertifySettings& settings = {});

/// The radius of the prediction: every point is taken to be right.
std::vector<ClassCertificate> certify(const ClassVote& vote, const PointsRef& X,
                                      const ClassCertifySettings& settings = {});

/// The smallest move after which the answer is `target` (length m, class numbers): R >= 0, and 0
/// where that is the answer already. The answers count as labels: if only one class attacks, points
/// with another answer do not move.
std::vector<ClassCertificate> certify_targets(const ClassVote& vote, const PointsRef& X,
                                              const Eigen::VectorXi& target,
                                              const ClassCertifySettings& settings = {});

}  // namespace redoubt
