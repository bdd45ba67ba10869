#pragma once

/// Branch and bound for the relaxed adversary, L2 and LInf.
///
///     maximise  f(d) = c0 + u0'd + sum_i [c_i + a_i'd]_+   over  ||d||_p <= r
///
/// A convex function has its maximum on the boundary, and f(d) = max over v in {0,1}^k of
/// c0 + c'v + (u0 + A'v)'d, so the maximum is that of r ||u0 + A'v||_q + c0 + c'v.
///
/// A node has decided some v_i and knows an interval [lo_i, hi_i] of a_i'd for the others. There
/// the hinge lies below its chord  lambda_i (a_i'd - lo_i),  lambda_i = (c_i + hi_i) / (hi_i -
/// lo_i), so the node reaches at most  r ||u||_q + const  with  u = u0 + A'lambda:  the best
/// separable affine bound while d(u) = steepest step along u respects the intervals. Three things
/// follow:
///   - f(d(u)) is a value really attained: the incumbent;
///   - a better d must lie in the cap  u'd + const > incumbent:  narrower intervals, decided v_i;
///   - the bound is off by the sum of (chord - hinge) at d(u): branch on the largest one.

#include <cstdint>
#include <vector>

#include "attack/quadratic_bound.hpp"
#include "attack/relaxed_planes.hpp"
#include "search/limits.hpp"

namespace redoubt {

/// The planes of one point whose hinges are positive for some but not all d in the ball, and the
/// sum of those whose hinges are always positive.
struct RelaxedTerms {
    double radius = 0.0;  ///< r * unit
    double sign = 1.0;    ///< a_i = sign * w_i / unit
    std::vector<int> planes{};
    Vector c{};
    double c0 = 0.0;
    std::vector<int> certain{};  ///< the planes behind u0 and c0
    double scale = 0.0;          ///< sum of the sizes of all terms, the scale of rounding errors
    double slack = 0.0;          ///< bounds the rounding error of any value or bound below
};

struct RelaxedOptimum {
    Status status = Status::Optimal;
    std::vector<char> v{};  ///< by position in `planes`
    double value = 0.0;
    double bound = 0.0;  ///< without `slack`
    std::int64_t n_nodes = 0;
};

/// When trying everything is cheaper than bounding. Tests switch both off to see the search alone.
struct RelaxedTuning {
    /// Up to this many free planes, all 2^k choices of a node are tried.
    std::size_t enumerated_planes = 8;
    /// LInf: up to this many features, all vertices of the box are tried instead of searching: at
    /// most 1,024, a few microseconds. At most 20.
    Index box_features = 10;
};

/// Reuses its memory from point to point. One per thread.
class RelaxedSearch {
public:
    explicit RelaxedSearch(const RelaxedPlanes& planes, const RelaxedTuning& tuning = {})
        : planes_(planes), tuning_(tuning) {}

    const RelaxedOptimum& solve(const RelaxedTerms& terms, const PointLimits& limits);

private:
    struct Node {
        std::vector<int> free{};
        std::vector<char> v{};  ///< decided values; 0 while free
        std::vector<double> lo{}, hi{};
        /// LInf: u0 + sum of decided rows. L2: its inner products with all rows.
        Vector fixed{};
        Vector guess{};             ///< where the quadratic bound left off
        double fixed_square = 0.0;  ///< L2: square of its length
        double fixed_size = 0.0;    ///< L2: sum of the lengths of its rows
        double constant = 0.0;
        double bound = 0.0;
    };

    void load_rows();
    void open_root();
    void visit(std::size_t depth);
    /// False if the node is finished: pruned, or a leaf.
    bool reduce(Node& node);
    void branch(std::size_t depth);
    /// Tries every v of the node, if few planes are free.
    void enumerate(Node& node);
    void decide(Node& node, std::size_t position, bool value);

    // The norm's part: relaxed_bounds.cpp.
    void evaluate(const Node& node);
    void evaluate_l2(const Node& node);
    void evaluate_linf(const Node& node);
    /// Narrows the intervals to the d that can beat the incumbent.
    void narrow(Node& node);
    void narrow_l2(Node& node);
    void narrow_linf(Node& node);
    /// The second bound, for a node that the first leaves open. True if it decided planes.
    bool reduce_quadratic(Node& node);
    void prepare_quadratic();

    /// r ||u0 + A'v||_q + c0 + c'v, from the rows themselves; leaves u0 + A'v in `sum_`.
    double value_of(const std::vector<char>& v);
    void offer(const std::vector<char>& v);
    void offer_step(const Node& node);

    const RelaxedPlanes& planes_;
    RelaxedTuning tuning_;
    const RelaxedTerms* terms_ = nullptr;
    const PointLimits* limits_ = nullptr;
    RelaxedOptimum best_{};
    double tolerance_ = 0.0;
    double gram_error_ = 0.0;  ///< roundings in a square of the Gram matrix
    bool stopped_ = false;

    Matrix rows_{};   ///< a_i
    Matrix gram_{};   ///< L2: a_i'a_j. LInf: a_i' diag(1 / theta) a_j, once it is needed
    Vector theta_{};  ///< LInf: ||u||_1 <= sqrt(sum theta) sqrt(sum u_l^2 / theta_l)
    QuadraticBound quadratic_{};
    bool has_quadratic_ = false;
    Vector products_{}, weighted_{};
    Vector u0_{};
    std::vector<double> size_{};
    std::vector<Node> nodes_{};

    // The relaxation of the node looked at.
    Vector lambda_{};
    Vector u_{};               ///< LInf
    Vector direction_{};       ///< LInf: d(u) / r
    std::vector<int> open_{};  ///< LInf: coordinates whose sign is not settled
    Vector cost_{}, gain_{};
    Vector step_{};  ///< a_i'd(u)
    double norm_ = 0.0;
    double norm_error_ = 0.0;  ///< L2: relative
    double constant_ = 0.0;
    double bound_ = 0.0;
    // Of the choice on offer. Kept apart: an offer comes while the relaxation is still in use.
    Vector sum_{};
    std::vector<char> candidate_{};
    std::vector<char> trial_{};
};

}  // namespace redoubt
