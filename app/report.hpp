#pragma once

/// How results look on standard output, and warnings on standard error.

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "command.hpp"
#include "redoubt/attack_curve.hpp"
#include "redoubt/ensemble.hpp"
#include "redoubt/model.hpp"
#include "redoubt/status.hpp"

namespace redoubt::app {

/// The shortest text that reads back as exactly this number.
std::string exact_text(double value);

/// One line per feature with its weight, and one with the bias.
void print_plane(std::ostream& out, const Hyperplane& plane,
                 const std::vector<std::string>& feature_names);

/// One line per attack radius, in percent, and the classifier that always gives one answer.
void print_attack_table(std::ostream& out, const AttackCurve& curve);

/// The label of the data that -1 or +1 stands for.
const std::string& label_of(const Model& model, double sign);

/// One field per number; empty for NaN.
void append_row(std::vector<std::string>& fields, const VectorRef& numbers);

void warn_of_undone_moves(int n_undone);

/// The exit code of a command that leaves this many of its points unsettled, with a warning.
ExitCode warn_of_limits(std::size_t n_unsettled, std::size_t n_points);

template <class Result>
ExitCode warn_of_limits(const std::vector<Result>& results) {
    const auto n_unsettled =
        std::count_if(results.begin(), results.end(),
                      [](const Result& result) { return result.status != Status::Optimal; });
    return warn_of_limits(static_cast<std::size_t>(n_unsettled), results.size());
}

}  // namespace redoubt::app
