#pragma once

/// The integer program behind both questions: which planes can a move of the threat fool together?
/// docs/second_opinions.md shows one.
///
/// Columns: every coordinate of the move (plus and minus for l1), the steps of an integer feature,
/// every member that a group may switch to; the size t; and z_i = 1 when plane i is not fooled,
///
///     fool_i:  what the move gains + M_i z_i >= m_i + margin,
///
/// with the smallest M_i that the bounds of the move allow. Sizes are in multiples of a unit, and
/// rows are scaled so that no move gains more than 1, because the tolerances of HiGHS are absolute.
/// Towards -1 fooling is strict; a linear program cannot say so and asks for a margin. The l2 ball
/// is seen through |u_l| <= t and the cuts that the caller adds.

#include <cstdint>
#include <vector>

#include "reference/plane_system.hpp"
#include "reference/program.hpp"

namespace redoubt::reference {

class ThreatProgram {
public:
    /// The smallest move that fools planes of weight `need`, if its size is at most `farthest`:
    /// min t.
    static ThreatProgram least_move(const PlaneSystem& system, double farthest, std::int64_t need);

    /// The largest sum of hinges within the radius:  max sum_i h_i  with
    /// h_i <= c_i + a_i'd + M_i (1 - v_i)  and  h_i <= U_i v_i.
    static ThreatProgram largest_sum(const PlaneSystem& system, double radius);

    const Program& program() const { return program_; }

    /// What a solution proposes: planes that are fooled, or whose hinges count.
    PlaneChoice choice(const Vector& solution) const;

    /// The sizes of its coordinates and then of its parts, signed, in units; or those of a move of
    /// the features.
    Vector sizes(const Vector& solution) const;
    Vector sizes_of(const Vector& d) const;

    /// L2: the tangent plane of the ball in the direction of `sizes`.
    void add_cut(const Vector& sizes);

    /// Excludes this choice. False if that is impossible, because of integers.
    bool forbid(const PlaneChoice& choice);

private:
    /// One column of the move.
    struct Lever {
        int column;
        Index coordinate;
        int option;       ///< of a part, for each unit of the column
        double size;      ///< of each unit of the column, signed
        RealVector gain;  ///< of each plane
    };

    ThreatProgram(const PlaneSystem& system, Sense sense, double radius);
    void add_lever(Column column, Index coordinate, int option, double size,
                   const RealVector& gain);
    void add_part(const DiscretePart& part, Index coordinate);
    void add_ball();
    double reach(Index plane, double sign) const;
    void add_row(Row row, Index plane, double factor, std::vector<Term> terms);

    const PlaneSystem& system_;
    double unit_;
    double limit_;  ///< of sizes, in units: 1, or 0 for a radius of 0
    Program program_;
    Index n_coordinates_;  ///< those of parts included
    std::vector<Lever> levers_{};
    int t_ = 0;
    int first_switch_ = 0;  ///< the column z_1 or v_1
};

}  // namespace redoubt::reference
