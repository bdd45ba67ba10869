#include "svm/threat_free_rows.hpp"

namespace redoubt {

void ThreatFreeRows::set(const ThreatRows& rows, const std::vector<FreeGroup>& groups,
                         const std::vector<int>& free_rows, double eps,
                         FreeRowSystem::Parts& parts) {
    const auto count = static_cast<Index>(free_rows.size());
    rows_.resize(count, rows.bias());
    parts.weight.resize(count);
    parts.E.resize(count, 1);
    Vector row(rows.n_variables());
    for (const FreeGroup& free : groups) {
        const Vector centre = rows.centre_of(free, free_rows);
        for (std::size_t at = free.begin; at < free.end; ++at) {
            const auto i = static_cast<Index>(at);
            rows.pack_row(free, free_rows[at], centre, 1.0, row.data());
            rows_.row(i) = row.head(rows.bias()).transpose();
            parts.E(i, 0) = row[rows.bias()];
            // The packed row has the root of the point's weight in it.
            parts.weight[i] = 1.0 / eps;
        }
    }
    ratio_.resize(0);
}

// [a b; b c] = [1 0; r 1] [a 0; 0 c - b^2/a] [1 r; 0 1] with r = b / a. Where only one of p and q
// is there, c - b^2/a is delta + p mu / (mu + p): no difference of large numbers.
void ThreatFreeRows::set_cone(double mu, double delta, const Vector& plus, const Vector& minus,
                              FreeRowSystem::Parts& parts) {
    const Index n = plus.size();
    ratio_.resize(n);
    for (Index l = 0; l < n; ++l) {
        const double p = plus[l];
        const double q = minus[l];
        const double corner = mu + p + q;
        ratio_[l] = (q - p) / corner;
        parts.D[l] = corner;
        parts.D[n + l] = delta + (mu * (p + q) + 4.0 * p * q) / corner;
    }
    // The unknowns are w + r s and s, so that a row's number for s becomes g_s - r g_w.
    // No column of a matrix without rows may be asked for.
    for (Index l = 0; count() > 0 && l < n; ++l) rows_.col(n + l) -= ratio_[l] * rows_.col(l);
}

void ThreatFreeRows::enter(Vector& right) const {
    const Index n = ratio_.size();
    right.segment(n, n) -= ratio_.cwiseProduct(right.head(n));
}

void ThreatFreeRows::leave(Vector& solution) const {
    const Index n = ratio_.size();
    solution.head(n) -= ratio_.cwiseProduct(solution.segment(n, n));
}

void ThreatFreeRows::multiply(const Vector& w, Vector& out) const {
    out.resize(count());
    const kernels::Rows rows{rows_.data(), rows_.outerStride(), rows_.cols()};
    kernels::multiply_rows(rows, w.data(), 0, count(), out.data());
}

void ThreatFreeRows::add_transposed(const Vector& lambda, Vector& out) const {
    for (Index i = 0; i < count(); ++i)
        kernels::add_multiple(lambda[i], rows_.row(i).data(), rows_.cols(), out.data());
}

bool ThreatFreeRows::add_gram(const Vector& diagonal, LargeCholesky& matrix) const {
    const Vector scale = diagonal.cwiseSqrt().cwiseInverse();
    return matrix.add_columns(rows_.cols(), [&](Index i, Index begin, Index end, double* out) {
        for (Index l = begin; l < end; ++l) out[l - begin] = rows_(i, l) * scale[l];
    });
}

}  // namespace redoubt
