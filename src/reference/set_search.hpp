#pragma once

/// The questions about sets of planes that the drivers of the reference solvers ask, whether
/// answered by enumeration or by integer programs.

#include <cstdint>
#include <memory>

#include "attack/adversary.hpp"
#include "reference/plane_system.hpp"
#include "threat/support.hpp"

namespace redoubt::reference {

struct SetAnswer {
    Status status = Status::NumericalFailure;
    /// The best choice found, if any.
    std::optional<PlaneChoice> choice{};
    std::int64_t weight = 0;  ///< of its planes, and of what its options fool by themselves
    Real size = HUGE_VALL;    ///< the infimum over the moves that fool them
    /// No move is smaller (`least_within`), or no more weight can be fooled (`most_fooled`).
    double bound = 0.0;
};

/// The sum that the relaxed adversary raises,  sum_i [c_i + a_i'd]_+  with
/// c_i = alpha_i (1 - y (w_i'x + b_i)) and a_i = -y alpha_i w_i, and the moves of the point.
struct Hinges {
    Hinges(const PlaneSystem& system, Support* moves);

    Real sum(const Vector& d) const { return (a * d.cast<Real>() + c).cwiseMax(Real(0)).sum(); }

    RealMatrix a;
    RealVector c;
    Support& support;
};

/// One point. Leaves the system's parts wherever it looked last.
class SetSearch {
public:
    SetSearch(PlaneSystem* system, const PointLimits& limits) : system_(*system), limits_(limits) {
        // The first question checks the clock and the stop flag.
        limits_.n_calls = 0;
    }
    virtual ~SetSearch() = default;

    /// The smallest move that fools planes of weight `need`, in units of the ensemble, among those
    /// of size <= radius. Optimal without a choice: there is none, and the bound is infinite.
    virtual SetAnswer least_within(std::int64_t need, double radius) = 0;

    /// The most weight fooled by moves of size <= radius, then the smallest move. No choice: no
    /// more than at x.
    SetAnswer most_fooled(double radius);

    /// The largest sum of hinges over moves of size <= radius; `objective` is left out.
    virtual AdversaryAnswer largest_sum(const Hinges& hinges, double radius) = 0;

    std::int64_t n_nodes() const noexcept { return n_nodes_; }

protected:
    PlaneSystem& system_;
    PointLimits limits_;
    std::int64_t n_nodes_ = 0;
};

std::unique_ptr<SetSearch> make_enumeration(PlaneSystem* system, const PointLimits& limits);
std::unique_ptr<SetSearch> make_program_search(PlaneSystem* system, const PointLimits& limits);

}  // namespace redoubt::reference
