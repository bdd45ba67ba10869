#pragma once

#include <cmath>

#include "svm/ball_gap.hpp"
#include "svm/dual_descent.hpp"
#include "svm/dual_face.hpp"

namespace redoubt {

/// Coordinate descent under observation: what the gap is, how fast it closes, and whether Newton
/// steps would be there sooner. Decides by counted operations, never by the clock, so that equal
/// input goes the same way everywhere.
class DescentWatch {
public:
    /// The problem must outlive this.
    DescentWatch(const HingeProblem& problem, StopFlag stop);

    DualDescent& descent() { return descent_; }
    BallGap& gap() { return gap_; }
    BallRows& rows() { return rows_; }
    const BallRows& rows() const { return rows_; }

    /// False when stopped.
    bool run_passes(int count);
    /// Measures both sides of the problem with this mu where the descent is, and lets it visit all
    /// points again.
    void look(double mu);
    /// The same at another plane and multipliers; not counted as progress.
    void look_at(const Vector& w, const Vector& a, double mu);

    // What the last look saw: the plane, scaled to the best of its multiples, and its multipliers.
    const Vector& w() const { return w_; }
    const Vector& a() const { return a_; }
    const Vector& t() const { return t_; }
    double bias() const { return z_[rows_.bias()]; }  ///< of centred features
    const DualityGap& seen() const { return seen_; }
    double relative() const { return relative_; }
    /// The largest t of points that count.
    double largest_hinge() const;
    /// From now on the gap is relative to the objective, however small that is.
    void drop_floor() { floor_ = 0.0; }

    /// The first passes of a descent, then those until the next look: as many as the goal seems to
    /// need, but not too many at once.
    int first_passes() const;
    /// Steps on the face cost no more than a pass or two.
    bool has_few_points() const;
    /// Of few points, is no multiplier at a bound, so that passes have none to free?
    bool has_all_free() const;
    int passes_to(double goal) const;
    /// Would a Newton step on the face of the free multipliers, and the few passes after it, do
    /// more than passes?
    bool prefers_face(double goal) const;
    /// Such a step, with its passes. False when stopped.
    bool step_on_face();
    /// Does the descent stall, or would Newton steps reach the goal sooner?
    bool is_slow(double goal) const;
    /// Are so few weights not 0, and the gap so small, that stages in their columns cost no more
    /// than the passes since this was last true?
    bool prefers_columns();
    /// Another problem begins.
    void forget_progress();
    /// No Newton step would fit into memory.
    bool is_beyond_newton() const;

private:
    void stretch(double mu);
    bool is_round() const;
    double pass_cost() const;
    double late_pass_cost() const;
    double newton_cost() const;
    double face_cost() const;
    int passes_after_face() const;
    double allowed_error(double goal) const;
    bool is_stalled() const;

    const HingeProblem& problem_;
    StopFlag stop_;
    BallRows rows_;
    BallGap gap_;
    DualDescent descent_;
    DualFace face_;
    int face_failures_ = 0;  ///< in a row
    bool is_after_face_ = false;
    double face_gain_ =
        0.0;  ///< by how much the last one lowered the error's logarithm; 0: none yet
    double cost_of_passes_ = 0.0;  ///< since the last step on the face
    Vector w_, z_, t_, a_;
    DualityGap seen_;
    double floor_ = kGapFloor;
    double relative_ = HUGE_VAL;
    double rate_ = 1.0;  ///< of the error's logarithm, per pass
    double last_error_ = HUGE_VAL;
    double least_error_ = HUGE_VAL;
    int n_passes_ = 0;
    int last_look_ = 0;
    int last_progress_ = 0;
    double cost_before_columns_ = 0.0;  ///< of passes, since `prefers_columns`
};

/// Largest matrix that is factorised.
inline constexpr double kLargestMatrix = 8000.0;

}  // namespace redoubt
