#pragma once

/// Why a cell differs: the same row under other choices that the published experiments may have
/// made. A choice that gives the published figure is an explanation.

#include <map>
#include <string>
#include <vector>

#include "experiments/comparison.hpp"
#include "experiments/experiments.hpp"

namespace redoubt::reproduction {

/// The cells of some rows, as shares.
Cells cells_of(const std::vector<RowResult>& rows);
Cells cells_of(const std::vector<DevelopmentResult>& rows);

/// Fills in the explanations: reruns each row with a cell that differs under every alternative.
void explain_cells(std::vector<CellComparison>& comparison, const Problems& problems,
                   const std::map<std::string, Index>& n_test, const RunSettings& settings);

/// The same for the tables over the number of planes.
void explain_development(std::vector<CellComparison>& comparison, const Problems& problems,
                         const std::map<std::string, Index>& n_test, const RunSettings& settings);

}  // namespace redoubt::reproduction
