#pragma once

/// Where the source paper, its code and its tables do not agree, and how one can tell.

#include <string>
#include <vector>

#include "experiments/reproduction.hpp"

namespace redoubt::reproduction {

struct Erratum {
    std::string name;  ///< E1, E2, ..
    std::string title;
    /// What this run measured of it; empty if the erratum is about words only.
    std::string evidence;
};

/// E1 to E11. Evidence comes from the published tables, from `reproduction`, and from a few more
/// trainings (less than a second on the paper's data).
std::vector<Erratum> find_errata(const Reproduction& reproduction);

}  // namespace redoubt::reproduction
