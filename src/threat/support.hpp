#pragma once

/// The support function of an attack model's set of moves:
///
///     h_r(g) = max { g'd : d is a move of size at most r from x }
///
/// It generalises r ||g||_q, its value for a plain ball. Exact up to rounding for every model,
/// including integers and one-hot groups. The maximiser d(g) is a gradient of h_r.

#include <vector>

#include "threat/move_space.hpp"

namespace redoubt {

/// Values of the support function have this accuracy, relative to the sizes of its terms.
inline constexpr double kSupportError = 1e-11;

/// max c'u over ||u||_p <= radius and lo <= u <= hi, with lo <= 0 <= hi: closed form (linf), greedy
/// (l1) or a few rounds of clipping (l2). Ties are resolved as by steepest_step, except that a zero
/// component never moves; in l1 the first of the largest components comes first.
class BoxSupport {
public:
    /// The result stays valid until the next call.
    const Vector& maximise(Norm norm, const Vector& c, const Vector& lo, const Vector& hi,
                           double radius);

private:
    void maximise_l1(double radius);
    void maximise_l2(double radius);

    const Vector* c_ = nullptr;
    const Vector* lo_ = nullptr;
    const Vector* hi_ = nullptr;
    Vector u_;
    std::vector<int> order_;
    std::vector<char> is_clipped_;
};

/// Reuses its memory from call to call. One per thread.
class Support {
public:
    /// The space must outlive this.
    explicit Support(const MoveSpace& space) : space_(space), moves_(space) {}

    /// The point whose moves are considered; it must pass AttackModel::check_point.
    void load(const VectorRef& x) { moves_.load(x); }
    const PointMoves& moves() const { return moves_; }

    /// In l0 this is a knapsack of changes, exact up to rounding.
    /// The maximiser d for g and a radius >= 0, which may be infinite only if the box is bounded.
    /// The model allows x + d, rounded; its size is at most the radius up to rounding.
    Vector maximise(const VectorRef& g, double radius);

    /// h_r(g) = g'd for this d.
    double value(const VectorRef& g, double radius);

private:
    /// A switch that no other in its group beats: its value in the group's coordinate, and its
    /// cost, which is at least that.
    struct Option {
        double u;
        double size;
        std::size_t member;
    };

    Vector maximise_count(const VectorRef& g, double radius);
    void load_coordinates(const VectorRef& g);
    void load_group(std::size_t group, const VectorRef& g);
    void load_priced_group(std::size_t group, const VectorRef& g);
    double search(double fixed_value, double radius);
    void offer(double fixed_value, const Vector& u);
    void branch(Index coordinate, double inner, double fixed_value, double radius);
    double inwards(Index coordinate, double u) const;
    double next_outwards(Index coordinate, double u, double side) const;
    Vector to_move() const;

    const MoveSpace& space_;
    PointMoves moves_;
    BoxSupport box_;
    // Coordinates of the space, then one per group, from 0 to its price. (Of several prices: to
    // what the best switch is worth at the rate of the switch that gains most for its price.) A
    // coordinate that is fixed has an empty box here and its value in `fixed_`.
    Vector c_;
    Vector lo_;
    Vector hi_;
    Vector fixed_;
    std::vector<std::vector<Option>> options_;  ///< of each group, ascending
    std::vector<std::size_t> free_member_;  ///< of each group: the best member that costs nothing
    std::vector<Option> gains_;
    Vector best_;
    double best_value_ = 0.0;
    int n_left_ = 0;
};

}  // namespace redoubt
