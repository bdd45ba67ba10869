#pragma once

/// Own figures against the published ones, cell by cell.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/published_tables.hpp"
#include "experiments/row.hpp"

namespace redoubt::reproduction {

enum class Verdict {
    Equal,      ///< the same number of test points
    OnePoint,   ///< one test point more or less
    Different,  ///< more than that, or a figure that no number of test points gives
};

/// "equal", "one_point" or "different".
std::string_view to_string(Verdict verdict) noexcept;

/// How well an explanation is founded.
enum class Evidence {
    None,
    Shown,    ///< an alternative gives the published figure
    Between,  ///< it lies between what the alternatives give
    Open,     ///< the errata leave the row undetermined, but no alternative came to the figure
};

/// "", "shown", "between" or "open".
std::string_view to_string(Evidence evidence) noexcept;

struct Explanation {
    std::string errata{};  ///< as in "E6 E7", or "unexplained"
    Evidence evidence = Evidence::None;
};

struct CellComparison {
    PublishedAccuracy published;
    double own_percent = 0.0;
    /// Own minus published, in test points.
    Index n_points = 0;
    Verdict verdict = Verdict::Different;
    /// Empty for equal cells and where nobody has looked for one; see `explain_cell`.
    Explanation explanation{};
};

/// Is there a number of test points that gives this percentage, rounded to one decimal?
bool is_count(double percent, Index n_test);

/// A share of `n_test` points against a percentage with one digit behind the point.
CellComparison compare_cell(const PublishedAccuracy& published, double own_share, Index n_test);

/// The share of test points of every cell of one run.
struct CellKey {
    RowKey row;
    double attack_radius = 0.0;
    auto operator<=>(const CellKey&) const = default;
};
using Cells = std::map<CellKey, double>;

CellKey key_of(const PublishedAccuracy& cell);

/// A run with another choice that the published experiments may have made, and what it is called in
/// the list of errata.
struct Alternative {
    std::string erratum;
    Cells cells;
};

/// One comparison per published cell that `own` has, in the published order. `n_test` tells the
/// number of test points of a data set.
std::vector<CellComparison> compare_cells(const std::vector<PublishedAccuracy>& published,
                                          const Cells& own,
                                          const std::map<std::string, Index>& n_test);

/// What accounts for a cell that differs: the errata of the alternatives whose own cell is the
/// published one; if there is none, those of all that move the cell if the published count lies
/// between what they and `cell` give; else `open`, the errata that leave the row undetermined; else
/// "unexplained".
Explanation explain_cell(const CellComparison& cell, Index n_test,
                         const std::vector<Alternative>& alternatives, const std::string& open);

struct VerdictCount {
    Index n_cells = 0;
    Index n_equal = 0;
    Index n_within_one = 0;  ///< the equal ones, too

    Index n_different() const { return n_cells - n_within_one; }
    void add(Verdict verdict);
};

/// "812 of 1140 cells equal, 950 within one test point".
std::string count_text(const VerdictCount& count);
/// The same with "as published: " or "corrected: " before it.
std::string summary_text(Mode mode, const VerdictCount& count);

}  // namespace redoubt::reproduction
