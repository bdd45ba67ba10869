#include "fuzz/tables.hpp"

/// Later files, matched with what a training file taught: the first line chooses the training file
/// and the settings, the rest is the later file.

namespace redoubt::fuzz {
namespace {

TableCoding learn(const OptionLine& options, const ReadSettings& settings) {
    const char* text = "a,b,l\n1,2,no\n3,4,yes\n";
    if (options.has('A')) text = "1,2,0\n3,4,1\n";
    if (options.has('B')) text = "colour,l,a,size\nred,x,1,s\nblue,y,2,m\nred,y,,l\n";
    if (options.has('C')) text = "1 1:5 3:2\n-1 2:4\n";
    if (options.has('D')) text = "id,a,w,l,r,b\n7,1,1,no,0.5,2\n8,3,2,yes,1,4\n";
    return read_training_data(DataSource::text(text), settings).coding;
}

void check_points(const OptionLine& options) {
    const ReadSettings settings = settings_of(options);
    TableCoding coding;
    if (!accepts_file([&] { coding = learn(options, settings); })) return;
    const PointColumns columns{options.has('X') ? "r" : options.has('Y') ? "3" : ""};

    const DataSource source = DataSource::text(options.text());
    PointData points;
    {
        const MemoryWatch watch(table_memory(options.text().size()));
        const bool read =
            accepts_file([&] { points = read_points(source, coding, settings.dialect, columns); });
        if (!read) return;
    }
    const Vector no_labels = Vector::Ones(points.X.rows());
    require_sound(points.X.to_dense(), points.y.value_or(no_labels), points.feature_names);
    require_amounts(points.radii, points.X.rows());
    require(columns.radius_column.empty() == (points.radii.size() == 0), "radii as asked for");
    require(points.feature_names == coding.feature_names(), "the features are those of training");
    if (!columns.radius_column.empty()) return;
    require(read_features(source, coding, settings.dialect).X == points.X,
            "all ways read the same");
    if (points.y) {
        const Dataset data = read_dataset(source, coding, settings.dialect);
        require(data.X == points.X && same(data.y, *points.y), "all ways read the same labels");
    }
}

}  // namespace
}  // namespace redoubt::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    redoubt::fuzz::check_points(redoubt::fuzz::OptionLine(redoubt::fuzz::as_text(data, size)));
    return 0;
}
