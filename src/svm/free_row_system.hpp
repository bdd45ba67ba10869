#pragma once

#include <Eigen/LU>
#include <vector>

#include "svm/large_cholesky.hpp"

namespace redoubt {

/// The rows of free multipliers, as a Newton step sees them: z_i has one number per feature.
class FreeRows {
public:
    virtual ~FreeRows() = default;
    virtual Index count() const = 0;
    /// out[i] = z_i'w.
    virtual void multiply(const Vector& w, Vector& out) const = 0;
    /// out += sum_i lambda_i z_i.
    virtual void add_transposed(const Vector& lambda, Vector& out) const = 0;
    /// The upper triangle of `matrix` += z_i'D^-1 z_k, D = diag(diagonal). False when stopped.
    virtual bool add_gram(const Vector& diagonal, LargeCholesky& matrix) const = 0;
    /// To the variables in which the system is diagonal, for right-hand sides, and back from them,
    /// for solutions.
    virtual void enter(Vector&) const {}
    virtual void leave(Vector&) const {}
};

/// Newton's equations with many more features than free points, solved in the space of the points:
///
///     H = diag(D, Theta) + sum_i weight_i g_i g_i' + sum_k strength_k h_k h_k' ,
///
/// in the unknowns (w, q), q a few numbers such as b and s. Row i is g_i = (z_i, e_i); the cone
/// adds terms h_k = (p_k, c_k) of either sign. With lambda_i = weight_i g_i'(w, q) the features are
/// eliminated first, then lambda by a Cholesky factorisation of diag(1 / weight) + Z D^-1 Z', and
/// what is left has a handful of unknowns. D may be tiny, so that the answer is refined.
class FreeRowSystem {
public:
    struct Term {
        Vector p;         ///< by feature
        Vector c;         ///< by number of q
        double strength;  ///< not 0
    };
    struct Parts {
        Vector D;       ///< > 0
        Vector Theta;   ///< >= 0
        Vector weight;  ///< of the rows, > 0
        Matrix E;       ///< one row e_i per row
        std::vector<Term> terms;
    };

    FreeRowSystem(int n_threads, StopFlag stop) : cholesky_(n_threads, stop) {}

    /// `rows` must live as long as this is used. False when stopped or not positive definite.
    bool factorize(const FreeRows& rows, Parts parts);

    /// (w, q) <- H^-1 (w, q) for a vector with all w first.
    Vector solve(const Vector& right) const;

private:
    Vector solve_once(const Vector& right) const;
    Vector multiply(const Vector& x) const;

    const FreeRows* rows_ = nullptr;
    Parts parts_;
    LargeCholesky cholesky_;
    Matrix border_;  ///< M: columns e and -Z D^-1 p
    Matrix solved_;  ///< K^-1 M
    Eigen::FullPivLU<Eigen::MatrixXd> rest_;
};

}  // namespace redoubt
