#include "redoubt/ensemble.hpp"

#include <cstdint>

#include "bindings.hpp"
#include "redoubt/error.hpp"
#include "redoubt/operating_point.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace redoubt::python {

namespace {

void check_features(const Ensemble& ensemble, const PointsRef& X) {
    if (X.cols() == ensemble.n_features()) return;
    throw InvalidInput("X", std::to_string(ensemble.n_features()) + " columns",
                       std::to_string(X.cols()));
}

/// m x k: what each plane measures at each row of X.
Matrix margins_of_rows(const Ensemble& ensemble, const PointsRef& X) {
    check_features(ensemble, X);
    Matrix margins(X.rows(), ensemble.n_planes());
    for (Index j = 0; j < X.rows(); ++j) margins.row(j) = ensemble.margins(X.row(j)).transpose();
    return margins;
}

using SignMatrix = Eigen::Matrix<std::int8_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using UnitVector = Eigen::Matrix<std::int64_t, Eigen::Dynamic, 1>;

/// m x k: the exact answer of each plane at each row of X.
SignMatrix answers_of_rows(const Ensemble& ensemble, const PointsRef& X) {
    check_features(ensemble, X);
    SignMatrix answers(X.rows(), ensemble.n_planes());
    for (Index j = 0; j < X.rows(); ++j) {
        answers.row(j) = ensemble.answers(X.row(j)).cast<std::int8_t>().transpose();
    }
    return answers;
}

UnitVector units_of_planes(const Ensemble& ensemble) {
    UnitVector units(ensemble.n_planes());
    for (Index i = 0; i < units.size(); ++i) units[i] = ensemble.weight_units(i);
    return units;
}

}  // namespace

void bind_ensemble(nb::module_& module) {
    nb::class_<Ensemble>(module, "Ensemble",
                         "k planes that vote: sgn(sum_i alpha_i sgn(w_i'x + b_i)), sgn(0) = +1.")
        .def(nb::init<Matrix, Vector>(), "coef"_a, "intercept"_a,
             "Planes as the rows of `coef` (k x n) and the entries of `intercept` (k).")
        .def(nb::init<Matrix, Vector, Vector>(), "coef"_a, "intercept"_a, "weights"_a,
             "The same with a weight alpha_i > 0 for each; none at all is a majority vote.")
        .def(nb::init<const Ensemble&>(), "ensemble"_a, "A copy.")
        .def("with_quota", &Ensemble::with_quota, "quota"_a,
             "The same planes, of which a weight of `quota` must answer +1 for the vote to do so.")
        .def_prop_ro("has_quota", &Ensemble::has_quota)
        .def_prop_ro("quota", &Ensemble::quota, "As given; 0 without one.")
        .def_prop_ro("quota_units", &Ensemble::quota_units,
                     "The weight, in units, that must answer +1, with and without a quota.")
        .def_prop_ro("n_planes", &Ensemble::n_planes)
        .def_prop_ro("n_features", &Ensemble::n_features)
        .def_prop_ro("coef", [](const Ensemble& self) { return Matrix(self.coef()); })
        .def_prop_ro("intercept", [](const Ensemble& self) { return Vector(self.intercept()); })
        .def_prop_ro("is_weighted", &Ensemble::is_weighted)
        .def_prop_ro(
            "weights", [](const Ensemble& self) { return Vector(self.weights()); },
            "As given; empty for a majority vote.")
        .def_prop_ro("weight_units", &units_of_planes, "Weights as multiples of `weight_unit`.")
        .def_prop_ro("weight_unit", &Ensemble::weight_unit)
        .def("answers", &answers_of_rows, "X"_a, nb::call_guard<nb::gil_scoped_release>(),
             "sgn(w_i'x + b_i) for every row of X (m x n) and every plane (m x k), exact.")
        .def("weighted_votes", &Ensemble::weighted_votes, "X"_a, "n_threads"_a = 1,
             nb::call_guard<nb::gil_scoped_release>(),
             "sum_i alpha_i sgn(w_i'x + b_i) for every row of X, exact and rounded once.")
        .def("margins", &margins_of_rows, "X"_a, nb::call_guard<nb::gil_scoped_release>(),
             "w_i'x + b_i for every row x of X (m x n) and every plane (m x k), in floating point.")
        .def("votes", &Ensemble::votes, "X"_a, "n_threads"_a = 1,
             nb::call_guard<nb::gil_scoped_release>(),
             "sum_i sgn(w_i'x + b_i) for every row of X, as if computed without rounding.")
        .def("predict", &Ensemble::predict_all, "X"_a, "n_threads"_a = 1,
             nb::call_guard<nb::gil_scoped_release>(), "The answer, -1 or +1, for every row of X.");

    nb::class_<OperatingPoint>(module, "OperatingPoint",
                               "A vote at the rate of false positives that was asked for.")
        .def_ro("ensemble", &OperatingPoint::ensemble)
        .def_ro("false_positive_rate", &OperatingPoint::false_positive_rate)
        .def_ro("detection_rate", &OperatingPoint::detection_rate);
    module.def("choose_operating_point", &choose_operating_point, "ensemble"_a, "X"_a, "y"_a,
               "max_fpr"_a, "n_threads"_a = 1, nb::call_guard<nb::gil_scoped_release>(),
               "The same planes with another bias (one plane) or a quota: most detection at a rate\n"
               "of false positives of at most `max_fpr` on these points.");
}

}  // namespace redoubt::python
