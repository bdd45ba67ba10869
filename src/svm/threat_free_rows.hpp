#pragma once

#include "svm/free_row_system.hpp"
#include "svm/threat_rows.hpp"

namespace redoubt {

/// The free rows of points with moves, for Newton steps in their space. With boxes the features of
/// the system are w and s, and the cone ties w_l to s_l by
///
///     [ mu + p + q    q - p        ]
///     [ q - p         p + q + delta ]      p, q >= 0 ,
///
/// which a change of variables makes diagonal: w_l + ratio_l s_l takes the place of w_l.
class ThreatFreeRows : public FreeRows {
public:
    /// Copies the free rows, relative to their mean where the group is capped, and fills in what
    /// parts.weight, E and D say about them; `plus` and `minus` are p and q, one per boxed feature.
    void set(const ThreatRows& rows, const std::vector<FreeGroup>& groups,
             const std::vector<int>& free_rows, double eps, FreeRowSystem::Parts& parts);
    void set_cone(double mu, double delta, const Vector& plus, const Vector& minus,
                  FreeRowSystem::Parts& parts);

    Index count() const override { return rows_.rows(); }
    void multiply(const Vector& w, Vector& out) const override;
    void add_transposed(const Vector& lambda, Vector& out) const override;
    bool add_gram(const Vector& diagonal, LargeCholesky& matrix) const override;
    void enter(Vector& right) const override;
    void leave(Vector& solution) const override;

private:
    Matrix rows_;
    Vector ratio_;  ///< one per boxed feature
};

}  // namespace redoubt
