#pragma once

/// The results of `redoubt reproduce` as tidy CSV files, one per table; docs/reproduction.md
/// describes them, and `python -m redoubt.report` turns them into a page.

#include <string>
#include <utility>
#include <vector>

#include "experiments/reproduction.hpp"

namespace redoubt::reproduction {

/// Name and content of a file.
using ResultFile = std::pair<std::string, std::string>;

/// `command` is the command line, for the record in run.json.
std::vector<ResultFile> result_files(const Reproduction& reproduction, const std::string& command);

/// Counts for each method and arena, then over all.
struct SummaryRow {
    std::string dataset;
    std::string norm;
    std::string method;
    VerdictCount count;
};
std::vector<SummaryRow> summarise(const std::vector<CellComparison>& cells);

}  // namespace redoubt::reproduction
