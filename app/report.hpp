#pragma once

/// How results look on standard output.

#include <ostream>
#include <string>
#include <vector>

#include "redoubt/attack_curve.hpp"
#include "redoubt/ensemble.hpp"

namespace redoubt::app {

/// The shortest text that reads back as exactly this number.
std::string exact_text(double value);

/// One line per feature with its weight, and one with the bias.
void print_plane(std::ostream& out, const Hyperplane& plane,
                 const std::vector<std::string>& feature_names);

/// One line per attack radius, in percent, and the classifier that always gives one answer.
void print_attack_table(std::ostream& out, const AttackCurve& curve);

}  // namespace redoubt::app
