#pragma once

/// Data sets from files: CSV and its dialects, and LIBSVM / SVMlight text.
///
///     TrainingData train = read_training_data("train.csv", {.label = "diagnosis"});
///     Dataset test = read_dataset("test.csv", train.coding);
///     FeatureData fresh = read_features("new.csv", train.coding);     // no labels needed
///     PointData points = read_points("new.csv", train.coding);        // labels if there are any
///     PointData reach = read_points("new.csv", train.coding, {}, {.radius_column = "radius"});
///
/// What was learnt from the training file (columns, categories, medians, classes) is a
/// `TableCoding`; later files are read in the same way. docs/formats.md describes the formats. A
/// file that cannot be read or understood throws ParseError with the place of the error.

#include "redoubt/columns.hpp"
#include "redoubt/dataset.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redoubt {

/// A file, standard input, or text in memory.
class DataSource {
public:
    /// A path; "-" is standard input. Implicit, so that a path can be passed as a source.
    DataSource(std::string path) : name_(std::move(path)) {}
    DataSource(const char* path) : name_(path) {}

    /// The text must outlive the call it is passed to. Messages use `name` in place of the path.
    static DataSource text(std::string_view text, std::string name = "<text>");

    const std::string& name() const noexcept { return name_; }
    bool is_text() const noexcept { return is_text_; }
    std::string_view text() const noexcept { return text_; }

private:
    std::string name_;
    std::string_view text_{};
    bool is_text_ = false;
};

enum class FileFormat { Detect, Csv, Libsvm };
enum class Header { Detect, Yes, No };

/// How the bytes are laid out. May differ between the training file and later ones.
struct Dialect {
    /// Detect uses the extension (.csv .tsv; .libsvm .svm .svmlight), then the content.
    FileFormat format = FileFormat::Detect;
    /// CSV: the character between fields, 0 = detect among tab ; | , and space. A space stands for
    /// any run of blanks.
    char separator = 0;
    /// CSV: Detect takes the first row as header if no field of it is a number.
    Header header = Header::Detect;
    /// Refuse a table whose numbers need more memory than this, including one-hot columns and names
    /// that are not in the file: those of one-hot columns and of LIBSVM's features (256 bytes
    /// each). Apart from that, reading takes memory in proportion to the file: at most 512 times
    /// its length, reached by distinct texts of one or two letters.
    std::size_t max_bytes = std::size_t{8} << 30;

    /// Throws InvalidInput naming the field.
    void check() const;
};

/// Missing are empty fields and, in any case of letters, NA, N/A, NaN, null and ?.
enum class MissingValues {
    Error,
    Drop,    ///< leave the row out (`read_features` still throws: every row must get an answer)
    Median,  ///< the training median; for text the most frequent category. Never for labels.
    /// As Median, except that in a text column with missing values in training they are a category
    /// of their own, "name=(missing)".
    Category,
    /// As Median, except that a column with missing values in training has one more 0/1 feature,
    /// "name is missing".
    Indicator,
};

enum class TextColumns {
    Error,
    OneHot,  ///< one 0/1 feature "name=category" per training category, in byte order
};

/// What to do with a category that the training file did not have.
enum class UnseenCategory {
    Error,
    Zeros,  ///< none of the column's features is 1
    Other,  ///< one more feature, "name=(other)", is 1
};

/// A column is chosen by its name in the header or, if no column has that name, by its number:
/// 1 is the first, -1 the last.
struct ReadSettings {
    Dialect dialect{};
    /// The label column. Empty: there is none (`read_features` only).
    std::string label = "-1";
    /// The label that becomes +1, of two classes; if empty, chosen as in `make_dataset`.
    std::string positive{};
    /// Files with more classes than this (>= 2) are refused. With more than two classes, every
    /// class needs at least two rows; classes are numbered in the order of their numbers or, unless
    /// all labels are numbers, of their texts.
    Index max_classes = 2;
    /// Columns to leave out.
    std::vector<std::string> ignore_columns{};
    /// Columns with a weight and an adversary's radius per row: numbers >= 0 that are not features.
    /// Empty: there is none. LIBSVM text has no such columns, so both must be empty there.
    std::string weight_column{};
    std::string radius_column{};
    MissingValues missing = MissingValues::Error;
    TextColumns text = TextColumns::Error;
    /// Columns to one-hot encode even though they hold numbers.
    std::vector<std::string> text_columns{};
    UnseenCategory unseen = UnseenCategory::Error;
    /// LIBSVM: the number of features, 0 = the largest index in the file.
    Index n_features = 0;

    /// Throws InvalidInput naming the field.
    void check() const;
};

