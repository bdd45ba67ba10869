#include "redoubt/point_reader.hpp"

#include <filesystem>
#include <string_view>
#include <utility>

#include "core/text_tools.hpp"
#include "data/coding.hpp"
#include "io/csv_reader.hpp"
#include "io/file_format.hpp"
#include "io/libsvm_reader.hpp"
#include "io/text_blocks.hpp"
#include "redoubt/error.hpp"

namespace redoubt {

namespace {

/// Does it give the same bytes when it is opened again?
bool can_be_read_twice(const DataSource& source) {
    std::error_code error;
    return source.is_text() || std::filesystem::is_regular_file(source.name(), error);
}

std::size_t whole_lines(std::string_view text) {
    return text.rfind('\n') + 1;
}

}  // namespace

struct PointReader::State {
    State(DataSource from, TableCoding its_coding, const Dialect& its_dialect,
          const PointColumns& its_columns, std::size_t its_block_bytes)
        : source(std::move(from)),
          coding(std::move(its_coding)),
          dialect(its_dialect),
          columns(its_columns),
          block_bytes(its_block_bytes),
          blocks(source, block_bytes) {
        dialect.check();
    }

    void start();
    bool every_row_trails(std::string_view first_rows) const;
    std::string_view take_block();
    Table read_block(std::string_view text);
    Table read_libsvm_block(std::string_view text);
    void check_that_labels_go_on(const Table& table) const;

    DataSource source;
    TableCoding coding;
    Dialect dialect;
    PointColumns columns;
    std::size_t block_bytes;
    io::TextBlocks blocks;
    FileFormat format = FileFormat::Detect;
    char separator = 0;
    std::optional<io::CsvBlocks> csv;
    std::optional<bool> has_labels;
    bool has_text = false;
    bool has_rows = false;
    bool is_over = false;
};

/// Format and separator, by as much of the text as it takes.
void PointReader::State::start() {
    format = io::choose_format(source, dialect, blocks.peek());
    if (format == FileFormat::Libsvm) {
        io::refuse_column("radius_column", columns.radius_column);
        return;
    }
    separator = dialect.separator;
}

/// Do all rows, of which these are the first, end in a separator that is followed by nothing?
bool PointReader::State::every_row_trails(std::string_view first_rows) const {
    if (!io::every_csv_row_trails(first_rows, separator, blocks.name())) return false;
    if (blocks.is_at_end() || !can_be_read_twice(source)) return true;
    io::TextBlocks again(source, block_bytes);
    while (!again.is_at_end()) {
        const std::string_view text =
            again.take([&](std::string_view more) { return io::whole_csv_rows(more, separator); });
        if (!io::every_csv_row_trails(text, separator, blocks.name())) return false;
    }
    return true;
}

std::string_view PointReader::State::take_block() {
    return blocks.take([&](std::string_view text) -> std::size_t {
        if (format == FileFormat::Libsvm) return whole_lines(text);
        if (separator == 0) {
            if (!io::shows_separator(text)) return 0;
            separator = io::detect_separator(text);
        }
        return io::whole_csv_rows(text, separator);
    });
}

Table PointReader::State::read_block(std::string_view text) {
    if (format == FileFormat::Libsvm) return read_libsvm_block(text);
    if (!csv) {
        if (separator == 0) separator = io::detect_separator(text);
        csv.emplace(io::CsvSettings{.origin = blocks.name(),
                                    .separator = separator,
                                    .header = dialect.header,
                                    .missing_allowed = allows_missing(coding),
                                    .max_bytes = dialect.max_bytes,
                                    .rows_trail = every_row_trails(text)},
                    plan_for_coding(coding, Labels::IfPresent, columns));
    }
    return csv->read(text, blocks.first_line());
}

Table PointReader::State::read_libsvm_block(std::string_view text) {
    Table table = io::read_libsvm(text, {.origin = blocks.name(),
                                         .n_features = io::n_feature_columns(coding),
                                         .max_bytes = dialect.max_bytes,
                                         .first_line = blocks.first_line()});
    if (has_labels) check_that_labels_go_on(table);
    match_libsvm_table(table, &coding,
                       has_labels.value_or(false) ? Labels::Needed : Labels::IfPresent);
    return table;
}

/// Rows before had none.
void PointReader::State::check_that_labels_go_on(const Table& table) const {
    if (*has_labels) return;
    const TextColumn& labels = table.texts[0];
    for (std::size_t row = 0; row < labels.codes().size(); ++row) {
        const int code = labels.codes()[row];
        if (code < 0) continue;
        throw ParseError(table.origin, table.lines[row], 1,
                         "expected no label, as in the rows before, found " +
                             quote_text(labels.categories()[static_cast<std::size_t>(code)]));
    }
}

PointReader::PointReader(const DataSource& source, TableCoding coding, const Dialect& dialect,
                         const PointColumns& columns, std::size_t block_bytes)
    : state_(std::make_unique<State>(source, std::move(coding), dialect, columns, block_bytes)) {}

PointReader::~PointReader() = default;
PointReader::PointReader(PointReader&&) noexcept = default;
PointReader& PointReader::operator=(PointReader&&) noexcept = default;

std::optional<PointData> PointReader::next() {
    State& state = *state_;
    while (!state.is_over) {
        if (state.format == FileFormat::Detect) state.start();
        const std::string_view text = state.take_block();
        if (trimmed(text).empty()) {
            state.is_over = state.blocks.is_at_end();
            continue;
        }
        state.has_text = true;
        Table table = state.read_block(text);
        state.is_over = state.blocks.is_at_end();
        if (table.n_rows() == 0) continue;
        state.has_rows = true;
        if (!state.has_labels) state.has_labels = has_labels(table);
        return io::encode_points(table, state.coding, state.dialect.max_bytes);
    }
    const std::string& name = state.blocks.name();
    if (!state.has_text) throw ParseError(name, 0, 0, "the file is empty");
    if (!state.has_rows) {
        throw ParseError(name, 0, 0, "expected at least 1 row of data, found none");
    }
    return std::nullopt;
}

bool PointReader::is_at_end() const {
    return state_->is_over;
}

std::optional<double> PointReader::share_read() const {
    return state_->blocks.share_read();
}

}  // namespace redoubt
