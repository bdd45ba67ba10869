#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>

#include <string_view>

#include "bindings.hpp"
#include "redoubt/bundled_data.hpp"
#include "redoubt/data_files.hpp"
#include "redoubt/dataset.hpp"
#include "redoubt/error.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace redoubt::python {

namespace {

using IndexVector = Eigen::Matrix<Index, Eigen::Dynamic, 1>;

IndexVector to_array(const std::vector<Index>& rows) {
    return Eigen::Map<const IndexVector>(rows.data(), static_cast<Index>(rows.size()));
}

MissingValues parse_missing(const std::string& name) {
    if (name == "error") return MissingValues::Error;
    if (name == "drop") return MissingValues::Drop;
    if (name == "median") return MissingValues::Median;
    throw InvalidInput("missing", "'error', 'drop' or 'median'", "'" + name + "'");
}

/// What an argument could cure.
std::string cure_of(const ParseError& error) {
    const std::string column = error.columns().empty() ? "" : "'" + error.columns().front() + "'";
    switch (error.cause()) {
        case ParseCause::Text:
            return "; one_hot=True turns text into 0/1 columns" +
                   (column.empty() ? "" : ", label=" + column + " makes it the label");
        case ParseCause::StrayText:
            return "; correct it, empty it and use missing='drop' or 'median', or take all as text "
                   "with text_columns=[" +
                   column + "]";
        case ParseCause::MissingFeature:
            return "; missing='drop' leaves out such rows, missing='median' fills them in";
        case ParseCause::MissingLabel:
            return "; missing='drop' leaves out such rows";
        case ParseCause::Classes:
            return column.empty()
                       ? ""
                       : "; two values are in " + column + ", so perhaps label=" + column;
        case ParseCause::Other:
            break;
    }
    return "";
}

ParseError with_cure(const ParseError& error) {
    // The place stands before the problem.
    const ParseError place(error.path(), error.line(), error.column(), "");
    const std::string problem =
        std::string(error.what()).substr(std::string_view(place.what()).size());
    return {error.path(), error.line(), error.column(), problem + cure_of(error)};
}

Dataset read(const std::string& path, const std::string& label, const std::string& positive,
             const std::string& missing, bool one_hot,
             const std::vector<std::string>& text_columns) {
    ReadSettings settings;
    settings.label = label;
    settings.positive = positive;
    settings.missing = parse_missing(missing);
    settings.text = one_hot ? TextColumns::OneHot : TextColumns::Error;
    settings.text_columns = text_columns;
    try {
        return read_dataset(path, settings);
    } catch (const ParseError& error) {
        throw with_cure(error);
    }
}

}  // namespace

void bind_data(nb::module_& module) {
    nb::class_<Dataset>(module, "Dataset", "Labelled points, one per row of X; y is -1 and +1.")
        .def_prop_ro("X", [](const Dataset& self) { return Matrix(self.X); })
        .def_prop_ro("y", [](const Dataset& self) { return Vector(self.y); })
        .def_ro("classes", &Dataset::classes, "The original texts of the labels -1 and +1.")
        .def_ro("feature_names", &Dataset::feature_names);

    module.def("bundled_names", &bundled_names, "The names of the bundled data sets.");
    module.def("load_bundled", &load_bundled, "name"_a, nb::call_guard<nb::gil_scoped_release>());
    module.def(
        "published_split",
        [](std::string_view name) {
            const Split split = published_split(name);
            return std::pair(to_array(split.train), to_array(split.test));
        },
        "name"_a, "Row numbers of the published training and test part.");
    module.def("published_bags", &published_bags, "name"_a,
               "75 x n_train: how often each training row occurs in each published bag.");
    module.def("read_dataset", &read, "path"_a, nb::kw_only(), "label"_a = "-1", "positive"_a = "",
               "missing"_a = "error", "one_hot"_a = false,
               "text_columns"_a = std::vector<std::string>{},
               nb::call_guard<nb::gil_scoped_release>(), "A labelled CSV or LIBSVM file.");
}

}  // namespace redoubt::python
