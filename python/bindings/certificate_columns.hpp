#pragma once

/// What certificates, and attacks, have in common on their way to Python.

#include <limits>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/points.hpp"

namespace redoubt::python {

template <typename Record>
std::vector<std::string> statuses(const std::vector<Record>& records) {
    std::vector<std::string> names;
    for (const Record& record : records) names.emplace_back(to_string(record.status));
    return names;
}

/// Why rows have no proof, where one was wanted.
template <typename Record>
std::vector<std::string> reasons(const std::vector<Record>& records) {
    std::vector<std::string> lines;
    for (const Record& record : records) lines.emplace_back(record.why_no_proof);
    return lines;
}

/// One vector per row; a row of NaN where there is none.
template <typename Record, typename Field>
Matrix rows(const std::vector<Record>& records, Field field, Index n_columns) {
    Matrix values = Matrix::Constant(static_cast<Index>(records.size()), n_columns,
                                     std::numeric_limits<double>::quiet_NaN());
    for (std::size_t j = 0; j < records.size(); ++j) {
        const Vector& row = records[j].*field;
        if (row.size() > 0) values.row(static_cast<Index>(j)) = row.transpose();
    }
    return values;
}

/// Witnesses of compressed points: a row without entries where there is none.
template <typename Record>
CompressedRows compressed_witnesses(const std::vector<Record>& found) {
    CompressedRows rows;
    for (const Certificate& one : found) {
        rows.columns.insert(rows.columns.end(), one.witness_features.begin(),
                            one.witness_features.end());
        rows.values.insert(rows.values.end(), one.witness.begin(), one.witness.end());
        rows.starts.push_back(static_cast<std::int64_t>(rows.columns.size()));
    }
    return rows;
}

/// The columns of all certificates, of two classes or more; witnesses as the points are.
template <typename Record>
Columns certificate_columns(const std::vector<Record>& found, const PointsRef& X,
                            bool has_witness) {
    Columns columns{{{"radius", column(found, &Certificate::radius)},
                     {"lower", column(found, &Certificate::lower)},
                     {"upper", column(found, &Certificate::upper)},
                     {"n_nodes", column(found, &Certificate::n_nodes)},
                     {"solve_seconds", column(found, &Certificate::solve_seconds)},
                     {"status", statuses(found)}}};
    if (has_witness && X.is_sparse()) columns.values["witness"] = compressed_witnesses(found);
    if (has_witness && !X.is_sparse())
        columns.values["witness"] = rows(found, &Certificate::witness, X.cols());
    return columns;
}

}  // namespace redoubt::python
