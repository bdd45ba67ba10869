#pragma once

/// The least step that changes a vote under an attack model, by two ways that share no code with
/// the native search: an integer program on HiGHS, and every set of planes at every whole point.

#include "reference/second_opinion.hpp"
#include "redoubt/attack_model.hpp"

namespace redoubt {

/// Planes of weight `wanted` (units of the ensemble) that do not answer `label` at x + d; d as
/// small as the model measures it.
struct ModelQuestion {
    const Ensemble& ensemble;
    const AttackModel& model;  ///< checked, and x too; attacking_class is not looked at
    const Vector& x;
    int label;
    std::int64_t wanted;
    /// Moves of at most this size only; > 0. Answers beyond it are infinite. HiGHS asks for a
    /// finite one that is not many times the answer: its constants grow with it.
    double farthest = HUGE_VAL;
};

/// As in FlipAnswer, to about 1e-6 of `farthest`, and "strictly" means by 1e-7 of it. `d` is not
/// given: the program's point need not survive rounding. Throws InvalidInput when HiGHS is absent.
FlipAnswer mip_model_flip(const ModelQuestion& question, const PointLimits& limits);

/// The same for an unknown `farthest`: it is raised until the answer lies within it, up to 1e6
/// times the greatest of 1 and the largest |x_l|, and then brought close to the answer.
FlipAnswer mip_model_flip_anywhere(const ModelQuestion& question, const PointLimits& limits);

/// The same by enumeration. Whole numbers without a limit are tried up to 64 steps away. `d` is not
/// given. Meant for few planes, few whole features and small groups.
FlipAnswer enumerate_model_flip(const ModelQuestion& question);

}  // namespace redoubt
