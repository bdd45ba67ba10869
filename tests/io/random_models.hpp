#pragma once

/// Models of every shape for the tests of the model file.

#include "redoubt/model.hpp"

#include <random>
#include <string>

namespace redoubt::test {

using Generator = std::mt19937_64;

/// Any finite double: half of them from all bit patterns, zeros of both signs, denormals and the
/// ends of the range among the rest.
double random_double(Generator& generator);

/// Up to 8 characters of UTF-8, quotes and control characters among them.
std::string random_text(Generator& generator);

/// Up to 6 features (one-hot columns included) and 5 planes; every field of the record may be set.
Model random_model(Generator& generator);

/// Two features, two planes, a record of two rounds: every kind of field occurs.
Model small_model();

/// Fails the test unless both are the same to the last bit.
void expect_same_model(const Model& left, const Model& right);

}  // namespace redoubt::test
