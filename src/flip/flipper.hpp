#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "flip/exact_infeasibility.hpp"
#include "flip/flip.hpp"
#include "flip/refuter.hpp"
#include "flip/threat_planes.hpp"
#include "search/flip_engine.hpp"
#include "search/limits.hpp"

namespace redoubt {

/// A coordinate or group that moves a plane: its gain per size, and its limit.
struct PlaneLever {
    double rate = 0.0;
    double room = 0.0;
};

/// Finds the least move that changes a point's answer, whatever the threat. One per thread.
///
/// In a ball this is a single search. Scales, directions and ranges make it a search in a box.
/// Integers and switches of groups are handled by branch and bound over boxes, best first: a node
/// holds the members of the groups decided so far and a range for every integer. Its bound lets the
/// undecided groups help every plane as much as any of their members could, free of charge, and
/// treats integers as real numbers; a second bound looks at every plane alone and charges for parts
/// of switches. docs/algorithms.md, section 6.
class Flipper {
public:
    /// The planes must outlive this.
    explicit Flipper(const ThreatPlanes& planes);
    // Its parts refer to each other.
    Flipper(const Flipper&) = delete;
    Flipper& operator=(const Flipper&) = delete;

    /// Records the proofs of lower ends from now on.
    void record_proofs(bool is_recorded) { is_recorded_ = is_shortened_ = is_recorded; }
    /// Records searches as for proofs, and makes none of them: for measuring what that costs.
    void record_searches() {
        is_recorded_ = true;
        is_shortened_ = false;
    }

    /// The least move with predict(x + d) != current_label, for a point with predict(x) ==
    /// current_label. The attacking class is ignored. The point must pass AttackModel::check_point.
    Flip flip_answer(const VectorRef& x, int current_label, const PointLimits& limits);

    /// The least move at which planes of weight `required` (in units of the ensemble: their number
    /// in a majority vote; or in each count of the rules) do not answer `current_label`, if it is
    /// below `cutoff`. At x their weight must be less.
    Flip fool_planes(const VectorRef& x, int current_label, const Amounts& required, double cutoff,
                     const PointLimits& limits);

private:
    /// An integer counts as met if it is missed by less than this share of a step.
    static constexpr double kIntegral = 1e-7;

    struct Span {
        double first;
        double last;
    };
    struct Node {
        double lower = 0.0;
        std::vector<int> member;  ///< of each group, -1 = undecided
        std::vector<Span> spans;  ///< of each coordinate of integers, in the space's order
        int record = 0;           ///< of a recorded search: its place in records_
    };
    /// What was proven about a box, for the proof.
    struct BoxRecord {
        Node node;
        SearchLog log{};           ///< of the search that proved most
        double by_search = -1.0;   ///< the size that it proved
        double by_planes = -1.0;   ///< the least size that fools enough planes one by one
        bool is_counted = false;   ///< nothing moves, and too little is fooled
        std::vector<int> parts{};  ///< the boxes that it was split into
    };
    /// Sizes by values may exceed sizes by steps by: size + share size.
    struct Excess {
        double size;
        double share;
    };
    struct HasHigherBound {
        bool operator()(const Node& a, const Node& b) const { return a.lower > b.lower; }
    };

    // flipper.cpp: the tree of boxes.
    void open_root();
    void process(Node node);
    bool is_leaf(const Node& node) const;
    SearchResult run(double slack_factor, const Node& node);
    double farthest_plane() const;
    bool is_open(double lower) const;
    void solve_leaf(const Node& node);
    void touch_leaf(const Node& node, double& lower);
    bool offer(const Node& node, const Vector& e, bool rounds_out);
    bool try_step(const Vector& d);
    Vector step_of(const Node& node, const Vector& e, bool rounds_out);
    void close(double lower) { lower_ = std::min(lower_, lower); }
    double cutoff() const { return std::min(cutoff_, flip_.upper); }
    bool is_linf() const { return threat_.norm() == Norm::LInf; }
    PointLimits rest_of_limits() const;

    // flipper_box.cpp: one box and the planes' margins in it.
    void load_node(const Node& node);
    void load_proof(const Node& node);
    void compute_margins(const Node& node, double slack_factor);
    const Vector& start_of_box();
    double margin_of(int plane, const Node& node, const Vector& x, double& error) const;
    void settle_planes();
    bool is_pinned() const;

