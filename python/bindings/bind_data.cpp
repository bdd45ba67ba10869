#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

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

template <typename Number>
using NumberArray = Eigen::Array<Number, Eigen::Dynamic, 1>;

/// Starts and columns of one type, as SciPy wants them.
template <typename Number>
nb::tuple csr_parts(const SparseView& X) {
    NumberArray<Number> starts(X.rows() + 1);
    NumberArray<Number> columns(X.n_entries());
    Vector values(X.n_entries());
    for (Index j = 0; j <= X.rows(); ++j) starts[j] = static_cast<Number>(X.start(j));
    Index next = 0;
    for (Index j = 0; j < X.rows(); ++j) {
        X.row(j).for_each([&](Index column, double value) {
            columns[next] = static_cast<Number>(column);
            values[next++] = value;
        });
    }
    return nb::make_tuple(std::move(values), std::move(columns), std::move(starts));
}

nb::object to_python(const PointSet& X) {
    if (!X.is_sparse()) return nb::cast(X.dense());
    const SparseView entries = X.sparse()->view();
    const bool is_small = entries.n_entries() <= std::numeric_limits<std::int32_t>::max();
    return nb::module_::import_("scipy.sparse")
        .attr("csr_array")(
            is_small ? csr_parts<std::int32_t>(entries) : csr_parts<std::int64_t>(entries),
            "shape"_a = nb::make_tuple(X.rows(), X.cols()));
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
            return "; correct it, empty it and use missing='drop' or 'median', or treat the column as "
                   "text with text_columns=[" +
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
        .def_prop_ro(
            "X", [](const Dataset& self) { return to_python(self.X); },
            "An array; of LIBSVM text a CSR array of SciPy.")
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
