#include "svm/free_row_system.hpp"

#include <utility>

namespace redoubt {

namespace {

/// Solutions are refined until the residual is this small, at most so often.
constexpr double kResidualGoal = 1e-12;
constexpr int kMaxRefinements = 3;

}  // namespace

bool FreeRowSystem::factorize(const FreeRows& rows, Parts parts) {
    rows_ = &rows;
    parts_ = std::move(parts);
    const Index count = rows.count();
    const Index n_q = parts_.Theta.size();
    const auto n_terms = static_cast<Index>(parts_.terms.size());
    cholesky_.reset(count);
    if (!rows.add_gram(parts_.D, cholesky_)) return false;
    for (Index i = 0; i < count; ++i) cholesky_.diagonal(i) += 1.0 / parts_.weight[i];
    if (!cholesky_.factorize()) return false;

    border_.resize(count, n_q + n_terms);
    border_.leftCols(n_q) = parts_.E;
    Eigen::MatrixXd rest = Eigen::MatrixXd::Zero(n_q + n_terms, n_q + n_terms);
    rest.diagonal().head(n_q) = parts_.Theta;
    Vector product;
    for (Index k = 0; k < n_terms; ++k) {
        const Term& term = parts_.terms[static_cast<std::size_t>(k)];
        const Vector scaled = term.p.cwiseQuotient(parts_.D);
        rows.multiply(scaled, product);
        if (count > 0) border_.col(n_q + k) = -product;
        rest.col(n_q + k).head(n_q) = term.c;
        rest.row(n_q + k).head(n_q) = term.c.transpose();
        for (Index i = 0; i < n_terms; ++i)
            rest(n_q + i, n_q + k) = -parts_.terms[static_cast<std::size_t>(i)].p.dot(scaled);
        rest(n_q + k, n_q + k) -= 1.0 / term.strength;
    }
    solved_.resize(count, border_.cols());
    // No column of a matrix without rows may be asked for.
    for (Index k = 0; count > 0 && k < border_.cols(); ++k) {
        Vector column = border_.col(k);
        cholesky_.solve(column.data());
        solved_.col(k) = column;
    }
    rest_.compute(rest + border_.transpose() * solved_);
    return true;
}

Vector FreeRowSystem::solve_once(const Vector& right) const {
    const Index n = parts_.D.size();
    const Index n_q = parts_.Theta.size();
    const auto n_terms = static_cast<Index>(parts_.terms.size());
    const Vector scaled = right.head(n).cwiseQuotient(parts_.D);
    Vector a;
    rows_->multiply(scaled, a);
    Vector beta(n_q + n_terms);
    beta.head(n_q) = right.tail(n_q);
    for (Index k = 0; k < n_terms; ++k)
        beta[n_q + k] = -parts_.terms[static_cast<std::size_t>(k)].p.dot(scaled);
    beta -= solved_.transpose() * a;
    beta = Vector(rest_.solve(beta));
    Vector lambda = a;
    cholesky_.solve(lambda.data());
    lambda += solved_ * beta;
    Vector pull = Vector::Zero(n);
    rows_->add_transposed(lambda, pull);
    for (Index k = 0; k < n_terms; ++k)
        pull += beta[n_q + k] * parts_.terms[static_cast<std::size_t>(k)].p;
    Vector x(n + n_q);
    x.head(n) = scaled - pull.cwiseQuotient(parts_.D);
    x.tail(n_q) = beta.head(n_q);
    return x;
}

Vector FreeRowSystem::multiply(const Vector& x) const {
    const Index n = parts_.D.size();
    const Index n_q = parts_.Theta.size();
    const Vector w = x.head(n);
    const Vector q = x.tail(n_q);
    Vector lambda;
    rows_->multiply(w, lambda);
    lambda = parts_.weight.cwiseProduct(lambda + parts_.E * q);
    Vector along = parts_.D.cwiseProduct(w);
    rows_->add_transposed(lambda, along);
    Vector rest = parts_.Theta.cwiseProduct(q) + parts_.E.transpose() * lambda;
    for (const Term& term : parts_.terms) {
        const double tau = term.strength * (term.p.dot(w) + term.c.dot(q));
        along += tau * term.p;
        rest += tau * term.c;
    }
    Vector out(n + n_q);
    out << along, rest;
    return out;
}

Vector FreeRowSystem::solve(const Vector& given) const {
    Vector right = given;
    rows_->enter(right);
    Vector x = solve_once(right);
    double last = right.norm();
    for (int i = 0; i < kMaxRefinements; ++i) {
        const Vector residual = right - multiply(x);
        const double size = residual.norm();
        // Not smaller than before: rounding errors are all that is left.
        if (!(size < 0.5 * last) || size <= kResidualGoal * right.norm()) break;
        last = size;
        x += solve_once(residual);
    }
    rows_->leave(x);
    return x;
}

}  // namespace redoubt
