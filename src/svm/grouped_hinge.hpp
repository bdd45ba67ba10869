#pragma once

#include <Eigen/Cholesky>
#include <vector>

#include "svm/move_rows.hpp"

namespace redoubt {

/// One stage of the proximal method of multipliers, as SmoothedHinge, for groups of rows:
///
///   Phi(z) = mu/2 ||w - w_ref||^2 + 1/2 (w - w_at)'C(w - w_at) + delta/2 |(b, s) - centre|^2
///          + sum_j c_j  max over a_j >= 0, sum a_j <= 1 of   a_j't_j - eps/2 ||a_j - centre_j||^2
///          + sum_l      max over p, q >= 0 of   p (w_l - s_l) + q (-w_l - s_l)
///                                               - eps_box/2 |(p, q) - centre_l|^2
///
/// A group's maximiser is the projection of centre + t/eps onto the capped simplex. Where the cap
/// does not bind its free rows (a > 0) count one by one in the Hessian, and where it binds relative
/// to their mean. The last sum is there when there are boxes; p and q hold s_l >= |w_l|.
/// C is a guess of the curvature that the rows found so far do not show: it steadies the method and
/// vanishes from the result, because w_at follows w.
class GroupedHinge {
public:
    explicit GroupedHinge(MoveRows& rows);

    /// Puts z at (w, |w|, bias) and all multipliers at 0.
    void start(const VectorRef& w, double bias);
    /// Adds rows, takes out those whose multiplier was 0 in the last `kPatience` calls. A new row
    /// takes the place of rows of its group whose move differs by less than the share `nearly_same`
    /// of its length, and their multipliers. Call it right after `advance`.
    void update_rows(std::vector<NewRow> added, double nearly_same);

    struct Smoothing {
        double eps = 0.0;      ///< width in t over which a hinge is rounded off
        double eps_box = 0.0;  ///< the same for s >= |w|
    };
    void set_smoothing(const Smoothing& smoothing) { smoothing_ = smoothing; }
    enum class Reference { Zero, Current };
    void set_regularizer(double mu, Reference reference);
    /// C, with w_at the present w; an empty matrix for none.
    void set_curvature(Matrix curvature);

    /// Multipliers and gradient at z, and the same on the last quadratic piece.
    void evaluate();
    void evaluate_on_last_piece();
    /// One Newton step with a line search; `evaluate` is due afterwards. False when the direction
    /// does not go down or the Hessian could not be factorised.
    bool step();

    double last_decrement() const { return decrement_; }
    double next_decrement();
    double smoothing_error() const;

    /// Centre <- maximisers.
    void advance();
    /// Multiplies mu, C and all multipliers; call it right after `advance`.
    void scale_multipliers(double factor);

    const Vector& z() const { return z_; }
    const Vector& t() const { return t_; }
    const Vector& a() const { return a_; }
    const Vector& gradient() const { return gradient_; }
    /// The sum of a group's multipliers.
    double group_multiplier(Index group) const;
    double largest_multiplier() const;

    /// Calls of update_rows that an unused row survives.
    static constexpr double kPatience = 30.0;

private:
    void find_pieces();
    void follow_multipliers();
    void project_group(Index group, double step);
    bool factorize();
    double slope(double step);
    void add_box_terms();

    MoveRows& rows_;
    Smoothing smoothing_;
    double mu_ = 0.0;
    double delta_bias_;
    double delta_size_;

    Vector z_, z_centre_, w_ref_, w_at_, direction_, gradient_;
    Vector t_, t_direction_;
    Vector a_, a_centre_, alpha_, idle_, trial_;
    Vector p_, q_, p_centre_, q_centre_;
    Matrix curvature_;
    std::vector<FreeGroup> free_groups_;
    std::vector<int> free_rows_;
    double free_weight_ = 0.0;
    Matrix hessian_;
    Eigen::LLT<Eigen::MatrixXd, Eigen::Upper> factor_;
    double decrement_ = 0.0;
};

/// Projects v[0..count) in place onto { a >= 0, sum a <= 1 }; true when the sum is at its cap.
bool project_to_capped_simplex(double* v, Index count);

}  // namespace redoubt