/// The weight and radius columns of the training file are Ignored, too: later files need none.
enum class ColumnRole { Feature, Label, Ignored };

/// How a column encodes entries that are missing or unknown.
struct EntryRules {
    /// A missing entry counts as CodedColumn::fill. Otherwise it is an error, unless
    /// `missing_category` is set.
    bool fills = false;
    /// Text: missing entries are a category of their own, after the others.
    bool missing_category = false;
    /// Text: one more member, the last, is on for unknown categories. Otherwise they are an error.
    bool other = false;
    /// One more feature, after the members, is 1 if the entry is missing.
    bool indicator = false;

    bool operator==(const EntryRules&) const = default;
};

/// One column of the training file.
struct CodedColumn {
    std::string name;
    ColumnRole role = ColumnRole::Feature;
    /// The categories of a text column, all different, and sorted unless there are `entries`; empty
    /// for numbers.
    std::vector<std::string> categories{};
    /// What a missing entry counts as: a number, or an index into `categories`.
    double fill = 0.0;
    /// Empty: `missing` and `unseen` of the coding apply.
    std::optional<EntryRules> entries{};
};

/// How a training file became numbers: plain data, stored with the model.
///
/// A later file is matched by name if both files have a header: the order does not matter, other
/// columns are ignored, and only the features must be present. Otherwise it is matched by position
/// and must have the columns of the training file, with or without the label; columns that are
/// Ignored count, whatever they hold.
struct TableCoding {
    std::vector<CodedColumn> columns;
    bool has_header = false;
    /// The labels that -1 and +1, or classes 0, 1, .., stand for; empty if the coding was made
    /// without labels.
    ClassNames classes{"", ""};
    MissingValues missing = MissingValues::Error;
    UnseenCategory unseen = UnseenCategory::Error;

    /// n columns of numbers x1, x2, .. and then the label: for models trained from memory.
    static TableCoding numeric(Index n_features, ClassNames classes = {"-1", "+1"});

    /// One per column of X after one-hot coding.
    std::vector<std::string> feature_names() const;

    /// The features' columns, in their order.
    std::vector<ColumnFeatures> columns_of_features() const;
};

struct TrainingData {
    Dataset data;
    TableCoding coding;
    /// One per row, not all of them 0; empty without a weight column.
    Vector weights{};
    /// One per row; empty without a radius column.
    Vector radii{};
};

struct FeatureData {
    /// As in Dataset.
    PointSet X;
    std::vector<std::string> feature_names;
    /// As in Dataset.
    RowFeatures missing{};
};

struct PointData {
    /// As in Dataset.
    PointSet X;
    /// As in Dataset; empty if the file has no labels.
    std::optional<Vector> y;
    std::vector<std::string> feature_names;
    /// One per row; empty if no radius column was requested.
    Vector radii{};
    /// The columns of features, named in the training file's order, that have another position
    /// among the features of this file; empty if the order is the same or there is no header.
    std::vector<std::string> reordered{};
    /// As in Dataset.
    RowFeatures missing{};
};

/// What else to read from a later file. Columns are selected as in `ReadSettings`, by the names and
/// numbers of the later file.
struct PointColumns {
    /// A column of numbers >= 0; empty means none. It must be neither a feature nor the label
    /// (InvalidInput). It may be an additional column, even if columns are matched by position, or
    /// one that was Ignored in training. LIBSVM text has no such column: InvalidInput.
    std::string radius_column{};
};

/// Reads a training file: at least 2 rows (after dropping), at least one feature, two classes (or
/// as many as the settings allow), and no name in use that occurs twice in its header.
TrainingData read_training_data(const DataSource& source, const ReadSettings& settings = {});

/// The same without the coding.
Dataset read_dataset(const DataSource& source, const ReadSettings& settings = {});

/// Reads a labelled file as the training file was read: at least 1 row, labels among the training
/// classes (one class alone is fine).
Dataset read_dataset(const DataSource& source, const TableCoding& coding,
                     const Dialect& dialect = {});

/// Reads features as the training file was read; a label column, if there is one, is ignored.
FeatureData read_features(const DataSource& source, const TableCoding& coding,
                          const Dialect& dialect = {});

/// The same with labels, if the file has them: then every row must have one of the training
/// classes. No row is left out.
PointData read_points(const DataSource& source, const TableCoding& coding,
                      const Dialect& dialect = {}, const PointColumns& columns = {});

/// Reads a table on its own, leaving out the columns of labels, weights and radii that `settings`
/// names. What was learnt from it is stored in `coding`, unless that is null.
FeatureData read_features(const DataSource& source, const ReadSettings& settings,
                          TableCoding* coding = nullptr);

}  // namespace redoubt
