#pragma once

#include <optional>
#include <vector>

#include "svm/ball_gap.hpp"
#include "svm/staged_solver.hpp"

namespace redoubt {

/// A hinge problem in some of its columns alone, as if the weights of the others had to be 0.
/// Without an adversary, or against a ball without scales.
class ChosenColumns {
public:
    /// `columns` ascend.
    ChosenColumns(const HingeProblem& problem, std::vector<Index> columns);
    ChosenColumns(const ChosenColumns&) = delete;
    ChosenColumns& operator=(const ChosenColumns&) = delete;

    /// Its rows are dense, and kept here.
    const HingeProblem& problem() const { return chosen_; }
    Vector choose(const Vector& w) const;
    Vector expand(const Vector& u) const;

private:
    Index n_;
    std::vector<Index> columns_;
    Matrix X_;
    HingeProblem chosen_;
};

/// Against linf moves and without a regulariser few weights differ from 0 at the optimum. The
/// stages solve the problem in the columns where `start` has weights, or nearly has them, and then
/// again with those columns in which the multipliers exceed what the moves can take; the gap is
/// that of all columns. The first stages begin at `start` where any optimum will do, else from
/// nothing, to find the optimum of least norm in the columns. Nothing is returned where there
/// are no columns, or too many, or the stages fail.
std::optional<SvmResult> solve_in_columns(const HingeProblem& problem, const SvmSettings& settings,
                                          BallRows& rows, StagedStart start);

}  // namespace redoubt
