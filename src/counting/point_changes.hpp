#pragma once

/// What an adversary that counts can do to one point: its changes, one column each.

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "counting/counted_planes.hpp"
#include "counting/cover_program.hpp"
#include "redoubt/points.hpp"

namespace redoubt {

/// A column of the program: a feature that goes to an end of its range, or a group that switches.
struct Change {
    int lever = 0;  ///< of several changes of one lever at most one happens
    int feature = -1;
    int group = -1;  ///< in the space's order; then `member` goes on
    int member = -1;
    double to = 0.0;
    double step = 0.0;  ///< of the feature, at full length
    double cost = 1.0;
    bool is_whole = true;  ///< happens as a whole or not at all
    double n_steps = 0.0;  ///< integers from the point to `to`; 0: any value in between
};

/// A change and how far it goes: a share of its full length, in (0, 1].
struct Chosen {
    int column;
    double share;
};

/// Keeps its memory from point to point. One per thread.
class PointChanges {
public:
    explicit PointChanges(const CountedPlanes& planes);

    /// The point must pass AttackModel::check_point. The first changes are put into `program`.
    void load(const PointRef& x, int label, CoverProgram& program);
    /// Puts as many more into it; false if there are none.
    bool extend(CoverProgram& program, CoverColumns& columns);
    /// No change that is not there yet does more to any plane per cost.
    double worth_beyond() const;

    /// Of the point.
    double value_of(Index feature) const;

    int n_changes() const { return static_cast<int>(changes_.size()); }
    const Change& change(int column) const { return changes_[static_cast<std::size_t>(column)]; }
    /// By plane: what changes must take from its margin at least, so that it may be fooled; less
    /// than that by all roundings, and as computed.
    const std::vector<double>& wanted() const { return wanted_; }
    const std::vector<double>& margins() const { return margins_; }
    /// Of their terms.
    const std::vector<double>& magnitudes() const { return magnitudes_; }
    /// Numbers of the point that are not 0.
    std::size_t n_entries() const { return columns_.size(); }
    /// Are the columns' numbers free of rounding?
    bool has_exact_gains() const { return has_exact_gains_; }

    /// The steps of the features, ascending, and the planes that do not answer `label` there: as
    /// `predict` sees it, without any rounding.
    struct Moved {
        std::vector<std::pair<Index, double>> steps;
        std::vector<int> fooled;
    };
    /// Changes of any length are rounded to few binary digits if `is_snapped`.
    Moved moved(const std::vector<Chosen>& chosen, bool is_snapped = false);

    /// a b c, to be added up.
    using Product = std::array<double, 3>;
    /// The sign of the margins of these planes, each so many times, where the chosen changes have
    /// happened, and of products, all added up. Without any rounding; nothing if that cannot be
    /// said.
    std::optional<int> sign_of_sum(const std::vector<int>& planes,
                                   const std::vector<double>& multiples,
                                   const std::vector<Chosen>& chosen,
                                   const std::vector<Product>& products) const;

    /// Where a feature may stand.
    struct Range {
        int feature;
        double lower;
        double upper;
    };
    /// Is the sum of these planes, each so many times, fooled nowhere in the ranges of these
    /// features (ascending), where the others stay? Without any rounding; false if that cannot be
    /// said.
    bool is_sum_never_fooled(const std::vector<int>& planes, const std::vector<double>& multiples,
                             const std::vector<Range>& ranges) const;

private:
    /// Where features end, ascending.
    std::vector<std::pair<Index, double>> targets(const std::vector<Chosen>& chosen,
                                                  bool is_snapped) const;
    void load_margins();
    void add_feature(Index feature, double x, const double* weights, CoverProgram& program);
    void add_group(std::size_t group, CoverProgram& program);
    void take_ranked(std::size_t n, CoverProgram& program);

    const CountedPlanes& planes_;
    int label_ = 1;
    // The point, compressed.
    Index n_features_ = 0;
    std::vector<std::int64_t> columns_;
    std::vector<double> values_;
    std::vector<char> is_own_;  ///< by feature: not where most points have it
    std::vector<Index> own_;
    bool has_grid_space_ = false;

    std::vector<Change> changes_;
    int n_levers_ = 0;
    std::size_t n_ranked_ = 0;  ///< of the ranked features, those that were looked at
    std::vector<double> wanted_;
    std::vector<double> margins_;
    std::vector<double> magnitudes_;
    bool has_exact_gains_ = true;
    std::vector<double> gains_;
    std::vector<double> weights_;  ///< of one feature, by plane
    std::vector<std::int64_t> moved_columns_;
    std::vector<double> moved_values_;
};

}  // namespace redoubt
