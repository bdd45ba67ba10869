#pragma once

/// What a model file says of its model, as names and values: for `info` and for cards.

#include <string>
#include <variant>
#include <vector>

#include "redoubt/model.hpp"
#include "redoubt/types.hpp"

namespace redoubt::app {

struct ModelFact {
    std::string name;
    std::variant<double, Index, std::string> value;

    /// The value for reading.
    std::string text() const;
};

/// Of a model of more than two classes: how its planes answer.
std::string decision_text(const ClassVote& vote);

/// How the model came about; what is not known is left out.
std::vector<ModelFact> training_facts(const TrainingRecord& training);

}  // namespace redoubt::app
