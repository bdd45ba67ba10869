#include "experiments/alternatives.hpp"

#include <set>

namespace redoubt::reproduction {

namespace {

/// What leaves a row undetermined: a first plane that is one of many optima, and the exact
/// adversary's choice among its perturbations.
std::string open_errata(const PublishedAccuracy& cell) {
    std::string errata;
    if (cell.method != "SVM-Ens" && solver_plane(cell.dataset, cell.norm, cell.defense_radius))
        errata = "E6";
    if (cell.method == "Ens-E") errata += errata.empty() ? "E7" : " E7";
    return errata;
}

/// Runs `run` on the rows that have a cell which is not equal, under every alternative choice, and
/// compares again. `run` gives the cells of some rows.
template <class RunCells>
void explain_with(std::vector<CellComparison>& comparison,
                  const std::map<std::string, Index>& n_test, RunSettings settings,
                  const RunCells& run) {
    std::set<RowKey> rows;
    for (const CellComparison& cell : comparison) {
        if (cell.verdict != Verdict::Equal) rows.insert(key_of(cell.published).row);
    }
    settings.row_done = {};  // these rows are not counted
    std::vector<Alternative> alternatives;
    for (const AlternativeChoice& choice : alternative_choices()) {
        settings.row.choices = choice.choices;
        alternatives.push_back({choice.erratum, run({rows.begin(), rows.end()}, settings)});
        if (settings.is_stopped()) return;
    }
    for (CellComparison& cell : comparison) {
        if (cell.verdict == Verdict::Equal) continue;
        cell.explanation = explain_cell(cell, n_test.at(cell.published.dataset), alternatives,
                                        open_errata(cell.published));
    }
}

}  // namespace

Cells cells_of(const std::vector<RowResult>& rows) {
    Cells cells;
    for (const RowResult& row : rows) {
        for (Index i = 0; i < row.scores.accuracy.size(); ++i)
            cells[{row.key, kAttackRadii[static_cast<std::size_t>(i)]}] = row.scores.accuracy[i];
    }
    return cells;
}

Cells cells_of(const std::vector<DevelopmentResult>& rows) {
    Cells cells;
    for (const DevelopmentResult& row : rows) {
        RowKey key = row.key;
        for (Index i = 0; i < row.scores.accuracy.size(); ++i) {
            key.n_planes = kPlaneCounts[static_cast<std::size_t>(i)];
            cells[{key, kDevelopmentAttack}] = row.scores.accuracy[i];
        }
    }
    return cells;
}

void explain_cells(std::vector<CellComparison>& comparison, const Problems& problems,
                   const std::map<std::string, Index>& n_test, const RunSettings& settings) {
    explain_with(comparison, n_test, settings,
                 [&](const std::vector<RowKey>& rows, const RunSettings& other) {
                     return cells_of(run_rows(problems, rows, other));
                 });
}

void explain_development(std::vector<CellComparison>& comparison, const Problems& problems,
                         const std::map<std::string, Index>& n_test, const RunSettings& settings) {
    explain_with(
        comparison, n_test, settings,
        [&](const std::vector<RowKey>& rows, const RunSettings& other) {
            // One run gives the cells of every number of planes.
            std::set<RowKey> longest;
            for (RowKey row : rows) {
                row.n_planes = kPlaneCounts.back();
                longest.insert(row);
            }
            return cells_of(run_development(problems, {longest.begin(), longest.end()}, other));
        });
}

}  // namespace redoubt::reproduction
