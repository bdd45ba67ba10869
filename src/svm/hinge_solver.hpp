#pragma once

#include <atomic>
#include <optional>

#include "redoubt/status.hpp"
#include "svm/hinge_problem.hpp"

namespace redoubt {

struct HingeSettings {
    double tolerance = 1e-8;
    double gap_floor = 1e-4;
    int max_newton_steps = 1000;
    const std::atomic<bool>* stop = nullptr;
};

/// A point to start from: w, b, and multipliers a in [0, 1] (may be empty).
struct HingeStart {
    Vector w;
    double b = 0.0;
    Vector a;
};

struct HingeSolution {
    Status status = Status::NumericalFailure;
    Vector w;
    double b = 0.0;
    Vector a;
    double primal = 0.0;
    double dual = 0.0;
    double relative_gap = 0.0;
    int n_newton_steps = 0;
    int n_stages = 0;
};

/// Solves the hinge problem by the proximal method of multipliers with a semismooth Newton method
/// inside; docs/algorithms.md tells the whole story.
HingeSolution solve_hinge_problem(const HingeProblem& problem, const HingeSettings& settings,
                                  const std::optional<HingeStart>& start);

}  // namespace redoubt
