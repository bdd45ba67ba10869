#pragma once

/// The seeded problems of the attack models' tests, as models of raw data.

#include "threat/random_models.hpp"
#include "core/random.hpp"
#include "redoubt/model.hpp"

namespace redoubt::testing {

struct ExplainedProblem {
    Model model;
    Vector raw;
    AttackModel rules;
};

/// Even seeds have raw data that the planes see as they are; with odd ones the data are scaled, and
/// the planes pass as near to the point as before.
inline ExplainedProblem make_explained_problem(Norm norm, unsigned rules, std::uint64_t seed) {
    const ModelProblem problem = make_model_problem(norm, rules, seed);
    const Index n = problem.x.size();
    Vector offset = Vector::Zero(n);
    Vector scale = Vector::Ones(n);
    Vector intercept = problem.ensemble.intercept();
    if (seed % 2 == 1) {
        Random random(seed, 77);
        for (double& value : offset) value = 3.0 * random.normal();
        for (double& value : scale) value = 0.1 + 5.0 * random.uniform();
        const Vector scaled = (problem.x - offset).cwiseQuotient(scale);
        intercept += problem.ensemble.coef() * (problem.x - scaled);
    }
    return {Model(Scaler(Scaling::Standard, offset, scale),
                  Ensemble(problem.ensemble.coef(), intercept), {"low", "high"}),
            problem.x, problem.model};
}

inline int answer_at(const ExplainedProblem& problem, const Vector& raw) {
    return problem.model.predict_all(raw.transpose())[0];
}

}  // namespace redoubt::testing
