#pragma once

/// How far a point can move before the answer changes: exactly, with a witness and a proven
/// bracket.
///
/// The signed radius R of a point x with label y under a vote (ensemble.hpp) is the least ||d||_p
/// for which the answer at x + d differs from y; for a point that is wrong to begin with, minus the
/// least ||d||_p that makes it right. If the least size is not attained (towards -1 the
/// inequalities are strict), R is the infimum. R = +-infinity if no d does it.
///
/// With an attack model (attack_model.hpp), d is one of its moves and ||d||_p is replaced by their
/// size.

#include "redoubt/attack_model.hpp"
#include "redoubt/ensemble.hpp"
#include "redoubt/norm.hpp"
#include "redoubt/proof.hpp"
#include "redoubt/solver.hpp"
#include "redoubt/status.hpp"
#include "redoubt/types.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace redoubt {

struct CertifySettings {
    /// In the space of the planes' features; the default is the l2 ball. Points that may move must
    /// lie within its ranges, have integers where required and exactly one member of each group on.
    AttackModel attack_model{};
    /// Features that do not move, row by row, whatever their values: for example entries that are
    /// missing in the data. Empty = none, else one list per row of X.
    RowFeatures frozen{};
    Solver solver = Solver::Native;
    /// Compute witnesses. In a ball, brackets alone take time and memory that do not grow with the
    /// number of features (l2) or only with those that matter (l1); `upper` is then the size of a
    /// move that need not consist of doubles.
    bool wants_witness = true;
    SearchLimits limits{};
    int n_threads = 1;  ///< 0 = every core; the result does not depend on it
    /// Record why the proven end of the bracket holds, see Certificate::proof.
    bool proofs = false;
    Progress progress{};

    /// Throws InvalidInput naming the field.
    void check() const;
};

/// lower <= R <= upper holds in exact arithmetic with Solver::Native, whatever the status. The
/// other solvers have tolerances of their own (about 1e-6) and serve as second opinions.
struct Certificate {
    Status status = Status::NumericalFailure;
    /// The best estimate of R: the end of the bracket that has a witness. Without a witness:
    /// infinite if no flip is possible, else the other end.
    double radius = 0.0;
    double lower = 0.0;
    double upper = 0.0;
    /// The perturbation d of the witness: `predict` at x + d (rounded to doubles) differs from
    /// `predict` at x, and ||d|| is |upper| for a correct point, |lower| for a wrong one. Empty if
    /// none is known or wanted. For a compressed point it holds only the steps of
    /// `witness_features`.
    Vector witness{};
    /// Ascending; empty if the witness covers all features.
    std::vector<Index> witness_features{};
    /// Planes that give the desired answer at the witness, ascending.
    std::vector<int> fooled{};
    std::int64_t n_nodes = 0;
    double solve_seconds = 0.0;
    /// Shows that no move smaller than `lower` (for a wrong point: -`upper`) changes the answer.
    /// Recorded by native searches on request.
    std::optional<ProofNode> proof{};
    /// One line, if a proof was wanted and there is none; it lives as long as the program.
    std::string_view why_no_proof{};
};

/// The certificate of every row of X (m x n) for its label in y (length m, -1 or +1). The native
/// search's brackets have a relative width of about 1e-11 on ordinary data. Throws InvalidInput if
/// sizes do not match, a number is not finite, a label is not -1 or +1, there are more than
/// kMaxEnumeratedPlanes planes to enumerate, HiGHS is requested but absent or the weights add up to
/// more than 10000 units (ensemble.hpp) for it, or the attack model is inconsistent or does not
/// allow a point of X.
std::vector<Certificate> certify(const Ensemble& ensemble, const PointsRef& X, const VectorRef& y,
                                 const CertifySettings& settings = {});

/// The radius of the prediction: every point is taken to be right.
std::vector<Certificate> certify(const Ensemble& ensemble, const PointsRef& X,
                                 const CertifySettings& settings = {});

/// Signed radii of the rows of X under one plane: R = y (w'x + b) / ||w||_q in closed form, as
/// evaluated in floating point. With w = 0 the answer never changes: R = +-infinity. Throws
/// InvalidInput if sizes do not match, a number is not finite or a label is not -1 or +1.
Vector plane_radii(const Hyperplane& plane, const PointsRef& X, const VectorRef& y, Norm norm);

}  // namespace redoubt
