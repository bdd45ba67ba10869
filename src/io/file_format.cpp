#include "io/file_format.hpp"

#include <algorithm>

#include "core/text_tools.hpp"
#include "data/coding.hpp"
#include "io/libsvm_reader.hpp"
#include "redoubt/error.hpp"

namespace redoubt::io {

FileFormat choose_format(const DataSource& source, const Dialect& dialect, std::string_view text) {
    if (dialect.format != FileFormat::Detect) return dialect.format;
    std::string_view name = source.name();
    if (name.ends_with(".gz")) name.remove_suffix(3);
    const auto ends_in = [&](std::initializer_list<std::string_view> endings) {
        return std::any_of(endings.begin(), endings.end(),
                           [&](std::string_view ending) { return name.ends_with(ending); });
    };
    if (ends_in({".csv", ".tsv"})) return FileFormat::Csv;
    if (ends_in({".libsvm", ".svm", ".svmlight"})) return FileFormat::Libsvm;
    return looks_like_libsvm(text) ? FileFormat::Libsvm : FileFormat::Csv;
}

Index n_feature_columns(const TableCoding& coding) {
    return std::count_if(coding.columns.begin(), coding.columns.end(),
                         [](const CodedColumn& c) { return c.role == ColumnRole::Feature; });
}

void refuse_column(const char* field, const std::string& column) {
    if (column.empty()) return;
    throw InvalidInput(field, "LIBSVM text has no such column: " + quote_text(column));
}

PointData encode_points(Table& table, const TableCoding& coding, std::size_t max_bytes) {
    std::optional<Vector> y;
    if (has_labels(table)) y = encode_labels(table, coding);
    Vector radii = encode_amounts(table, ColumnUse::Radius);
    PointData points;
    points.X = encode_features(table, coding, max_bytes, &points.missing);
    points.y = std::move(y);
    points.feature_names = coding.feature_names();
    points.radii = std::move(radii);
    points.reordered = find_reordered(table, coding);
    return points;
}

}  // namespace redoubt::io
