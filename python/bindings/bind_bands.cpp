#include "redoubt/bands.hpp"

#include <nanobind/stl/pair.h>

#include <cstdint>
#include <span>
#include <utility>

#include "bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace redoubt::python {

namespace {

using IntegerVector = Eigen::Matrix<std::int64_t, Eigen::Dynamic, 1>;

IntegerVector as_array(const std::vector<std::int64_t>& values) {
    return Eigen::Map<const IntegerVector>(values.data(), static_cast<Index>(values.size()));
}

BandQuery query_of(nb::kwargs given) {
    BandQuery query;
    Keywords keywords(std::move(given));
    keywords.read("w", query.w)
        .read("b", query.b)
        .read("size", query.size)
        .read("moves", query.moves)
        .read("size_moves", query.size_moves)
        .read("divisions", query.divisions)
        .read("division_sizes", query.division_sizes)
        .read("reach", query.reach)
        .read("density", query.density)
        .read("share", query.share)
        .read("seed", query.seed)
        .read("feature_units", query.feature_units)
        .read("radius_unit", query.radius_unit)
        .read("hinge_unit", query.hinge_unit)
        .read("weight_unit", query.weight_unit)
        .finish();
    return query;
}

BandSummary summarise(const MatrixRef& X, const VectorRef& y, const VectorRef& weights,
                      const VectorRef& radii, const Eigen::Ref<const IntegerVector>& copies,
                      int n_threads, nb::kwargs given) {
    const BandQuery query = query_of(std::move(given));
    const std::span given_copies{copies.data(), static_cast<std::size_t>(copies.size())};
    const nb::gil_scoped_release release;
    return summarise_bands({X, y, weights, radii, given_copies}, query, n_threads);
}

IntegerVector keys(const MatrixRef& X, const VectorRef& y, const VectorRef& weights,
                   const VectorRef& radii) {
    const BandRows rows{X, y, weights, radii};
    IntegerVector found(X.rows());
    for (Index j = 0; j < X.rows(); ++j) found[j] = static_cast<std::int64_t>(rows.key(j));
    return found;
}

std::pair<IntegerVector, IntegerVector> smooth(const MatrixRef& X, const VectorRef& y,
                                               const VectorRef& weights, const VectorRef& radii,
                                               int n_threads, nb::kwargs given) {
    SmoothQuery query;
    Keywords keywords(std::move(given));
    keywords.read("w", query.w)
        .read("b", query.b)
        .read("size", query.size)
        .read("width", query.width)
        .read("units", query.units)
        .finish();
    const nb::gil_scoped_release release;
    const SmoothSums sums = summarise_smooth({X, y, weights, radii}, query, n_threads);
    return {as_array(sums.high), as_array(sums.low)};
}

Vector uniforms(std::uint64_t seed, const Eigen::Ref<const IntegerVector>& rows) {
    Vector values(rows.size());
    for (Index j = 0; j < rows.size(); ++j)
        values[j] = row_uniform(seed, static_cast<std::uint64_t>(rows[j]));
    return values;
}

}  // namespace

void bind_bands(nb::module_& module) {
    nb::class_<BandSummary>(module, "BandSummary", "What one pass found out about some rows.")
        .def_prop_ro("high", [](const BandSummary& self) { return IntegerMatrix(self.high); })
        .def_prop_ro("low", [](const BandSummary& self) { return IntegerMatrix(self.low); })
        .def_ro("hinge_high", &BandSummary::hinge_high)
        .def_ro("hinge_low", &BandSummary::hinge_low)
        .def_prop_ro("counts", [](const BandSummary& self) { return as_array(self.counts); })
        .def_prop_ro("kept", [](const BandSummary& self) { return as_array(self.kept); })
        .def_prop_ro("copies", [](const BandSummary& self) { return as_array(self.copies); })
        .def_prop_ro("probability", [](const BandSummary& self) {
            return Vector(Eigen::Map<const Vector>(self.probability.data(),
                                                   static_cast<Index>(self.probability.size())));
        });
    module.attr("BAND_CELL_ENDS") = BandSummary::cell_ends();
    module.def("summarise_bands", &summarise, "X"_a, "y"_a, "weights"_a, "radii"_a, "copies"_a,
               "n_threads"_a, "query"_a,
               "One pass over rows around a plane; see bands.hpp of the C++ library. The query's\n"
               "fields are keywords.");
    module.def("summarise_smooth", &smooth, "X"_a, "y"_a, "weights"_a, "radii"_a, "n_threads"_a,
               "query"_a,
               "(high, low) of the sums of a Newton step; see bands.hpp of the C++ library.");
    module.def("row_uniforms", &uniforms, "seed"_a, "rows"_a,
               "Numbers in [0, 1) that belong to rows of the whole data, or to keys of rows.");
    module.def("row_keys", &keys, "X"_a, "y"_a, "weights"_a, "radii"_a,
               "Numbers that are equal for equal rows.");
}

}  // namespace redoubt::python
