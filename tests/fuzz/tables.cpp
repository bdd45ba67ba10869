#include "fuzz/tables.hpp"

namespace redoubt::fuzz {

std::size_t table_memory(std::size_t size) {
    constexpr std::size_t kAtAllTimes = std::size_t{64} << 10;
    constexpr std::size_t kBytesPerByte = 512;
    return 2 * kMaxTableBytes + kAtAllTimes + kBytesPerByte * size;
}

ReadSettings settings_of(const OptionLine& options) {
    ReadSettings settings;
    Dialect& dialect = settings.dialect;
    dialect.max_bytes = kMaxTableBytes;
    if (options.has('h')) dialect.header = Header::Yes;
    if (options.has('n')) dialect.header = Header::No;
    for (char separator : {',', ';', '|', ' ', '\t'}) {
        if (options.has(separator)) dialect.separator = separator;
    }
    if (options.has('d')) settings.missing = MissingValues::Drop;
    if (options.has('m')) settings.missing = MissingValues::Median;
    if (options.has('k')) settings.missing = MissingValues::Category;
    if (options.has('K')) settings.missing = MissingValues::Indicator;
    if (options.has('o')) settings.text = TextColumns::OneHot;
    if (options.has('z')) settings.unseen = UnseenCategory::Zeros;
    if (options.has('u')) settings.unseen = UnseenCategory::Other;
    if (options.has('1')) settings.label = "1";
    if (options.has('l')) settings.label = "l";
    if (options.has('p')) settings.positive = "1";
    if (options.has('i')) settings.ignore_columns = {"2"};
    if (options.has('c')) settings.text_columns = {"3"};
    if (options.has('w')) settings.weight_column = "w";
    if (options.has('W')) settings.weight_column = "-2";
    if (options.has('r')) settings.radius_column = "r";
    if (options.has('R')) settings.radius_column = "-3";
    if (options.has('f')) settings.n_features = 5;
    return settings;
}

void require_sound(const Matrix& X, const Vector& y, const std::vector<std::string>& names) {
    require(X.rows() >= 1 && X.cols() >= 1, "there are points and features");
    require(X.allFinite(), "all numbers are finite");
    require(y.size() == X.rows(), "there is a label for each point");
    require((y.array().abs() == 1.0).all(), "all labels are -1 or +1");
    require(static_cast<Index>(names.size()) == X.cols(), "there is a name for each feature");
}

void require_amounts(const Vector& amounts, Index n) {
    require(amounts.size() == 0 || amounts.size() == n, "there is an amount for each point");
    require(amounts.allFinite() && (amounts.array() >= 0.0).all(), "all amounts are >= 0");
}

void check_training_file(std::string_view text, const ReadSettings& settings) {
    const DataSource source = DataSource::text(text);
    TrainingData data;
    {
        const MemoryWatch watch(table_memory(text.size()));
        if (!accepts_file([&] { data = read_training_data(source, settings); })) return;
    }
    require_sound(data.data.X.to_dense(), data.data.y, data.data.feature_names);
    require_amounts(data.weights, data.data.X.rows());
    require_amounts(data.radii, data.data.X.rows());
    // A later file has its rows with a missing weight or radius.
    const bool has_amounts = data.weights.size() + data.radii.size() > 0;
    if (settings.missing == MissingValues::Drop && has_amounts) return;
    const Dataset again = read_dataset(source, data.coding, settings.dialect);
    require(again.X == data.data.X, "a training file read as a later one has the same numbers");
    require(same(again.y, data.data.y), "a training file read as a later one has the same labels");
}

}  // namespace redoubt::fuzz
