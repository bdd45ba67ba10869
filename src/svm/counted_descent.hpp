#pragma once

#include <vector>

#include "core/random.hpp"
#include "svm/counted_moves.hpp"
#include "svm/large_cholesky.hpp"

namespace redoubt {

/// Box of the weights: least <= w <= greatest, feature by feature.
struct WeightBox {
    Vector least;
    Vector greatest;

    double clip(Index feature, double weight) const {
        return std::min(std::max(weight, least[feature]), greatest[feature]);
    }
};

/// Coordinate descent on the dual of a hinge problem against counted moves, with a box of weights:
///
///     max over alpha, e   sum alpha - Phi(v) - k/2 (y'alpha)^2 - b_centre y'alpha
///     v = mu_centre centre + sum_j y_j (alpha_j x_j + delta_j e_j),   0 <= alpha_j <= c_j,
///     0 <= e_jf <= alpha_j,   sum_f e_jf <= a_j alpha_j,
///     Phi(v) = max { w'v - mu/2 ||w||^2 : w in the box },   attained at w = clip(v / mu).
///
/// A visit of a row optimises e_j exactly for the alpha_j it has (a projection onto a capped
/// simplex), and then alpha_j with e_j in proportion. Together these reach every direction that the
/// constraints leave, so that a point where no visit gains anything is optimal. Rows that share a
/// threshold share e.
///
/// The e_jf of features with little gain are 0: a pass looks at the `hot` features only, those that
/// some e holds and those with the largest gains when `refresh` was last called.
class CountedDescent {
public:
    /// Both must outlive this.
    CountedDescent(const HingeProblem& problem, const CountedMoves& moves, const WeightBox& box,
                   StopFlag stop);

    /// Multipliers to begin with, alpha_j = c_j a_j, and the worst moves against w.
    void start(const Vector& a, const Vector& w);
    /// The same multipliers where the plane without harmful weights has them: what it costs the
    /// weights to be harmless is made of moves, as far as those go. Of one attacking class only.
    void start_harmless(const Vector& a, const WeightBox& harmless);
    /// The term mu/2 ||w||^2 - centre_weight centre'w, centre_weight <= mu.
    void set_regularizer(double mu, double centre_weight, const Vector& centre);
    void set_bias(double bias) { bias_centre_ = bias - softness_ * balance_; }
    /// Recomputes v from the multipliers, and which features are hot.
    void refresh(CountedGains& gains);
    /// One pass over all rows. False when stopped.
    bool pass();

    Vector w() const;
    double bias() const { return bias_centre_ + softness_ * balance_; }
    const Vector& alpha() const { return alpha_; }
    /// sum_j y_j (s_j alpha_j x_j + s_j delta_j e_j), s_j the factor of the row's class.
    Vector image(double minus_factor, double plus_factor) const;

private:
    /// Rows with one common move: their multipliers' sum, and what of it moves which feature.
    struct Group {
        double y = 1.0;
        Index budget = 0;
        double total = 0.0;
        double level = 0.0;  ///< of the gains, where the budget is spent
        std::vector<int> features{};
        std::vector<double> e{};  ///< in [0, total], sum at most budget * total
        std::vector<double> change{};
    };
    struct Candidate {
        int feature;
        double change;
        double base;  ///< v without this group's share
        double e;
    };

    void visit(Index j);
    void spread(Group& group, Index j);
    void find_candidates(const Group& group, Index j);
    void level_out(Group& group);
    double share_at(const Candidate& one, double level, double total) const;
    void worst_hot_move(Group& group, Index j);
    double weight(Index l) const { return box_.clip(l, v_[l] / mu_); }

    const HingeProblem& problem_;
    const CountedMoves& moves_;
    const WeightBox& box_;
    StopFlag stop_;
    Random random_;
    double mu_ = 1.0;
    double centre_weight_ = 0.0;
    Vector centre_;
    double softness_ = 0.0;  ///< k
    double bias_centre_ = 0.0;
    double balance_ = 0.0;  ///< y'alpha
    Vector v_;
    Vector alpha_;
    Vector square_;  ///< ||x_j||^2
    std::vector<Group> groups_;
    std::vector<int> group_of_;  ///< of each row; -1: does not move
    std::vector<int> rows_;      ///< of positive weight
    std::vector<int> hot_[2];    ///< by label
    std::vector<int> stamp_;     ///< by feature: the visit that listed it
    int n_stamps_ = 0;
    std::vector<Candidate> candidates_;
    double largest_gain_ = 0.0;  ///< of the candidates without this group's share
    std::vector<int> place_;  ///< by feature: where it is among the candidates, in this visit
};

}  // namespace redoubt
