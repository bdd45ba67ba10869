#pragma once

#include <optional>
#include <vector>

#include "svm/hinge_problem.hpp"

namespace redoubt {

/// A problem with compressed rows and fewer columns, of the same optimum.
///
/// A column without entries has no weight at the optimum. Columns that are alike have equal weights
/// at the optimum of least norm, as permuting them changes nothing. So they become one: with c
/// columns of weight w each, u = sqrt(c) w and the entries times sqrt(c) leave products and ||w||_2
/// as they are. The other norms have no such factor, and keep their columns apart.
class MergedColumns {
public:
    /// Nothing where the columns would hardly get fewer. The problem, whose rows must be
    /// compressed, must outlive this. Cost: two passes.
    static std::optional<MergedColumns> of(const HingeProblem& problem);

    const HingeProblem& problem() const { return merged_; }
    /// Weights of the merged columns for weights of the problem's own, and back.
    Vector merge(const Vector& w) const;
    Vector expand(const Vector& u) const;

private:
    MergedColumns(const HingeProblem& problem, std::vector<Index> place,
                  const std::vector<Index>& count);

    std::vector<Index> place_;  ///< of each column among the merged ones; -1 without entries
    Vector factor_;             ///< sqrt(c) of each merged column
    HingeProblem merged_;
};

}  // namespace redoubt
