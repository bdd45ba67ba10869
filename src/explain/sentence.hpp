#pragma once

#include <string>

#include "redoubt/explain.hpp"

namespace redoubt {

/// The number with three digits, rounded towards 0 so that it never exceeds the value; integers in
/// full.
std::string rounded_down(double value);

/// The sentence of an explanation whose other fields are complete.
std::string explanation_sentence(const Explanation& explanation, const Model& model,
                                 const ExplainSettings& settings);

}  // namespace redoubt
