#include "redoubt/data_files.hpp"

#include <algorithm>

#include "core/text_tools.hpp"
#include "data/coding.hpp"
#include "io/csv_reader.hpp"
#include "io/file_format.hpp"
#include "io/file_text.hpp"
#include "io/libsvm_reader.hpp"
#include "redoubt/error.hpp"

namespace redoubt {

namespace {

/// What the two kinds of reading, with settings and with a coding, have in common.
struct ReadPlan {
    const Dialect& dialect;
    ColumnPlanner planner;
    MissingValues missing;
    bool allows_missing;
    Labels labels;
    Index n_features = 0;
    const TableCoding* coding = nullptr;
    Index least_rows = 1;
    /// Columns that LIBSVM text cannot have.
    std::string weight_column{};
    std::string radius_column{};
    bool is_label_open = false;
};

Table read_table(const DataSource& source, const ReadPlan& plan) {
    plan.dialect.check();
    const io::FileText file(source);
    const std::string& origin = file.name();
    Table table;
    if (io::choose_format(source, plan.dialect, file.text()) == FileFormat::Libsvm) {
        io::refuse_column("weight_column", plan.weight_column);
        io::refuse_column("radius_column", plan.radius_column);
        table = io::read_libsvm(file.text(), {origin, plan.n_features, plan.dialect.max_bytes});
        match_libsvm_table(table, plan.coding, plan.labels);
    } else {
        table =
            io::read_csv(file.text(),
                         {origin, plan.dialect.separator, plan.dialect.header, plan.allows_missing,
                          plan.dialect.max_bytes, plan.coding == nullptr, plan.is_label_open},
                         plan.planner);
    }
    const Index n_read = table.n_rows();
    if (plan.missing == MissingValues::Drop && plan.labels == Labels::Needed) {
        table.drop_incomplete_rows();
    }
    if (table.n_rows() < plan.least_rows) {
        const Index n_dropped = n_read - table.n_rows();
        throw ParseError(origin, 0, 0,
                         "expected at least " + counted(plan.least_rows, "row") +
                             " of data, found " +
                             (table.n_rows() == 0 ? "none" : std::to_string(table.n_rows())) +
                             (n_dropped > 0 ? " without missing values" : ""));
    }
    return table;
}

ReadPlan plan_first(const ReadSettings& settings, Labels labels) {
    return {.dialect = settings.dialect,
            .planner = plan_for_training(settings, labels),
            .missing = settings.missing,
            .allows_missing = settings.missing != MissingValues::Error,
            .labels = labels,
            .n_features = settings.n_features,
            .least_rows = labels == Labels::Needed ? 2 : 1,
            .weight_column = settings.weight_column,
            .radius_column = settings.radius_column,
            .is_label_open = labels == Labels::Needed && settings.label == ReadSettings{}.label};
}

const PointColumns kNoFurtherColumns{};

ReadPlan plan_later(const TableCoding& coding, const Dialect& dialect, Labels labels,
                    const PointColumns& further = kNoFurtherColumns) {
    return {.dialect = dialect,
            .planner = plan_for_coding(coding, labels, further),
            .missing = coding.missing,
            .allows_missing = allows_missing(coding),
            .labels = labels,
            .n_features = io::n_feature_columns(coding),
            .coding = &coding,
            .radius_column = further.radius_column};
}

/// At least one must count.
void check_weights(const Vector& weights, const Table& table) {
    if (weights.size() == 0 || (weights.array() > 0.0).any()) return;
    throw ParseError(table.origin, 0, 0, "expected a weight above 0, found none");
}

}  // namespace

DataSource DataSource::text(std::string_view text, std::string name) {
    DataSource source(std::move(name));
    source.text_ = text;
    source.is_text_ = true;
    return source;
}

void Dialect::check() const {
    static constexpr std::string_view kNoSeparators = "\"\n\r+-.0123456789";
    if (separator != 0 && kNoSeparators.find(separator) != std::string_view::npos) {
        throw InvalidInput("separator",
                           "a character that is no part of a number, quote or line end",
                           quote_text({&separator, 1}));
    }
}

void ReadSettings::check() const {
    dialect.check();
    if (n_features < 0) throw InvalidInput("n_features", ">= 0", std::to_string(n_features));
    if (max_classes < 2) throw InvalidInput("max_classes", ">= 2", std::to_string(max_classes));
}

TrainingData read_training_data(const DataSource& source, const ReadSettings& settings) {
    settings.check();
    if (settings.label.empty()) {
        throw InvalidInput("label", "the name or number of a column", "none");
    }
    Table table = read_table(source, plan_first(settings, Labels::Needed));
    TrainingData result;
    result.weights = encode_amounts(table, ColumnUse::Weight);
    check_weights(result.weights, table);
    result.radii = encode_amounts(table, ColumnUse::Radius);
    result.coding = fit_coding(table, settings, Labels::Needed);
    result.data.y = encode_labels(table, result.coding);
    result.data.X =
        encode_features(table, result.coding, settings.dialect.max_bytes, &result.data.missing);
    result.data.classes = result.coding.classes;
    result.data.feature_names = result.coding.feature_names();
    return result;
}

Dataset read_dataset(const DataSource& source, const ReadSettings& settings) {
    return read_training_data(source, settings).data;
}

Dataset read_dataset(const DataSource& source, const TableCoding& coding, const Dialect& dialect) {
    Table table = read_table(source, plan_later(coding, dialect, Labels::Needed));
    Dataset data;
    data.y = encode_labels(table, coding);
    data.X = encode_features(table, coding, dialect.max_bytes, &data.missing);
    data.classes = coding.classes;
    data.feature_names = coding.feature_names();
    return data;
}

FeatureData read_features(const DataSource& source, const TableCoding& coding,
                          const Dialect& dialect) {
    Table table = read_table(source, plan_later(coding, dialect, Labels::Ignored));
    FeatureData data;
    data.X = encode_features(table, coding, dialect.max_bytes, &data.missing);
    data.feature_names = coding.feature_names();
    return data;
}

PointData read_points(const DataSource& source, const TableCoding& coding, const Dialect& dialect,
                      const PointColumns& columns) {
    Table table = read_table(source, plan_later(coding, dialect, Labels::IfPresent, columns));
    return io::encode_points(table, coding, dialect.max_bytes);
}

FeatureData read_features(const DataSource& source, const ReadSettings& settings,
                          TableCoding* learnt) {
    settings.check();
    Table table = read_table(source, plan_first(settings, Labels::Ignored));
    const TableCoding coding = fit_coding(table, settings, Labels::Ignored);
    FeatureData data;
    data.X = encode_features(table, coding, settings.dialect.max_bytes, &data.missing);
    data.feature_names = coding.feature_names();
    if (learnt != nullptr) *learnt = coding;
    return data;
}

}  // namespace redoubt