    // flipper_sizes.cpp: what is known exactly of the sizes in a box.
    void load_sizes();
    Excess excess_of(Index coordinate) const;
    ExactSize decided_size(const Node& node) const;
    void raise_to_decided(const Node& node, bool is_last, double& lower) const;
    double size_with_switches(double proven) const;
    bool is_closed(double lower) const;
    bool is_tie(double lower) const;

    // flipper_proof.cpp: the proof of the lower end.
    class BallJudge;
    class BoxJudge;
    void note_search(const Node& node, SearchResult& result);
    ProofNode ball_proof();
    std::optional<ProofNode> box_proof();
    bool prove_box(const BoxRecord& record, ProofNode& proof);
    void prove_by_search(const BoxRecord& record, ProofNode& proof);
    void prove_by_planes(const Node& node, ProofNode& proof);
    void prove_by_counting(ProofNode& proof);
    bool prove_parts(const BoxRecord& record, ProofNode& proof);
    std::optional<double> no_charge() const {
        return is_linf() ? std::nullopt : std::optional(0.0);
    }
    std::vector<int> members_at(std::size_t group, int member) const;
    MoveBox moves_in(const Node& node) const;

    // flipper_bound.cpp: the least size at which enough planes can be fooled one by one.
    void load_help();
    double bound_by_planes(const Node& node);
    double least_size_in_count(std::size_t count) const;
    double least_size_of(int plane, const Node& node, const Vector& start);
    double most_help(std::size_t group) const;

    // flipper_branch.cpp: where boxes are split.
    void branch(const Node& node, const SearchResult& result);
    void branch_group(const Node& node, const SearchResult& result);
    void split(const Node& node, std::size_t w, double at, bool keeps_middle);
    void push(Node node);

    const ThreatPlanes& threat_;
    const Ensemble& ensemble_;
    const PlaneSet& planes_;
    const MoveSpace& space_;
    FlipEngine engine_;
    PointMoves moves_;
    ExactInfeasibility proof_;
    PointMargins margins_;
    DiscreteSizes sizes_;
    std::vector<Index> integers_;  ///< coordinates of integers
    std::vector<SizeUnit> steps_;  ///< and the sizes of their steps

    /// What the switches of a group gain for a plane: free ones, and those that cost something.
    struct Help {
        double free = 0.0;
        PlaneLever lever{};
        double magnitude = 0.0;  ///< of the terms, for their roundings
    };

    // One call.
    std::vector<Help> help_;  ///< group by group, plane by plane; empty until needed
    std::vector<PlaneLever> levers_;
    std::vector<int> fooled_still_;
    std::vector<std::pair<double, int>> plane_sizes_;
    int current_label_ = 1;
    Amounts required_;
    double cutoff_ = HUGE_VAL;
    const PointLimits* limits_ = nullptr;
    Flip flip_;
    double lower_ = HUGE_VAL;
    double widest_gap_ = 0.0;  ///< between floors and goals of all boxes
    bool is_stopped_ = false;
    bool is_recorded_ = false;
    bool is_shortened_ = false;
    std::vector<BoxRecord> records_;  ///< the first is that of all moves; empty if nothing is kept
    std::size_t n_recorded_ = 0;      ///< nodes of all trees
    bool is_troubled_ = false;        ///< a leaf's search met numerical trouble
    std::vector<Node> queue_;
    std::int64_t n_boxes_ = 0;
    int n_ties_ = 0;  ///< boxes examined although only rounding keeps them open
    /// The exact size of the witness, rounded down, if integers and groups alone decide it.
    double floor_ = HUGE_VAL;
    bool is_discrete_ = false;  ///< nothing but integers and groups moves
    /// Sizes by values of integers exceed those by steps by at most excess_ + excess_share_ size.
    double excess_ = 0.0;
    double excess_share_ = 0.0;

    // The node looked at.
    Vector base_;         ///< x with its switches, and integers that are decided
    double price_ = 0.0;  ///< of its switches
    Amounts given_;       ///< weight of the planes without a coordinate that are fooled, or may be
    Amounts rest_;        ///< the weight that the other planes must contribute
    Vector start_;        ///< base_ without the decided integers
    Vector moved_;
};

}  // namespace redoubt
