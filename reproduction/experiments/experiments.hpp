#pragma once

/// The experiments of the source paper: which rows its tables have, and their results.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments/row.hpp"

namespace redoubt::reproduction {

/// A data set under one norm.
struct Arena {
    std::string dataset;
    Norm norm = Norm::L2;
};

using Problems = std::map<std::string, Problem>;

/// How the rows are computed. Rows are shared out among threads; each is trained on one.
struct RunSettings {
    RowSettings row{};
    int n_threads = 0;
    /// Called with each row that is ready, one call at a time. May be empty.
    std::function<void()> row_done{};

    bool is_stopped() const { return row.stop != nullptr && row.stop->load(); }
};

/// Calls compute(0 .. n - 1) on the threads of the settings, none any more once it was stopped.
void for_each_row(std::size_t n, const RunSettings& settings,
                  const std::function<void(std::size_t)>& compute);

struct RowResult {
    RowKey key;
    Scores scores;
    double seconds = 0.0;
};

/// The rows of the accuracy table. As published: the paper's. Corrected: all six methods, Ens-C
/// also against radii beyond the paper's.
std::vector<RowKey> table_rows(const Arena& arena, Mode mode);

/// Trains and scores at kAttackRadii. Rows that were not reached before a stop have empty scores.
std::vector<RowResult> run_rows(const Problems& problems, const std::vector<RowKey>& rows,
                                const RunSettings& settings);

/// The rows of the table over the number of planes, with the greatest number.
std::vector<RowKey> development_rows(const Arena& arena, Mode mode);

/// The scores of one method at kDevelopmentAttack for each of kPlaneCounts.
struct DevelopmentResult {
    RowKey key;
    Scores scores;
};

/// A vote of k planes is the first k of the largest one, except Ens-C, whose planes are trained
/// together.
std::vector<DevelopmentResult> run_development(const Problems& problems,
                                               const std::vector<RowKey>& rows,
                                               const RunSettings& settings);

}  // namespace redoubt::reproduction
