#pragma once

/// Planes and their vote: the one definition of an answer, shared by training, prediction, attacks
/// and certificates.
///
///     plane i votes  sgn(w_i'x + b_i),      the ensemble answers  sgn( sum_i sgn(w_i'x + b_i) )
///
/// with sgn(0) = +1 in both places, so a tie among an even number of planes gives +1.
///
/// A weighted vote answers  sgn( sum_i alpha_i sgn(w_i'x + b_i) ),  alpha_i > 0, under the same
/// rule.
///
/// A vote with a quota q answers +1 if planes of weight q or more do (q of the k planes, if all
/// weigh 1), and -1 otherwise. Every other vote has half of the weight as its quota.

#include "redoubt/points.hpp"
#include "redoubt/types.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace redoubt {

/// The sign of w'x + b as if computed without any rounding; +1 for an exact zero. A floating-point
/// filter decides almost always; the rest is settled in exact arithmetic. All numbers must be
/// finite.
int sign_of_plane(const VectorRef& w, double b, const PointRef& x);

struct Hyperplane {
    Vector w;
    double b = 0.0;
};

/// What searches derive from an object on first use and keep with it. It refers to the object, so a
/// copy starts without it.
class Prepared {
public:
    Prepared() = default;
    Prepared(const Prepared&) noexcept {}
    Prepared& operator=(const Prepared&) noexcept {
        parts_.clear();
        return *this;
    }

    /// The part of this name: what `make`, which returns a std::shared_ptr to it, returned the
    /// first time.
    template <typename Part, typename Make>
    std::shared_ptr<const Part> part(std::string_view name, Make make) const {
        const std::lock_guard lock(mutex_);
        std::shared_ptr<const void>& known = parts_[std::string(name)];
        if (!known) known = make();
        return std::static_pointer_cast<const Part>(known);
    }

private:
    mutable std::mutex mutex_;
    mutable std::map<std::string, std::shared_ptr<const void>> parts_;
};

/// k >= 1 planes in R^n that vote. Immutable once built, so it can be shared between threads.
class Ensemble {
public:
    /// `coef` is k x n with one plane per row, `intercept` has length k; all finite, k >= 1, n >=
    /// 1. Throws InvalidInput otherwise.
    Ensemble(Matrix coef, Vector intercept);
    /// A weighted vote: `weights` has length k, or 0 for a majority vote. All lie between 1e-100
    /// and 1e100, and are >= 2^-40 of the largest unless they need no rounding; throws InvalidInput
    /// otherwise.
    ///
    /// The vote adds them up without rounding, as integer multiples of `weight_unit`: weights are
    /// rounded to 2^-52 of the largest (2^-(61 - log2 k) for more than 512 planes), and their
    /// greatest common divisor is the unit. Integers up to 2^40 and equal weights are kept as they
    /// are; a vote with equal weights answers as the majority does.
    Ensemble(Matrix coef, Vector intercept, Vector weights);
    explicit Ensemble(const Hyperplane& plane);
    /// The same planes and weights with this quota instead of half of the weight or the previous
    /// quota. Throws InvalidInput unless 0 < quota <= the sum of the weights as given; what
    /// rounding the weights took off that sum is tolerated.
    Ensemble with_quota(double quota) const;
    /// Throws InvalidInput if `planes` is empty or the planes differ in length.
    explicit Ensemble(const std::vector<Hyperplane>& planes);

    Index n_planes() const noexcept { return coef_.rows(); }
    Index n_features() const noexcept { return coef_.cols(); }
    const Matrix& coef() const noexcept { return coef_; }
    const Vector& intercept() const noexcept { return intercept_; }

    /// True if weights were given.
    bool is_weighted() const noexcept { return weights_.size() > 0; }
    /// As given; empty for a majority vote.
    const Vector& weights() const noexcept { return weights_; }
    /// alpha_i as given; 1 in a majority vote.
    double weight(Index i) const { return is_weighted() ? weights_[i] : 1.0; }
    /// alpha_i as a multiple of `weight_unit`, >= 1; 1 in a majority vote.
    std::int64_t weight_units(Index i) const {
        return units_.empty() ? 1 : units_[static_cast<std::size_t>(i)];
    }
    /// The sum over all planes, below 2^62.
    std::int64_t total_units() const noexcept { return total_units_; }
    double weight_unit() const noexcept { return weight_unit_; }

    /// Searches in balls are prepared once per ensemble, not once per call.
    const Prepared& prepared() const noexcept { return prepared_; }
    /// True if a quota was given.
    bool has_quota() const noexcept { return quota_ > 0.0; }
    /// As given; 0 without one.
    double quota() const noexcept { return quota_; }
    /// The weight, in units, of the planes that must answer +1 for the vote to do so: from 1 to
    /// `total_units`.
    std::int64_t quota_units() const noexcept {
        return has_quota() ? quota_units_ : (total_units_ + 1) / 2;
    }

    // Of a compressed point only the stored entries are read.

    /// w_i'x + b_i for every plane, in floating point: for distances, not for answers.
    Vector margins(const PointRef& x) const;

    /// sgn(w_i'x + b_i) for every plane, exact.
    Eigen::VectorXi answers(const PointRef& x) const;

    /// The sum of the answers, between -k and k, whatever the weights.
    int vote(const PointRef& x) const;

    /// sum_i alpha_i sgn(w_i'x + b_i): exact, rounded once. In a majority vote, the sum of the
    /// answers.
    double weighted_vote(const PointRef& x) const {
        return weight_unit_ * static_cast<double>(vote_units(x));
    }
    /// The same as a multiple of `weight_unit`.
    std::int64_t vote_units(const PointRef& x) const;

    /// The answer of a vote of this many units: `vote_units` of some point, or what it would be if
    /// some planes answered differently.
    int answer_to(std::int64_t vote_units) const noexcept {
        return vote_units >= 2 * quota_units() - total_units_ ? 1 : -1;
    }
    /// The answer at x, -1 or +1.
    int predict(const PointRef& x) const { return answer_to(vote_units(x)); }

    /// The same for every row of X. Throws InvalidInput if X has a different number of columns or a
    /// value that is not finite. `n_threads` = 0 uses every core; the result does not depend on it.
    Eigen::VectorXi votes(const PointsRef& X, int n_threads = 1) const;
    Vector weighted_votes(const PointsRef& X, int n_threads = 1) const;
    Eigen::VectorXi predict_all(const PointsRef& X, int n_threads = 1) const;

private:
    template <typename Take>
    void for_each_answer(const PointRef& x, Take take) const;
    template <typename Take>
    void for_each_row(const PointsRef& X, int n_threads, Take take) const;
    void set_weights(Vector weights);

    Matrix coef_;
    Vector intercept_;
    Vector size_;  ///< ||w_i||_2, rounded up a little
    Vector weights_{};
    std::vector<std::int64_t> units_{};  ///< empty if all are 1
    std::int64_t total_units_ = 0;
    double weight_unit_ = 1.0;
    Prepared prepared_{};
    double quota_ = 0.0;
    std::int64_t quota_units_ = 0;
};

}  // namespace redoubt
