#pragma once

/// A classifier of several classes. Every class has planes and a score, and the class with the
/// greatest score is the answer; of equal scores the first wins.
///
///     Value   the score of class c is  w_c'x + b_c,  of its one plane
///     Votes   the score of class c is  sum_i alpha_i sgn(w_i'x + b_i)  over its planes i
///
/// Votes may settle their ties by values, those of one more plane per class (scikit-learn's
/// OneVsOneClassifier); of equal ones, too, the first class wins.
///
/// Everything is exact: votes are added up in units (ensemble.hpp), and by value class c beats
/// class k if the plane (w_c - w_k, b_c - b_k), each number rounded to a double, says so.

#include "redoubt/ensemble.hpp"
#include "redoubt/points.hpp"
#include "redoubt/types.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace redoubt {

enum class ClassScore { Value, Votes };

/// "value" or "votes".
std::string_view to_string(ClassScore score) noexcept;
ClassScore parse_class_score(std::string_view name);

/// Immutable once built, so it can be shared between threads. Classes are numbers from 0.
class ClassVote {
public:
    /// The planes of all classes, those of class 0 first; `counts` holds the number of planes of
    /// each class, at least one (by value: exactly one, without weights). `is_minus_at_zero`, one
    /// entry per plane or empty, marks planes that vote -1 instead of +1 where they are exactly 0.
    /// `tie_values`: one plane per class, whose values settle ties of votes. Throws InvalidInput if
    /// there are fewer than two classes, the counts do not add up or there is a quota.
    ClassVote(Ensemble planes, std::vector<Index> counts, ClassScore score,
              std::vector<char> is_minus_at_zero = {},
              std::optional<Ensemble> tie_values = std::nullopt);
    /// One ensemble per class, with equal numbers of features, and all or none with weights. Throws
    /// InvalidInput.
    ClassVote(const std::vector<Ensemble>& classes, ClassScore score);

    /// Of classes that were trained against the rest, one after the other: by value if they have
    /// one plane each, else by votes. An interrupted training may have fewer planes than the
    /// others, so as many of each class count as all have.
    static ClassVote against_rest(const std::vector<Ensemble>& classes);

    Index n_classes() const noexcept { return static_cast<Index>(first_.size()) - 1; }
    Index n_features() const noexcept { return planes_.n_features(); }
    ClassScore score() const noexcept { return score_; }
    /// The planes of all classes, one class after the other.
    const Ensemble& planes() const noexcept { return planes_; }
    Index first_plane(Index c) const { return first_[static_cast<std::size_t>(c)]; }
    Index n_planes(Index c) const { return first_plane(c + 1) - first_plane(c); }
    /// The vote of a plane where it is exactly 0.
    int answer_at_zero(Index plane) const {
        return !is_minus_at_zero_.empty() && is_minus_at_zero_[static_cast<std::size_t>(plane)] != 0
                   ? -1
                   : 1;
    }
    const std::vector<char>& is_minus_at_zero() const noexcept { return is_minus_at_zero_; }
    /// By value: the plane that is positive where class c has a greater value than class k. By
    /// votes the same of the values that settle ties, if there are any.
    Hyperplane difference(Index c, Index k) const;
    const std::optional<Ensemble>& tie_values() const noexcept { return tie_values_; }

    /// The answer at x, 0 to n_classes - 1.
    int predict(const PointRef& x) const;
    /// The same for every row of X. Throws InvalidInput if X has a different number of columns or a
    /// value that is not finite. `n_threads` = 0 uses every core; the result does not depend on it.
    Eigen::VectorXi predict_all(const PointsRef& X, int n_threads = 1) const;

    /// The number of planes of each class that answer +1, row by row.
    Eigen::MatrixXi votes(const PointsRef& X, int n_threads = 1) const;
    /// The scores in floating point, one column per class: values, or weighted votes as shares of
    /// their sum (-1 to 1). For display, not for answers.
    Matrix scores(const PointsRef& X, int n_threads = 1) const;

private:
    /// Exact vote sums in units, class by class.
    std::vector<std::int64_t> vote_units(const PointRef& x) const;
    Eigen::VectorXi answers(const PointRef& x) const;
    int best_value(const PointRef& x) const;
    template <typename Take>
    void for_each_row(const PointsRef& X, int n_threads, Take take) const;

    Ensemble planes_;
    std::vector<Index> first_{};  ///< first plane of each class, and one past the last
    ClassScore score_;
    std::vector<char> is_minus_at_zero_;
    std::optional<Ensemble> tie_values_;
};

}  // namespace redoubt
