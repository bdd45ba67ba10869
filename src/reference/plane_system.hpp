#pragma once

/// The moves of one point and the inequalities that they must satisfy to fool planes, in long
/// double, and the least step for a set of planes. Shares no code with the native search, which is
/// checked against it.

#include <optional>
#include <vector>

#include "redoubt/attack_model.hpp"
#include "redoubt/ensemble.hpp"
#include "reference/long_double.hpp"

namespace redoubt::reference {

/// ||(a, b)||_p for sizes >= 0.
Real join(Norm norm, Real a, Real b);

/// ||v||_q for the dual q of the norm.
Real dual_size(Norm norm, const RealVector& v);

/// A feature that moves continuously: by `unit` u, lo <= u <= hi, which counts |u|.
struct Coordinate {
    int feature = 0;
    Real unit = 1;
    Real lo = 0;
    Real hi = 0;
};

/// A part of the move that takes values from a list. Options are numbered from `first` to `last`,
/// which may be infinite; 0 means staying, and sizes do not fall with distance from it.
struct DiscretePart {
    /// An integer feature: the option is a number of steps. Null for a group.
    const IntegerFeature* integer = nullptr;
    double unit = 1.0;  ///< of the integer feature
    double first = 0.0;
    double last = 0.0;
    /// A one-hot group: option o > 0 switches from member `on` to members[o - 1].
    const OneHotGroup* group = nullptr;
    std::vector<int> members{};
    std::size_t on = 0;

    Real size(const Vector& x, int option) const;
    /// Writes the features' values, for a point that is at x elsewhere.
    void apply(const Vector& x, int option, Vector* moved) const;
};

/// What is searched for: options of the parts, and planes that a step fools after them.
struct PlaneChoice {
    std::vector<int> options{};
    std::vector<int> planes{};
};

struct LeastStep {
    Real length = 0;
    RealVector u{};  ///< of the coordinates, as the rows see them
};

/// Plane i answers differently from `label` after the step u if and only if a_i'u >= m_i (label -1)
/// or a_i'u > m_i (label +1: sgn(0) = +1).
class PlaneSystem {
public:
    /// The ensemble and the threat must outlive it; the threat must allow x.
    PlaneSystem(const Ensemble& ensemble, const AttackModel& threat, const VectorRef& x, int label);

    const Ensemble& ensemble;
    const AttackModel& threat;
    const Vector x;
    const int label;
    /// The inequalities are strict. Set for label +1; may be set for label -1, too, to leave out
    /// sets that are met only on a plane, where there may be no point of doubles.
    bool strict;

    std::vector<Coordinate> coordinates{};
    std::vector<DiscretePart> parts{};
    RealMatrix a{};      ///< rows scaled by powers of two to size 1
    RealVector scale{};  ///< those powers of two
    RealVector size{};   ///< ||a_i||_q; 0 where no coordinate moves the plane
    /// L2 without ranges and with more coordinates than planes: u = basis * e, and `a` acts on e.
    RealMatrix basis{};

    int n_planes() const { return static_cast<int>(scale.size()); }

    /// Chooses an option of every part (none: to stay); what follows is about the point as they
    /// leave it.
    void choose(const std::vector<int>& options = {});
    Real price = 0;           ///< the size of the parts' move
    RealVector m{};           ///< scaled as the rows are
    RealVector cost{};        ///< of each plane alone, a lower bound: max(0, m_i / ||a_i||_q)
    std::vector<bool> met{};  ///< by u = 0, by the exact sign of the plane

    /// inf { ||u||_p : a_i'u >= m_i + margin ||a_i||_q for all i, u within its ranges }, or empty
    /// if the inequalities (strict ones, if the system is strict) contradict each other. Below
    /// 1e-13, a contradiction cannot be told from a feasible set that is thin or far away.
    std::optional<LeastStep> least_step(const std::vector<int>& planes, Real margin) const;

    /// What an option of a part adds to a_i'u for every plane, from x.
    RealVector gain(const DiscretePart& part, int option) const;

    /// The size of the move: of the parts together with a step of this length.
    Real joined(Real length) const { return join(threat.norm, price, length); }

    /// The parts' move and the step, rounded to doubles and within the threat's rules.
    Vector to_move(const RealVector& u) const;

private:
    struct Rows;

    void add_features();
    void add_groups();
    void reduce_to_span();
    bool add_broken_ends(const RealVector& u, Real tau, Rows* rows) const;

    Vector parts_move_;
    Vector base_;  ///< x + parts_move_
};

}  // namespace redoubt::reference
