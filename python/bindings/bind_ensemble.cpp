#include "redoubt/ensemble.hpp"

#include <nanobind/eigen/dense.h>

#include <string>

#include "bindings.hpp"
#include "redoubt/error.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace redoubt::python {

namespace {

/// m x k: what each plane measures at each row of X.
Matrix margins_of_rows(const Ensemble& ensemble, const MatrixRef& X) {
    if (X.cols() != ensemble.n_features()) {
        throw InvalidInput("X", std::to_string(ensemble.n_features()) + " columns",
                           std::to_string(X.cols()));
    }
    Matrix margins(X.rows(), ensemble.n_planes());
    for (Index j = 0; j < X.rows(); ++j) margins.row(j) = ensemble.margins(X.row(j)).transpose();
    return margins;
}

}  // namespace

void bind_ensemble(nb::module_& module) {
    nb::class_<Ensemble>(module, "Ensemble",
                         "k planes that vote: sgn(sum_i sgn(w_i'x + b_i)) with sgn(0) = +1.")
        .def(nb::init<Matrix, Vector>(), "coef"_a, "intercept"_a,
             "Planes as the rows of `coef` (k x n) and the entries of `intercept` (k).")
        .def_prop_ro("n_planes", &Ensemble::n_planes)
        .def_prop_ro("n_features", &Ensemble::n_features)
        .def_prop_ro("coef", [](const Ensemble& self) { return Matrix(self.coef()); })
        .def_prop_ro("intercept", [](const Ensemble& self) { return Vector(self.intercept()); })
        .def("margins", &margins_of_rows, "X"_a, nb::call_guard<nb::gil_scoped_release>(),
             "w_i'x + b_i for every row x of X (m x n) and every plane (m x k), in floating point.")
        .def("votes", &Ensemble::votes, "X"_a, "n_threads"_a = 1,
             nb::call_guard<nb::gil_scoped_release>(),
             "sum_i sgn(w_i'x + b_i) for every row of X, as if computed without rounding.")
        .def("predict", &Ensemble::predict_all, "X"_a, "n_threads"_a = 1,
             nb::call_guard<nb::gil_scoped_release>(), "The answer, -1 or +1, for every row of X.");
}

}  // namespace redoubt::python
