#pragma once

/// How far a point can move before the answer changes: exactly, with a witness and a proven
/// bracket.
///
/// The signed radius R of a point x with label y under a vote (ensemble.hpp) is the least ||d||_p
/// that makes the answer at x + d differ from y; for a point that is wrong to begin with, minus the
/// least ||d||_p that makes it right. Where the least is not attained (towards -1 the inequalities
/// are strict) R is the infimum. R = +-infinity when no d does it.
///
/// With an attack model (attack_model.hpp) d is one of its moves and ||d||_p their size.

#include "redoubt/attack_model.hpp"
#include "redoubt/ensemble.hpp"
#include "redoubt/norm.hpp"
#include "redoubt/proof.hpp"
#include "redoubt/solver.hpp"
#include "redoubt/status.hpp"
#include "redoubt/types.hpp"

#include <optional>
#include <vector>

namespace redoubt {

struct CertifySettings {
    /// In the space of the planes' features; the default is the l2 ball. Points that it moves must
    /// lie within its ranges, have integers where it says so and one member of each group on.
    AttackModel attack_model{};
    /// Features that do not move, row by row, whatever values they have there: entries that are
    /// missing in the data, say. Empty = none, else one list per row of X.
    RowFeatures frozen{};
    Solver solver = Solver::Native;
    /// Witnesses are wanted. In a ball, brackets alone take time and memory that do not grow with
    /// the features (l2) or only with those that matter (l1); `upper` is then the size of a move
    /// that need not be one of doubles.
    bool wants_witness = true;
    SearchLimits limits{};
    int n_threads = 1;  ///< 0 = every core; the result does not depend on it
    /// Record why the bracket's proven end holds, see Certificate::proof.
    bool proofs = false;
    Progress progress{};

    /// Throws InvalidInput naming the field.
    void check() const;
};

/// lower <= R <= upper holds in exact arithmetic with Solver::Native, whatever the status. The
/// others solve to their own tolerances (about 1e-6) and are second opinions.
struct Certificate {
    Status status = Status::NumericalFailure;
    /// The best estimate of R: the end of the bracket that has a witness; where there is none,
    /// infinite if no flip is possible and otherwise the other end.
    double radius = 0.0;
    double lower = 0.0;
    double upper = 0.0;
    /// The perturbation d of the witness: `predict` at x + d (rounded to doubles) differs from
    /// `predict` at x, and ||d|| is |upper| for a correct point, |lower| for a wrong one. Empty
    /// when none is known or wanted. Of a compressed point it holds the steps of `witness_features`
    /// alone.
    Vector witness{};
    /// Ascending; empty where the witness holds all features.
    std::vector<Index> witness_features{};
    /// Planes whose answer at the witness is the one that was wanted, ascending.
    std::vector<int> fooled{};
    std::int64_t n_nodes = 0;
    double solve_seconds = 0.0;
    /// That no move smaller than `lower` (for a wrong point, than -`upper`) changes the answer. Of
    /// native searches that were asked for it; none where a search of so many boxes was needed that
    /// its proof would be too long for any use.
    std::optional<ProofNode> proof{};
};

/// The certificate of every row of X (m x n) for its label in y (length m, -1 or +1).
/// With the native search the relative width of the bracket is about 1e-11 on ordinary data.
/// Throws InvalidInput when sizes do not fit, a number is not finite, a label is not -1 or +1,
/// there are more than kMaxEnumeratedPlanes planes to enumerate, HiGHS is asked for and absent or
/// asked about weights that sum up to more than 10000 units (ensemble.hpp), proofs are asked for of
/// a vote with a quota, or
/// the attack model makes no sense or does not allow a point of X.
std::vector<Certificate> certify(const Ensemble& ensemble, const PointsRef& X, const VectorRef& y,
                                 const CertifySettings& settings = {});

/// The radius of the prediction: every point is taken as correct.
std::vector<Certificate> certify(const Ensemble& ensemble, const PointsRef& X,
                                 const CertifySettings& settings = {});

/// Signed radii of the rows of X under one plane:  R = y (w'x + b) / ||w||_q  in closed form, as
/// computed in floating point. With w = 0 the answer never changes: R = +-infinity.
/// Throws InvalidInput when sizes do not fit, a number is not finite or a label is not -1 or +1.
Vector plane_radii(const Hyperplane& plane, const PointsRef& X, const VectorRef& y, Norm norm);

}  // namespace redoubt
