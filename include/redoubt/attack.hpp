#pragma once

/// The worst an adversary can do to a point within a ball: three adversaries, from exact to cheap.
///
/// For a point x with label y and planes i = 1..k, with margins m_i = y (w_i'x + b_i) and a_i = -y
/// w_i:
///
///   Exact      most planes fooled over ||d||_p <= r, then least ||d||_p
///   Relaxed    max over ||d||_p <= r of  sum_i [1 - m_i + a_i'd]_+
///   Heuristic  one step of length r along -y g, g = sum_i beta_i w_i, beta_i = [1 + m_i]_+ / sum
///
/// In a weighted vote each plane counts with its weight: the most weight fooled (Exact), alpha_i
/// [..]_+ (Relaxed), beta_i = alpha_i [1 + m_i]_+ / sum (Heuristic).
///
/// A plane is fooled at x + d if its answer there is not y. With an attack model (attack_model.hpp)
/// the ball is replaced by the moves of size <= r, and the heuristic goes as far along -y g as the
/// model allows.

#include "redoubt/attack_model.hpp"
#include "redoubt/ensemble.hpp"
#include "redoubt/norm.hpp"
#include "redoubt/solver.hpp"
#include "redoubt/status.hpp"
#include "redoubt/types.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace redoubt {

enum class Adversary { Exact, Relaxed, Heuristic };

/// "exact", "relaxed" or "heuristic".
std::string_view to_string(Adversary adversary) noexcept;
Adversary parse_adversary(std::string_view name);

enum class HeuristicRule {
    Corrected,  ///< as above
    /// As in the source paper's code: without the factor -y, and in l2 with a step of length 1
    /// whatever r.
    Published,
};

/// "corrected" or "published".
std::string_view to_string(HeuristicRule rule) noexcept;
HeuristicRule parse_heuristic_rule(std::string_view name);

struct AttackSettings {
    /// In the space of the planes' features; the default is the l2 ball. The published rule works
    /// with balls only. Points of a class that does not attack do not move.
    AttackModel attack_model{};
    /// Features that do not move, row by row, whatever their values: for example entries that are
    /// missing in the data. Empty = none, else one list per row of X.
    RowFeatures frozen{};
    Adversary adversary = Adversary::Exact;
    HeuristicRule rule = HeuristicRule::Corrected;
    /// Used by Exact and Relaxed; the heuristic solves nothing.
    Solver solver = Solver::Native;
    SearchLimits limits{};
    int n_threads = 1;
    Progress progress{};

    void check() const;
};

struct Attack {
    Status status = Status::NumericalFailure;
    /// ||d||_p <= r as evaluated in floating point and rounded to nearest; only the heuristic's
    /// published rule may exceed it, and moves under an attack model may by 1e-12 of r. For a
    /// compressed point it holds only the steps of `features`.
    Vector d{};
    /// Ascending. Empty if d covers all features, or if a compressed point does not move.
    std::vector<Index> features{};
    /// Planes fooled at x + d (rounded to doubles), recomputed with the code of `predict`.
    std::vector<int> fooled{};
    /// True if the answer at x + d is not y.
    bool success = false;
    /// The adversary's objective at d, and a proven upper bound on its value for every d in the
    /// ball: planes fooled (Exact, Heuristic) or the sum of hinges (Relaxed); in a weighted vote
    /// the weight of the planes fooled. The heuristic proves no bound: infinity.
    double objective = 0.0;
    double bound = 0.0;
    std::int64_t n_nodes = 0;
    double solve_seconds = 0.0;
};

/// Attacks every row of X. `radii` holds r >= 0: one for all points or one per point. Throws
/// InvalidInput if sizes do not match, a number is not finite, a label is not -1 or +1, there are
/// more than kMaxEnumeratedPlanes planes to enumerate, HiGHS is requested but absent, HiGHS is
/// requested for the exact attack on a vote whose weights add up to more than 10000 units, or the
/// attack model is inconsistent or does not allow a point of X.
std::vector<Attack> attack(const Ensemble& ensemble, const PointsRef& X, const VectorRef& y,
                           const VectorRef& radii, const AttackSettings& settings = {});

}  // namespace redoubt
