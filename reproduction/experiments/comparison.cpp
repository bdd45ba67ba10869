#include "experiments/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace redoubt::reproduction {

namespace {

/// Published figures are rounded to one decimal.
constexpr double kRounding = 0.05 + 1e-9;

Index points_of(double percent, Index n_test) {
    return std::lround(percent / 100.0 * static_cast<double>(n_test));
}

}  // namespace

std::string_view to_string(Verdict verdict) noexcept {
    switch (verdict) {
        case Verdict::Equal:
            return "equal";
        case Verdict::OnePoint:
            return "one_point";
        case Verdict::Different:
            break;
    }
    return "different";
}

std::string_view to_string(Evidence evidence) noexcept {
    switch (evidence) {
        case Evidence::Shown:
            return "shown";
        case Evidence::Between:
            return "between";
        case Evidence::Open:
            return "open";
        case Evidence::None:
            break;
    }
    return "";
}

bool is_count(double percent, Index n_test) {
    const double points = static_cast<double>(points_of(percent, n_test));
    return std::abs(100.0 * points / static_cast<double>(n_test) - percent) <= kRounding;
}

CellComparison compare_cell(const PublishedAccuracy& published, double own_share, Index n_test) {
    CellComparison cell{published, 100.0 * own_share};
    cell.n_points = points_of(cell.own_percent, n_test) - points_of(published.percent, n_test);
    if (!is_count(published.percent, n_test)) {
        cell.verdict = Verdict::Different;
    } else if (cell.n_points == 0) {
        cell.verdict = Verdict::Equal;
    } else {
        cell.verdict = std::abs(cell.n_points) == 1 ? Verdict::OnePoint : Verdict::Different;
    }
    return cell;
}

CellKey key_of(const PublishedAccuracy& cell) {
    return {{cell.dataset, cell.norm, cell.method, cell.defense_radius, cell.n_planes},
            cell.attack_radius};
}

std::vector<CellComparison> compare_cells(const std::vector<PublishedAccuracy>& published,
                                          const Cells& own,
                                          const std::map<std::string, Index>& n_test) {
    std::vector<CellComparison> cells;
    for (const PublishedAccuracy& cell : published) {
        const auto found = own.find(key_of(cell));
        if (found == own.end()) continue;
        cells.push_back(compare_cell(cell, found->second, n_test.at(cell.dataset)));
    }
    return cells;
}

Explanation explain_cell(const CellComparison& cell, Index n_test,
                         const std::vector<Alternative>& alternatives, const std::string& open) {
    if (!is_count(cell.published.percent, n_test)) return {"unexplained"};
    const Index wanted = points_of(cell.published.percent, n_test);
    Index least = wanted + cell.n_points;
    Index greatest = least;
    std::string exact;
    std::string all;
    const auto append = [](std::string& list, const std::string& erratum) {
        if ((" " + list + " ").find(" " + erratum + " ") == std::string::npos)
            list += (list.empty() ? "" : " ") + erratum;
    };
    for (const Alternative& alternative : alternatives) {
        const auto found = alternative.cells.find(key_of(cell.published));
        if (found == alternative.cells.end()) continue;
        const Index count = points_of(100.0 * found->second, n_test);
        if (count == wanted) append(exact, alternative.erratum);
        if (count != wanted + cell.n_points) append(all, alternative.erratum);
        least = std::min(least, count);
        greatest = std::max(greatest, count);
    }
    if (!exact.empty()) return {exact, Evidence::Shown};
    if (least < wanted && wanted < greatest) return {all, Evidence::Between};
    return open.empty() ? Explanation{"unexplained"} : Explanation{open, Evidence::Open};
}

void VerdictCount::add(Verdict verdict) {
    ++n_cells;
    if (verdict == Verdict::Equal) ++n_equal;
    if (verdict != Verdict::Different) ++n_within_one;
}

std::string count_text(const VerdictCount& count) {
    return std::to_string(count.n_equal) + " of " + std::to_string(count.n_cells) +
           " cells equal, " + std::to_string(count.n_within_one) + " within one test point";
}

std::string summary_text(Mode mode, const VerdictCount& count) {
    return (mode == Mode::AsPublished ? "as published: " : "corrected: ") + count_text(count);
}

}  // namespace redoubt::reproduction
