#pragma once

/// What a model file says about its model, as names and values: for `info` and for cards.

#include <string>
#include <variant>
#include <vector>

#include "redoubt/model.hpp"
#include "redoubt/types.hpp"

namespace redoubt::app {

struct ModelFact {
    std::string name;
    std::variant<double, Index, std::string> value;

    /// The value as text for reading.
    std::string text() const;
};

/// For a model of more than two classes: how its planes answer.
std::string decision_text(const ClassVote& vote);

/// How the model was trained; what is not known is left out.
std::vector<ModelFact> training_facts(const TrainingRecord& training);

}  // namespace redoubt::app
