#include "svm/merged_columns.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <utility>

namespace redoubt {

namespace {

/// More columns than this share left: not worth a copy.
constexpr double kLargestShareLeft = 0.8;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
    return hash ^ (hash >> 29);
}

std::uint64_t bits_of(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

/// A hash of the entries of each column; 0 where there are none.
std::vector<std::uint64_t> hash_columns(const SampleRows& rows) {
    std::vector<std::uint64_t> hash(static_cast<std::size_t>(rows.n_cols()), 0);
    for (Index j = 0; j < rows.n_rows(); ++j) {
        rows.for_each(j, [&](Index l, double value) {
            if (value == 0.0) return;
            std::uint64_t& own = hash[static_cast<std::size_t>(l)];
            own = mixed(mixed(own, static_cast<std::uint64_t>(j) + 1), bits_of(value));
            if (own == 0) own = 1;
        });
    }
    return hash;
}

/// Do all columns of a place have the same entries? Hashes only make that likely.
std::vector<char> find_broken(const SampleRows& rows, const std::vector<Index>& place,
                              const std::vector<Index>& count) {
    std::vector<char> is_broken(count.size(), 0);
    std::vector<Index> n_seen(count.size(), 0);
    std::vector<double> first(count.size(), 0.0);
    std::vector<std::size_t> touched;
    for (Index j = 0; j < rows.n_rows(); ++j) {
        touched.clear();
        rows.for_each(j, [&](Index l, double value) {
            if (value == 0.0) return;
            const auto at = static_cast<std::size_t>(place[static_cast<std::size_t>(l)]);
            if (n_seen[at]++ == 0) {
                first[at] = value;
                touched.push_back(at);
            } else if (first[at] != value) {
                is_broken[at] = 1;
            }
        });
        for (std::size_t at : touched) {
            if (n_seen[at] != count[at]) is_broken[at] = 1;
            n_seen[at] = 0;
        }
    }
    return is_broken;
}

}  // namespace

std::optional<MergedColumns> MergedColumns::of(const HingeProblem& problem) {
    const bool is_round = !problem.is_robust() || problem.threat.norm == Norm::L2;
    const std::vector<std::uint64_t> hash = hash_columns(problem.rows);
    std::vector<Index> place(hash.size(), -1);
    std::vector<Index> count;
    const auto add_place = [&](std::size_t l) {
        place[l] = static_cast<Index>(count.size());
        count.push_back(1);
    };
    std::unordered_map<std::uint64_t, Index> known;
    for (std::size_t l = 0; l < hash.size(); ++l) {
        if (hash[l] == 0) continue;
        const auto [found, is_new] = known.try_emplace(hash[l], static_cast<Index>(count.size()));
        if (is_new || !is_round) {
            add_place(l);
        } else {
            place[l] = found->second;
            ++count[static_cast<std::size_t>(found->second)];
        }
    }
    const double share = static_cast<double>(count.size()) / static_cast<double>(hash.size());
    if (count.empty() || share > kLargestShareLeft) return std::nullopt;
    if (is_round) {
        const std::vector<char> is_broken = find_broken(problem.rows, place, count);
        std::vector<char> is_taken(count.size(), 0);
        for (std::size_t l = 0; l < place.size(); ++l) {
            if (place[l] < 0) continue;
            const auto at = static_cast<std::size_t>(place[l]);
            if (at >= is_broken.size() || is_broken[at] == 0) continue;
            // The first of them stays, alone.
            if (is_taken[at] != 0) add_place(l);
            is_taken[at] = 1;
            count[at] = 1;
        }
    }
    return MergedColumns(problem, std::move(place), count);
}

MergedColumns::MergedColumns(const HingeProblem& problem, std::vector<Index> place,
                             const std::vector<Index>& count)
    : place_(std::move(place)), factor_(static_cast<Index>(count.size())), merged_(problem) {
    for (Index g = 0; g < factor_.size(); ++g)
        factor_[g] = std::sqrt(static_cast<double>(count[static_cast<std::size_t>(g)]));
    // The first column of each place stands for all of them.
    std::vector<char> is_first(place_.size(), 0);
    std::vector<char> is_known(count.size(), 0);
    for (std::size_t l = 0; l < place_.size(); ++l) {
        if (place_[l] < 0) continue;
        char& known = is_known[static_cast<std::size_t>(place_[l])];
        is_first[l] = known == 0 ? 1 : 0;
        known = 1;
    }
    SparseMatrix rows(factor_.size());
    std::vector<std::pair<Index, double>> entries;
    for (Index j = 0; j < problem.m; ++j) {
        entries.clear();
        problem.rows.for_each(j, [&](Index l, double value) {
            if (value == 0.0 || is_first[static_cast<std::size_t>(l)] == 0) return;
            const Index at = place_[static_cast<std::size_t>(l)];
            entries.emplace_back(at, factor_[at] * value);
        });
        std::sort(entries.begin(), entries.end());
        for (const auto& [at, value] : entries) rows.push_back(at, value);
        rows.end_row();
    }
    merged_.mean = Vector::Zero(factor_.size());
    for (std::size_t l = 0; l < place_.size(); ++l) {
        if (is_first[l] != 0)
            merged_.mean[place_[l]] = factor_[place_[l]] * problem.mean[static_cast<Index>(l)];
    }
    merged_.mean_square *= static_cast<double>(problem.n()) / static_cast<double>(factor_.size());
    merged_.rows = SampleRows(std::move(rows));
}

Vector MergedColumns::merge(const Vector& w) const {
    Vector u = Vector::Zero(factor_.size());
    for (std::size_t l = 0; l < place_.size(); ++l) {
        if (place_[l] >= 0) u[place_[l]] += w[static_cast<Index>(l)] / factor_[place_[l]];
    }
    return u;
}

Vector MergedColumns::expand(const Vector& u) const {
    Vector w = Vector::Zero(static_cast<Index>(place_.size()));
    for (std::size_t l = 0; l < place_.size(); ++l) {
        if (place_[l] >= 0) w[static_cast<Index>(l)] = u[place_[l]] / factor_[place_[l]];
    }
    return w;
}

}  // namespace redoubt
