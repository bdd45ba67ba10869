#pragma once

/// The plane w as a function of the multipliers alpha >= 0 of the points, in the problem
///
///     min over w, b   mu/2 ||w - centre||^2 + sum_j c_j [1 - y_j (w'z_j + b) + r_j ||w||_q]_+ ,
///
/// z_j = x_j - mean. With v = mu centre + sum alpha_j y_j z_j and R = sum alpha_j r_j it is
/// w = (v - the point of R B_p nearest to v) / mu. Coordinate descent asks for one point at a time.

#include <memory>

#include "svm/hinge_problem.hpp"

namespace redoubt {

class DualImage {
public:
    /// The one for the problem's norm. The threat must be a ball without scales, or none.
    static std::unique_ptr<DualImage> make(const HingeProblem& problem);

    virtual ~DualImage() = default;
    DualImage(const DualImage&) = delete;

    /// Computes everything anew.
    virtual void reset(const Vector& alpha, double mu, const Vector& centre);
    /// Removes what has accumulated in sums that are carried along; O(n).
    virtual void refresh() = 0;
    /// Until the next `reset`, against an l2 ball and without a centre: the hinges have this size
    /// in place of ||w||, and w = v / mu. That is a plain SVM with other margins. If in the end
    /// size = ||w|| and mu = R / size, its optimum is that of the robust problem with mu = 0. Other
    /// norms ignore it.
    virtual void fix_size(double /*mu*/, double /*size*/) {}
    /// ||v|| where it is carried along, for l2 balls, and R.
    virtual double length() const { return 0.0; }
    double radius_sum() const { return R_; }

    /// The derivative of the dual's negative at alpha_j + step, without its bias and its constant:
    /// y_j w'z_j - r_j ||w||_q; and its own derivative.
    struct Slope {
        double value;
        double growth;
    };
    /// At the present alpha; loads point j for the other two.
    virtual Slope look(Index j) = 0;
    /// At alpha_j + step; only where `is_curved`.
    virtual Slope look_ahead(double step) = 0;
    /// alpha_j += step, which must be that of the last `look_ahead` where `is_curved`.
    virtual void move(double step) = 0;
    /// The growth changes along the way.
    virtual bool is_curved() const = 0;

    virtual Vector w() const = 0;
    /// What is to be added to a bias of centred features to get the one meant here: -w'mean where
    /// the points are not centred, else 0.
    virtual double bias_shift() const { return 0.0; }

protected:
    explicit DualImage(const HingeProblem& problem);
    void add_up(const Vector& alpha, double mu, const Vector& centre);
    double radius(Index j) const { return problem_.is_robust() ? problem_.r[j] : 0.0; }

    const HingeProblem& problem_;
    double mu_ = 1.0;
    Vector v_;              ///< mu centre + sum alpha y x, not centred
    double balance_ = 0.0;  ///< sum alpha y, so that the centred v is v_ - balance_ mean
    double R_ = 0.0;
};

}  // namespace redoubt
