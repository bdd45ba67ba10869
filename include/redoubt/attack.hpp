#pragma once

/// The worst that an adversary can do to a point within a ball: three adversaries, from exact to
/// cheap.
///
/// For a point x with label y and planes i = 1..k, with margins m_i = y (w_i'x + b_i) and a_i = -y
/// w_i:
///
///   Exact      most planes fooled over ||d||_p <= r, then least ||d||_p
///   Relaxed    max over ||d||_p <= r of  sum_i [1 - m_i + a_i'd]_+
///   Heuristic  one step of length r along -y g, g = sum_i beta_i w_i, beta_i = [1 + m_i]_+ / sum
///
/// In a weighted vote planes count by their weights: the most weight fooled (Exact), alpha_i [..]_+
/// (Relaxed), beta_i = alpha_i [1 + m_i]_+ / sum (Heuristic).
///
/// A plane is fooled at x + d when its answer there is not y. With an attack model
/// (attack_model.hpp) the moves of size <= r take the place of the ball, and "length r" means as
/// far along -y g as they go.

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
    /// As in the source paper's code: no factor -y, and for l2 a step of length 1 whatever r.
    Published,
};

/// "corrected" or "published".
std::string_view to_string(HeuristicRule rule) noexcept;
HeuristicRule parse_heuristic_rule(std::string_view name);

struct AttackSettings {
    /// In the space of the planes' features; the default is the l2 ball. The published rule is for
    /// balls only. Points of a class that does not attack stay where they are.
    AttackModel attack_model{};
    /// Features that do not move, row by row, whatever values they have there: entries that are
    /// missing in the data, say. Empty = none, else one list per row of X.
    RowFeatures frozen{};
    Adversary adversary = Adversary::Exact;
    HeuristicRule rule = HeuristicRule::Corrected;
    /// For Exact and Relaxed; the heuristic has nothing to solve.
    Solver solver = Solver::Native;
    SearchLimits limits{};
    int n_threads = 1;
    Progress progress{};

    void check() const;
};

struct Attack {
    Status status = Status::NumericalFailure;
    /// ||d||_p <= r as evaluated in floating point and rounded to nearest; only the heuristic's
    /// published rule may exceed it, and the moves of an attack model by 1e-12 of r.
    /// Of a compressed point it holds the steps of `features` alone.
    Vector d{};
    /// Ascending; empty where d holds all features, or where a compressed point stays.
    std::vector<Index> features{};
    /// Planes fooled at x + d (rounded to doubles), recomputed with the code of `predict`.
    std::vector<int> fooled{};
    /// The answer at x + d is not y.
    bool success = false;
    /// The adversary's objective at d, and a proven upper bound on what any d in the ball reaches:
    /// planes fooled (Exact, Heuristic) or the sum of hinges (Relaxed). In a weighted vote: the
    /// weight of the planes fooled. The heuristic has no bound: infinity.
    double objective = 0.0;
    double bound = 0.0;
    std::int64_t n_nodes = 0;
    double solve_seconds = 0.0;
};

/// Attacks every row of X. `radii` holds r >= 0: one for all points or one per point.
/// Throws InvalidInput when sizes do not fit, a number is not finite, a label is not -1 or +1,
/// there are more than kMaxEnumeratedPlanes planes to enumerate, HiGHS is asked for and absent or
/// asked for the exact attack on a vote whose weights sum up to more than 10000 units, or
/// the attack model makes no sense or does not allow a point of X.
std::vector<Attack> attack(const Ensemble& ensemble, const PointsRef& X, const VectorRef& y,
                           const VectorRef& radii, const AttackSettings& settings = {});

}  // namespace redoubt
