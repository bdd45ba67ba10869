#pragma once

/// Converts between a table and the numbers that a trainer sees.

#include "data/table.hpp"
#include "redoubt/data_files.hpp"

#include <vector>

namespace redoubt {

enum class Labels { Needed, IfPresent, Ignored };

inline constexpr const char* kMissingMember = "(missing)";
inline constexpr const char* kOtherMember = "(other)";

/// Calls `take` with the name of each feature that comes from one column of the training file.
template <class Take>
void for_each_feature(const CodedColumn& column, const Take& take) {
    if (column.role != ColumnRole::Feature) return;
    if (column.categories.empty()) take(column.name);
    for (const std::string& category : column.categories) take(column.name + "=" + category);
    const EntryRules entries = column.entries.value_or(EntryRules{});
    if (entries.missing_category) take(column.name + "=" + kMissingMember);
    if (entries.other) take(column.name + "=" + kOtherMember);
    if (entries.indicator) take(column.name + " is missing");
}

/// True if a reader must let missing values through because a column handles them.
bool allows_missing(const TableCoding& coding);

/// The number of features of all columns.
Index n_coded_features(const TableCoding& coding);

/// For a training file: the roles given by the settings; column i stands for itself.
ColumnPlanner plan_for_training(const ReadSettings& settings, Labels labels);

/// For a later file: every feature of the coding in its place, numbers in the order of the coding.
/// `settings`, `coding` and `further` must outlive the planner.
ColumnPlanner plan_for_coding(const TableCoding& coding, Labels labels,
                              const PointColumns& further);

/// The same correspondence for a table of the LIBSVM reader, whose plan is otherwise complete.
void match_libsvm_table(Table& table, const TableCoding* coding, Labels labels);

/// Learns categories, fill values and classes from a table that was planned for training. Throws
/// ParseError if it has no feature or, with labels, not two classes.
TableCoding fit_coding(const Table& table, const ReadSettings& settings, Labels labels);

/// The features of a table that was planned for `coding` (or that `coding` was fitted on), and
/// PointData::missing. Throws ParseError if one-hot coding would take more than `max_bytes`, and
/// for a missing or unknown entry that the coding does not handle.
PointSet encode_features(Table& table, const TableCoding& coding, std::size_t max_bytes,
                         RowFeatures* missing = nullptr);

/// True if such a table has labels that were read.
bool has_labels(const Table& table);

/// The labels -1 and +1 of such a table.
Vector encode_labels(const Table& table, const TableCoding& coding);

/// The weights or radii of such a table, none of them missing; empty if it has no such column.
Vector encode_amounts(const Table& table, ColumnUse use);

/// `PointData::reordered` of a table that was planned for `coding`.
std::vector<std::string> find_reordered(const Table& table, const TableCoding& coding);

}  // namespace redoubt
