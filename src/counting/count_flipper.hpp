#pragma once

/// The fewest changed features, or the cheapest, that change a point's answer.

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "counting/counted_planes.hpp"
#include "counting/cover_program.hpp"
#include "counting/point_changes.hpp"
#include "flip/flip.hpp"
#include "search/limits.hpp"

namespace redoubt {

/// Finds the least move in l0 that changes a point's answer. One per thread.
///
/// A search over sets of planes that the move fools, by their costliest member: with the planes of
/// a node fooled, the linear program (CoverProgram) says what one more costs at least, and enough
/// of them must be had. Where the planes are decided and the program's solution is broken, changes
/// are decided one by one. Bounds are rounded up to what costs can add up to; candidates are
/// checked in exact arithmetic. docs/algorithms.md, "Changes that are counted".
class CountFlipper {
public:
    /// The planes must outlive this.
    explicit CountFlipper(const CountedPlanes& planes) : planes_(planes), changes_(planes) {}
    CountFlipper(const CountFlipper&) = delete;
    CountFlipper& operator=(const CountFlipper&) = delete;

    /// `flip.d` holds the steps of `features` alone, ascending.
    struct Answer {
        Flip flip;
        std::vector<Index> features;
    };

    /// The least move at which planes of weight `required_weight` (in units of the ensemble) do not
    /// answer `current_label`; only below `cutoff`. At x it must be less. The point must pass
    /// AttackModel::check_point.
    Answer fool_planes(const PointRef& x, int current_label, Index required_weight, double cutoff,
                       const PointLimits& limits);

    /// From now on answers hold a proof of their lower end, or say why not.
    void record_proofs(bool is_recorded) { is_recorded_ = is_recorded; }

    /// The linear program of these planes, at the point of the last call: changes may happen in
    /// part.
    struct Relaxed {
        std::vector<double> multipliers;  ///< by plane, in the order given
        std::vector<std::pair<Index, double>> steps;
    };
    Relaxed relax(const std::vector<int>& planes);

private:
    class Prover;  ///< count_proof.cpp

    /// What a node says of a change: it does not happen, or it happens and goes this far.
    struct Decision {
        int column;
        bool happens;
        double least = 0.0;
        double most = 1.0;
        bool is_paid = true;  ///< by this change, not by another of its lever
    };
    struct Node {
        double lower = 0.0;
        std::int64_t number = 0;
        bool is_bounded = false;   ///< `lower` comes from its own program
        std::vector<int> planes;   ///< that are fooled
        std::vector<char> is_out;  ///< planes that nothing is asked of
        std::vector<Decision> decisions;
        CoverBasis basis;
    };
    struct ComesLater {
        bool operator()(const Node& a, const Node& b) const;
    };
    /// A plane that may be fooled as well: what is missing in the program's solution, in changes of
    /// those that gain it most, and what it costs alone.
    struct Further {
        double missing = 0.0;
        double alone = 0.0;
        int plane = -1;
    };

    // count_flipper.cpp
    void run(const PointLimits& limits);
    bool is_closed(double lower) const;
    void close(double lower);
    double up_to_cost(double lower) const;
    bool offer(const std::vector<Chosen>& chosen);
    void write(Answer& answer);
    void prove(Flip& flip, const std::atomic<bool>* stop);

    // count_search.cpp
    void process(Node node);
    void push(Node node);
    void load(const Node& node);
    double bound(const std::vector<int>& planes, CoverBasis& basis);
    bool extend();
    void bound_planes_alone();
    bool add_needed_planes(Node& node) const;
    bool raise_bound(Node& node);
    std::vector<Further> further_planes(const Node& node) const;
    void branch_planes(Node& node);
    void solve_cover(Node& node);
    void offer_decided(const Node& node);
    double raise_one_plane(const Node& node, double lower);
    void branch_changes(const Node& node, int column);
    double integers_below(const Decision& decided) const;
    Node where_it_happens(const Node& node, int column) const;
    std::vector<int> alike(int column) const;
    int first_to_branch(int column) const;
    int broken_change(const Node& node) const;
    int undecided_change(const Node& node);
    // count_touching.cpp
    bool has_length(const Node& node) const;
    void go_past_planes(const Node& node);
    bool is_refuted(const Node& node);
    bool find_multiples(const Node& node, std::vector<int>& planes, std::vector<double>& multiples);
    std::vector<double> beyond_planes(const Node& node, double share) const;
    std::vector<PointChanges::Range> open_ranges() const;
    // count_rounding.cpp
    void round(const std::vector<int>& planes, const std::vector<double>& x);
    void round_for(const std::vector<double>& wanted, const std::vector<double>& x);
    Index fooled_weight(const std::vector<double>& left, double share) const;
    Index weight(const std::vector<int>& planes) const;
    /// No move that is looked for fools this plane, not even alone.
    bool is_beyond(int plane) const { return alone_[static_cast<std::size_t>(plane)] >= cutoff_; }
    bool is_decided(int column) const { return is_decided_[static_cast<std::size_t>(column)] != 0; }

    const CountedPlanes& planes_;
    PointChanges changes_;
    CoverProgram program_;

    bool is_recorded_ = false;

    // One call.
    int label_ = 1;
    Index required_ = 0;
    double cutoff_ = HUGE_VAL;
    std::int64_t n_nodes_ = 0;
    std::int64_t n_pushed_ = 0;
    Status status_ = Status::Optimal;
    bool is_stopped_ = false;
    bool is_open_ = false;  ///< something was left that rounding cannot decide
    double lower_ = HUGE_VAL;
    double upper_ = HUGE_VAL;
    std::vector<Chosen> best_;
    PointChanges::Moved best_move_;
    std::vector<Node> queue_;
    std::vector<double> alone_;  ///< by plane: what it costs at least to fool it

    // One node.
    CoverColumns columns_;
    std::vector<char> is_decided_;  ///< by column
    double paid_ = 0.0;             ///< for changes whose length is open
    std::vector<int> order_;
    std::vector<Chosen> chosen_;
};

}  // namespace redoubt
