#pragma once

#include <memory>
#include <vector>

#include "threat/move_space.hpp"
#include "certify/flip.hpp"
#include "certify/model_refuter.hpp"
#include "search/flip_engine.hpp"
#include "search/limits.hpp"
#include "search/plane_set.hpp"

namespace redoubt {

/// The least move within an attack model that changes a point's answer. One per thread.
///
/// Scales, directions and ranges make the search a search in a box. Whole numbers and switches of
/// groups come on top, by branch and bound over boxes, best first: a node holds the members of the
/// groups decided so far and a range for every whole number. Its bound lets the undecided groups
/// help every plane as much as any of their members could, for nothing, and takes whole numbers as
/// numbers. docs/algorithms.md, section 6.
class ModelFlipper {
public:
    /// `planes` must have been built for the same ensemble and space.
    ModelFlipper(const Ensemble& ensemble, const PlaneSet& planes, const MoveSpace& space);
    // Its parts point at each other.
    ModelFlipper(const ModelFlipper&) = delete;
    ModelFlipper& operator=(const ModelFlipper&) = delete;

    /// As Flipper's. Sizes are those of the model; `attacking_class` is not looked at. The point
    /// must pass AttackModel::check_point.
    Flip flip_answer(const VectorRef& x, int from, const PointLimits& limits);
    Flip fool_planes(const VectorRef& x, int from, Index need, double cutoff,
                     const PointLimits& limits);

private:
    /// A whole number is met when it is missed by less than this share of a step.
    static constexpr double kWhole = 1e-7;

    struct Span {
        double first;
        double last;
    };
    struct Node {
        double lower = 0.0;
        std::vector<int> member;  ///< of each group, -1 = undecided
        std::vector<Span> spans;  ///< of each coordinate of whole numbers, in the space's order
    };
    struct IsDearer {
        bool operator()(const Node& a, const Node& b) const { return a.lower > b.lower; }
    };

    void open_root();
    void process(Node node);
    void load_node(const Node& node);
    void load_refuter(const Node& node);
    void compute_margins(const Node& node, double slack_factor);
    void settle_planes();
    bool is_leaf(const Node& node) const;
    bool is_pinned() const;
    FlipResult run(double slack_factor, const Node& node);
    double size_with_switches(double proven) const;
    double farthest_plane() const;
    void solve_leaf(const Node& node);
    void touch_leaf(const Node& node, double& lower);
    bool offer(const Node& node, const Vector& e, bool rounds_out);
    void branch(const Node& node, const FlipResult& result);
    void branch_group(const Node& node, const FlipResult& result);
    void split(const Node& node, std::size_t w, double at, bool keeps_middle);
    void push(Node node);
    void close(double lower) { lower_ = std::min(lower_, lower); }
    double cutoff() const { return std::min(cutoff_, flip_.upper); }
    PointLimits rest_of_limits() const;

    const Ensemble& ensemble_;
    const PlaneSet& planes_;
    const MoveSpace& space_;
    FlipEngine engine_;
    PointMoves moves_;
    ModelRefuter refuter_;
    PointMargins margins_;
    std::vector<int> still_;    ///< planes of the ensemble without a coordinate
    std::vector<Index> whole_;  ///< coordinates of whole numbers

    // One call.
    int from_ = 1;
    Index need_ = 0;
    double cutoff_ = HUGE_VAL;
    const PointLimits* limits_ = nullptr;
    Flip flip_;
    double lower_ = HUGE_VAL;
    double widest_gap_ = 0.0;  ///< between floors and goals of all boxes
    bool is_stopped_ = false;
    bool is_troubled_ = false;  ///< a leaf's search met numerical trouble
    std::vector<Node> queue_;
    std::int64_t n_boxes_ = 0;

    // The node looked at.
    Vector base_;         ///< x with its switches, and whole numbers that are decided
    double price_ = 0.0;  ///< of its switches
    Index given_ = 0;     ///< weight of the planes without a coordinate that are fooled, or may be
    Vector moved_;
};

}  // namespace redoubt
