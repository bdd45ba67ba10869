#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "counting/count_flipper.hpp"
#include "flip/flipper.hpp"
#include "search/limits.hpp"
#include "separable/step_vote.hpp"

namespace redoubt {

/// Finds the least move that changes the answer of a vote of steps. One per thread.
///
/// Each feature, group or plane on its own features offers moves that win over more weight for a
/// higher price. In linf, all go
/// as far as the size allows, so the prices are merged and taken in order until the weight is
/// enough. In l1, l2 (squares) and l0 prices add up: a knapsack over whole weights, by dynamic
/// programming. docs/algorithms.md, section 8.
class StepFlipper {
public:
    /// The vote must outlive this.
    explicit StepFlipper(const StepVote& vote);

    /// As Flipper::fool_planes; nothing where the knapsack is too large or no move of doubles ends
    /// at the value that is wanted. Where planes pull opposite ways at one threshold, or at
    /// thresholds between the same two doubles, the least move may end at a real number that is no
    /// double: `lower` knows it, the witness is the least one of doubles, and NumericalFailure says
    /// that the two differ.
    std::optional<Flip> fool_planes(const VectorRef& x, int current_label, Index required_weight,
                                    double cutoff, const PointLimits& limits);

    /// Of a vote with loose planes: no move is smaller than `lower`, as if they were fooled for
    /// nothing (in linf for what each costs alone). A move of the others that happens to be enough
    /// is the witness.
    Flip bracket(const VectorRef& x, int current_label, Index required_weight,
                 const PointLimits& limits);
    /// Does the last bracket end below the size of its witness only because sums were rounded? All
    /// sizes are then known exactly, and the search adds them so.
    bool is_rounded() const { return is_rounded_; }

private:
    /// A move of one feature: what it wins over, and the ends of its price.
    struct Offer {
        std::int64_t weight;
        double lower;
        double upper;  ///< infinite: it ends at no double
        double value;  ///< that the feature takes, or the member that is on
        int block;     ///< features, then groups, then planes on their own

        bool is_seen() const { return upper < HUGE_VAL; }
    };
    /// `LowerSeen`: of moves that end at doubles.
    enum class Prices { Lower, LowerSeen, Upper };
    struct Bounds {
        double lower = HUGE_VAL;
        double lower_seen = HUGE_VAL;
    };

    void load(const VectorRef& x, int label, const PointLimits& limits);
    void load_block(int block, double x, int label);
    void keep_found();
    void set_price(double lower, double upper, Offer& offer) const;
    // step_blocks.cpp
    void load_group(std::size_t at, const VectorRef& x, int label);
    void load_private(std::size_t at, const VectorRef& x, int label, const PointLimits& limits);
    Flip flip_alone(std::size_t at, const VectorRef& x, int label, const PointLimits& limits);
    void apply(const Offer& offer, Vector& moved) const;
    void walk(int block, double x, int label, bool is_up);
    std::int64_t gain(const Step& step, int label, bool is_up) const;
    std::int64_t most_between(int feature, int label, bool is_up);
    int compare_thresholds(int feature, int plane, int other) const;
    std::optional<double> allowed(const StepVote::Block& block, double x, double value,
                                  bool is_up) const;
    void price_integer(const StepVote::Block& block, double x, Offer& offer) const;
    static double price(const Offer& offer, Prices prices);
    double size_linf(std::int64_t wanted, Prices prices);
    bool solve(std::int64_t wanted, Bounds& bounds);
    double lower_end(const Bounds& bounds) const;
    void solve_linf(std::int64_t wanted, Bounds& bounds);
    bool solve_sum(std::int64_t wanted, Bounds& bounds);
    double cheapest(std::int64_t wanted, Prices prices);
    Vector moved_by_chosen(const VectorRef& x) const;
    std::vector<double> places(int feature, double x) const;
    void fool_loose(const VectorRef& x, int label, Index required_weight, Vector& moved) const;
    /// Returns the size of the move.
    SizeEnds write(const VectorRef& x, const Vector& moved, int label, Flip& flip) const;

    const StepVote& vote_;
    std::optional<PointMoves> moves_;                 ///< with groups
    std::vector<std::unique_ptr<Flipper>> flippers_;  ///< of planes on their own
    std::vector<std::unique_ptr<CountFlipper>> counters_;
    std::vector<Vector> private_moves_;  ///< where they end, all features
    Status private_status_ = Status::Optimal;
    bool is_rounded_ = false;
    std::vector<Offer> offers_;        ///< block by block, by price and weight ascending
    std::vector<std::size_t> starts_;  ///< of the blocks in `offers_`, and their end
    std::vector<std::size_t> chosen_;
    std::vector<Offer> found_;
    std::vector<Step> crossed_;
    bool has_unseen_ = false;  ///< some offer ends at no double
    std::vector<double> cost_;
    std::vector<int> choice_;
    std::vector<std::pair<double, std::int64_t>> events_;
};

}  // namespace redoubt
