#pragma once

/// The two questions about sets of planes that the integer programs answer, for all norms.
///
/// l1 and linf: one program (and a second with tighter constants). l2, for which HiGHS has no
/// mixed-integer solver: outer approximation. The program sees the ball through tangent planes;
/// each set of planes it proposes gets the tangent at its own least step, which tells the program
/// the true price of that set, so no set is proposed twice and the loop ends.

#include <cstdint>
#include <vector>

#include "reference/mip_model.hpp"
#include "reference/paper_models.hpp"
#include "reference/plane_system.hpp"
#include "redoubt/status.hpp"
#include "search/limits.hpp"

namespace redoubt::mip {

/// What "strictly" means to the integer programs: beyond the plane by this share of the ball's
/// radius. A hundred times the feasibility tolerance of HiGHS, so that it is seen.
inline constexpr double kStrictMargin = 1e-7;

/// Programs solved for one question at most, in the l2 loop and for sets that turn out impossible.
inline constexpr int kMaxPrograms = 2000;

struct SetAnswer {
    Status status = Status::NumericalFailure;
    /// The rows of the best set found; empty when there is none.
    std::vector<int> rows{};
    /// Rows of the system (`most_rows`: no more can be met) or a length (`least_radius`: none is
    /// less).
    double bound = 0.0;
};

class IntegerSearch {
public:
    IntegerSearch(const PlaneSystem& system, const PointLimits& limits)
        : system_(system), limits_(limits) {}

    /// Most rows met within the ball of radius > 0.
    SetAnswer most_rows(double radius);

    /// The rows of weight `need` of least step, among those of length <= `farthest`, which is > 0.
    /// Optimal with no rows: there are none.
    SetAnswer least_radius(std::int64_t need, double farthest);

    std::int64_t n_nodes() const noexcept { return n_nodes_; }

private:
    struct Proposal;
    ModelPlanes model_planes(double unit) const;
    MipModel with_first_cuts(MipModel model, const ModelPlanes& planes) const;
    Proposal propose(const MipModel& model);
    SetAnswer least_radius_once(std::int64_t need, double farthest);
    void cut_at(MipModel* model, const RealVector& d) const;

    const PlaneSystem& system_;
    const PointLimits& limits_;
    std::int64_t n_nodes_ = 0;
};

/// A radius within which some rows of weight `need` can surely be met together; 0 when the few
/// directions tried do not show one.
double reachable_radius(const PlaneSystem& system, std::int64_t need);

/// A length that fits the data, for when nothing better is known; > 0.
double typical_length(const PlaneSystem& system);

/// HiGHS adds weights up in floating point and forgives 1e-6: it is asked about small whole numbers
/// only. Throws InvalidInput for others.
void check_weights(const Ensemble& ensemble);

}  // namespace redoubt::mip
