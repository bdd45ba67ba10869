#include "redoubt/certificate.hpp"

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>

#include "bindings.hpp"
#include "certificate_columns.hpp"
#include "redoubt/attack.hpp"
#include "redoubt/attack_curve.hpp"
#include "redoubt/highs.hpp"
#include "redoubt/proof_check.hpp"
#include "redoubt/proof_file.hpp"
#include "redoubt/randomised_vote.hpp"
#include "watched.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace redoubt::python {

namespace {

/// An array of Python with these numbers.
template <typename Number>
nb::object array_of(const std::vector<Number>& numbers) {
    const Eigen::Matrix<Number, Eigen::Dynamic, 1> copy =
        Eigen::Map<const Eigen::Matrix<Number, Eigen::Dynamic, 1>>(
            numbers.data(), static_cast<Index>(numbers.size()));
    return nb::cast(copy);
}

/// Radii x the classes -1 and +1.
Matrix class_rows(const std::vector<RandomisedScore>& scores, double (RandomisedScore::*field)[2]) {
    Matrix values(static_cast<Index>(scores.size()), 2);
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const auto& row = scores[i].*field;
        values.row(static_cast<Index>(i)) << row[0], row[1];
    }
    return values;
}

Columns attack_rows(const Ensemble& ensemble, const PointsRef& X, const VectorRef& y,
                    const VectorRef& radii, nb::kwargs given) {
    AttackSettings settings;
    Keywords keywords(std::move(given));
    read_search(keywords, settings);
    keywords.read("adversary", settings.adversary, parse_adversary)
        .read("rule", settings.rule, parse_heuristic_rule)
        .finish();
    return watched(nb::none(), [&](const Watch& watch) {
        settings.limits.stop = &watch.stop();
        const std::vector<Attack> found = attack(ensemble, X, y, radii, settings);
        return Columns{{{"perturbation", rows(found, &Attack::d, X.cols())},
                        {"objective", column(found, &Attack::objective)},
                        {"bound", column(found, &Attack::bound)},
                        {"success", column(found, &Attack::success)},
                        {"n_nodes", column(found, &Attack::n_nodes)},
                        {"solve_seconds", column(found, &Attack::solve_seconds)},
                        {"status", statuses(found)},
                        {"fooled", list(found, &Attack::fooled)}}};
    });
}

Columns expected_rows(const Ensemble& ensemble, const PointsRef& X, const VectorRef& y,
                      const VectorRef& radii, nb::kwargs given) {
    AttackSettings settings;
    Keywords keywords(std::move(given));
    read_search(keywords, settings);
    keywords.finish();
    return watched(nb::none(), [&](const Watch& watch) {
        settings.limits.stop = &watch.stop();
        const std::vector<RandomisedScore> found =
            worst_expected_accuracy(ensemble, X, y, radii, settings);
        return Columns{{{"mean", column(found, &RandomisedScore::mean)},
                        {"mean_lower", column(found, &RandomisedScore::mean_lower)},
                        {"accuracy", rows(found, &RandomisedScore::accuracy, X.rows())},
                        {"lower", rows(found, &RandomisedScore::lower, X.rows())},
                        {"class_mean", class_rows(found, &RandomisedScore::class_mean)},
                        {"class_lower", class_rows(found, &RandomisedScore::class_lower)}}};
    });
}

Columns curve_of(const VectorRef& lower, const VectorRef& upper, const VectorRef& y,
                 const VectorRef& radii) {
    const AttackCurve curve = attack_curve(lower, upper, y, radii);
    return {{{"accuracy", curve.accuracy},
             {"balanced_accuracy", curve.balanced_accuracy},
             {"undecided", curve.undecided},
             {"balanced_undecided", curve.balanced_undecided},
             {"constant_accuracy", curve.constant_accuracy}}};
}

Columns ceiling_of(const PointsRef& X, const VectorRef& y, const VectorRef& radii,
                   const std::string& norm) {
    const AccuracyCeiling ceiling = accuracy_ceiling(X, y, radii, parse_norm(norm));
    return {{{"accuracy", ceiling.accuracy}, {"balanced_accuracy", ceiling.balanced_accuracy}}};
}

}  // namespace

void bind_certificate(nb::module_& module) {
    nb::class_<CompressedRows>(module, "CompressedRows", "The arrays of a CSR matrix.")
        .def_prop_ro("indptr", [](const CompressedRows& self) { return array_of(self.starts); })
        .def_prop_ro("indices", [](const CompressedRows& self) { return array_of(self.columns); })
        .def_prop_ro("data", [](const CompressedRows& self) { return array_of(self.values); });
    nb::class_<Columns>(module, "Columns", "What was found, by name: numbers, arrays, lists.")
        .def("__getattr__", [](const Columns& self, const std::string& name) {
            const auto found = self.values.find(name);
            if (found == self.values.end()) throw nb::attribute_error(name.c_str());
            return found->second;
        });
    nb::class_<ProofVerdict>(module, "ProofVerdict",
                             "What a line of a proof file turned out to be.")
        .def_ro("row", &ProofVerdict::row)
        .def_ro("is_proven", &ProofVerdict::is_proven)
        .def_ro("reason", &ProofVerdict::reason)
        .def_ro("answer", &ProofVerdict::answer)
        .def_ro("radius", &ProofVerdict::radius);
    nb::class_<ProofChecker>(module, "ProofChecker", "Checks proofs in exact arithmetic.")
        .def(nb::init<std::string_view, std::string>(), "header"_a, "origin"_a)
        .def("check", &ProofChecker::check, "line"_a, "number"_a,
             nb::call_guard<nb::gil_scoped_release>());
    module.def(
        "proof_header",
        [](const Ensemble& ensemble, const AttackModel& model, const std::string& model_hash) {
            return proof_header(ensemble, model, model_hash);
        },
        "ensemble"_a, "attack_model"_a, "model_hash"_a = "", "The first line of a proof file.");
    module.def("attack", &attack_rows, "ensemble"_a, "X"_a, "y"_a, "radii"_a, "settings"_a,
               "The worst move within a radius, for every row.");
    module.def("worst_expected_accuracy", &expected_rows, "ensemble"_a, "X"_a, "y"_a, "radii"_a,
               "settings"_a, "The expected accuracy of a randomised vote under the worst attack.");
    module.def("attack_curve", &curve_of, "lower"_a, "upper"_a, "y"_a, "radii"_a,
               "Accuracy under attack at many radii, from one certificate per point.");
    module.def("accuracy_ceiling", &ceiling_of, "X"_a, "y"_a, "radii"_a, "norm"_a = "l2",
               nb::call_guard<nb::gil_scoped_release>(),
               "What no classifier can beat under attack at many radii.");
    module.def("set_highs_library", &set_highs_library, "path"_a, "Where to look for HiGHS first.");
    module.def("highs_version", &highs_version,
               "The version of HiGHS, or None when it cannot be loaded.");
}

}  // namespace redoubt::python
