#include "experiments/errata.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "redoubt/bundled_data.hpp"
#include "redoubt/svm.hpp"

namespace redoubt::reproduction {

namespace {

std::string of(Index part, Index all) {
    return std::to_string(part) + " of " + std::to_string(all);
}

VerdictCount count(const std::vector<CellComparison>& cells, const std::string& method) {
    VerdictCount result;
    for (const CellComparison& cell : cells) {
        if (cell.published.method == method) result.add(cell.verdict);
    }
    return result;
}

const ModeResults* find_mode(const Reproduction& reproduction, Mode mode) {
    for (const ModeResults& results : reproduction.modes) {
        if (results.mode == mode) return &results;
    }
    return nullptr;
}

std::string one_split(const Reproduction& reproduction) {
    Index n_integers = 0;
    Index n_cells = 0;
    for (const PublishedAccuracy& cell : published_accuracies()) {
        const auto found = reproduction.problems.find(cell.dataset);
        if (found == reproduction.problems.end()) continue;
        ++n_cells;
        // Against its own share: whole or not does not depend on what we found.
        const Index n_test = found->second.test_y.size();
        if (is_count(cell.percent, n_test)) ++n_integers;
    }
    return of(n_integers, n_cells) +
           " published cells are integer counts of points of one test part; means over five splits "
           "would be multiples of a fifth of a point";
}

std::string wrong_caption() {
    Index n_cells = 0;
    Index n_as_given = 0;
    Index n_as_captioned = 0;
    for (const PublishedAccuracy& grown : published_k_development()) {
        if (grown.n_planes != kUsualPlanes) continue;
        ++n_cells;
        for (const PublishedAccuracy& cell : published_accuracies()) {
            const bool is_same_row = cell.dataset == grown.dataset && cell.norm == grown.norm &&
                                     cell.method == grown.method &&
                                     cell.defense_radius == grown.defense_radius;
            if (!is_same_row || cell.percent != grown.percent) continue;
            if (cell.attack_radius == kDevelopmentAttack) ++n_as_given;
            if (cell.attack_radius == 1.0) ++n_as_captioned;
        }
    }
    return "at k = 15 the tables over k hold the accuracy table's figure for attack radius 0.75 "
           "in " +
           of(n_as_given, n_cells) + " cells, that for 1.0 in " + of(n_as_captioned, n_cells);
}

std::string heuristic_rule(const Reproduction& reproduction) {
    std::string text;
    for (const ModeResults& results : reproduction.modes) {
        const VerdictCount found = count(results.accuracy_comparison, "Ens-H");
        if (found.n_cells == 0) continue;
        text += (text.empty() ? "" : "; ") + std::string("Ens-H ") +
                (results.mode == Mode::AsPublished ? "with the published rule: "
                                                   : "with the corrected rule: ") +
                of(found.n_equal, found.n_cells) + " cells equal";
    }
    return text;
}

/// SVM-Ens with the objective as printed, without the 1/2: half the penalty.
std::string missing_half(const Reproduction& reproduction) {
    Cells cells;
    std::map<std::string, Index> n_test;
    for (const Arena& arena : reproduction.arenas) {
        const Problem& problem = reproduction.problems.at(arena.dataset);
        n_test[arena.dataset] = problem.test_y.size();
        SvmSettings half;
        half.C = 0.5;
        std::vector<Hyperplane> planes;
        for (Index t = 0; t < kUsualPlanes; ++t) {
            const Vector bag = problem.bags.row(t).transpose();
            planes.push_back(train_svm({problem.train_X, problem.train_y, bag}, half).plane);
        }
        const Scores scores = score_planes(problem, planes, kUsualPlanes, arena.norm, kAttackRadii);
        for (std::size_t i = 0; i < kAttackRadii.size(); ++i) {
            cells[{{arena.dataset, arena.norm, "SVM-Ens"}, kAttackRadii[i]}] =
                scores.accuracy[static_cast<Index>(i)];
        }
    }
    const VerdictCount printed =
        count(compare_cells(published_accuracies(), cells, n_test), "SVM-Ens");
    // Either mode has the 1/2; the first one is the one nearer to the published experiments.
    const VerdictCount with_half = count(reproduction.modes.front().accuracy_comparison, "SVM-Ens");
    return "SVM-Ens with the 1/2: " + of(with_half.n_equal, with_half.n_cells) +
           " cells equal; without it, as printed: " + of(printed.n_equal, printed.n_cells);
}

struct FirstPlanes {
    Index n_rows = 0;
    Index n_separable = 0;  ///< with optimum 0, so that many planes are optimal
    Index n_too_long = 0;   ///< with ||w||_q > n, where the code's big-M is too small
    std::string rows;       ///< the separable ones
};

FirstPlanes look_at_first_planes(const Reproduction& reproduction) {
    constexpr double kZero = 1e-7;
    FirstPlanes found;
    for (const Arena& arena : reproduction.arenas) {
        const std::vector<Norm> norms = published_norms(arena.dataset);
        if (std::ranges::count(norms, arena.norm) == 0) continue;
        const Problem& problem = reproduction.problems.at(arena.dataset);
        double largest = 0.0;
        for (double radius : kDefenseRadii) {
            RobustSvmSettings settings;
            settings.attack_model.norm = arena.norm;
            const SvmResult svm = train_robust_svm({problem.train_X, problem.train_y},
                                                   Vector::Constant(1, radius), settings);
            ++found.n_rows;
            if (svm.primal_value <= kZero * static_cast<double>(problem.train_y.size())) {
                ++found.n_separable;
                largest = radius;
            }
            if (norm_value(dual(arena.norm), svm.plane.w) >
                static_cast<double>(problem.train_X.cols()))
                ++found.n_too_long;
        }
        if (largest == 0.0) continue;
        std::string number = std::to_string(largest);
        number.erase(number.find_last_not_of('0') + 1);
        found.rows += (found.rows.empty() ? "" : ", ") + arena.dataset + " " +
                      std::string(to_string(arena.norm)) + " up to r_d = " + number;
    }
    return found;
}

/// In how many cells that differ an erratum is an explanation, and how well founded.
std::string explained_by(const Reproduction& reproduction, const std::string& erratum) {
    const ModeResults* own = find_mode(reproduction, Mode::AsPublished);
    if (own == nullptr) return {};
    std::map<Evidence, Index> n_cells;
    Index n_different = 0;
    for (const CellComparison& cell : own->accuracy_comparison) {
        if (cell.verdict == Verdict::Equal) continue;
        ++n_different;
        if ((" " + cell.explanation.errata + " ").find(" " + erratum + " ") != std::string::npos)
            ++n_cells[cell.explanation.evidence];
    }
    return "of " + std::to_string(n_different) +
           " cells that are not equal, another choice gives " +
           std::to_string(n_cells[Evidence::Shown]) + ", the range of choices holds " +
           std::to_string(n_cells[Evidence::Between]) + ", and " +
           std::to_string(n_cells[Evidence::Open]) + " more are left open by it";
}

std::string with_semicolon(const std::string& text) {
    return text.empty() ? text : "; " + text;
}

std::string filled_values() {
    const Index n_filled =
        load_bundled("bcw").n_samples() - load_bundled("breastcancer").n_samples();
    return "the set has " + std::to_string(n_filled) +
           " rows more than its version without incomplete rows";
}

}  // namespace

std::vector<Erratum> find_errata(const Reproduction& reproduction) {
    const FirstPlanes first = look_at_first_planes(reproduction);
    return {
        {"E1", "The five random splits are one split", one_split(reproduction)},
        {"E2", "The tables over k are captioned attack radius 1.0 but hold 0.75", wrong_caption()},
        {"E3", "The heuristic adversary lacks the factor -y and, for l2, the radius",
         heuristic_rule(reproduction)},
        {"E4", "The SVM is printed without its 1/2", missing_half(reproduction)},
        {"E5", "The code's big-M, y(w'x + b) + n r, is too small when ||w|| > n",
         of(first.n_too_long, first.n_rows) + " first planes are that long"},
        {"E6", "The robust SVM has many optima where the training points are separable",
         "optimum 0 in " + of(first.n_separable, first.n_rows) + " rows" +
             (first.rows.empty() ? "" : ": " + first.rows) +
             with_semicolon(explained_by(reproduction, "E6"))},
        {"E7", "The exact adversary's perturbation is not unique: a solver returns any",
         explained_by(reproduction, "E7")},
        {"E8", "BCW: missing values are filled with 4, and rows are not in the usual order",
         filled_values()},
        {"E9", "A plane that a moved point only touches abstains in the code",
         explained_by(reproduction, "E9")},
        {"E10", "The code's relaxed program has k as big-M and random signs on zero components",
         explained_by(reproduction, "E10")},
        {"E11",
         "Slips in the text: Ens-R and Ens-H exchanged twice, the SVM step inside the inner "
         "loop, subset problems called linear for l2",
         ""},
    };
}

}  // namespace redoubt::reproduction
