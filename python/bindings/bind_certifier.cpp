#include "redoubt/certifier.hpp"

#include <nanobind/stl/pair.h>

#include <chrono>
#include <tuple>

#include "bindings.hpp"
#include "certificate_columns.hpp"
#include "redoubt/proof_file.hpp"
#include "watched.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace redoubt::python {

namespace {

/// The lines of a proof file; empty texts where there is no proof.
std::vector<std::string> proof_lines(const Certifier& certifier, const PointsRef& X,
                                     const CertifySettings& settings,
                                     const std::vector<Certificate>& found) {
    std::vector<std::string> lines;
    for (std::size_t j = 0; j < found.size(); ++j) {
        const auto row = static_cast<Index>(j);
        const std::vector<int> frozen =
            settings.frozen.empty() ? std::vector<int>() : settings.frozen[j];
        lines.push_back(found[j].proof
                            ? proof_line(row + 1, certifier.ensemble(), certifier.attack_model(),
                                         X.row(row).to_dense(), found[j], frozen)
                            : std::string());
    }
    return lines;
}

Columns columns_of(const std::vector<Certificate>& found, const PointsRef& X, const Vector& labels,
                   bool has_witness) {
    Columns columns = certificate_columns(found, X, has_witness);
    columns.values["label"] = labels;
    columns.values["fooled"] = list(found, &Certificate::fooled);
    return columns;
}

/// So many rows of one plane take less than a millisecond, as a rule.
constexpr Index kFewRows = 16;

CertifySettings read_settings(nb::kwargs given) {
    CertifySettings settings;
    Keywords keywords(std::move(given));
    read_search(keywords, settings);
    keywords.read("witness", settings.wants_witness).read("proofs", settings.proofs).finish();
    return settings;
}

Columns certify_rows(const Certifier& certifier, const PointsRef& X, const std::optional<Vector>& y,
                     const CertifySettings& settings) {
    const Ensemble& ensemble = certifier.ensemble();
    const Vector labels =
        y ? *y : Vector(ensemble.predict_all(X, settings.n_threads).cast<double>());
    const std::vector<Certificate> found = certifier.certify(X, labels, settings);
    Columns columns = columns_of(found, X, labels, settings.wants_witness);
    if (settings.proofs) {
        columns.values["proof"] = proof_lines(certifier, X, settings, found);
        columns.values["proof_header"] = proof_header(ensemble, certifier.attack_model());
        columns.values["why_no_proof"] = reasons(found);
    }
    return columns;
}

/// Calls `certify(settings)` where the user can interrupt it, if it may take long.
template <class Certify>
Columns certify_watched(const Ensemble& ensemble, const PointsRef& X, CertifySettings settings,
                        const Certify& certify) {
    const auto work = [&](const Watch& watch) {
        settings.limits.stop = &watch.stop();
        settings.check();
        return certify(settings);
    };
    const bool is_short =
        ensemble.n_planes() == 1 && X.rows() <= kFewRows && settings.solver == Solver::Native;
    return is_short ? unwatched(work) : watched(nb::none(), work);
}

Columns certify_once(const Ensemble& ensemble, const PointsRef& X, const std::optional<Vector>& y,
                     nb::kwargs given) {
    return certify_watched(ensemble, X, read_settings(std::move(given)), [&](const auto& settings) {
        return certify_rows(Certifier(ensemble, settings.attack_model), X, y, settings);
    });
}

Columns certify_prepared(const Certifier& certifier, const PointsRef& X,
                         const std::optional<Vector>& y, nb::kwargs given) {
    return certify_watched(
        certifier.ensemble(), X, read_settings(std::move(given)),
        [&](const auto& settings) { return certify_rows(certifier, X, y, settings); });
}

/// The certificate of one row of a table, whose answer counts as right.
struct RowCertificate {
    Vector x;  ///< the row's features
    int answer = 0;
    Certificate certificate{};

    Columns columns() const {
        const Matrix X = x.transpose();
        return columns_of({certificate}, X, Vector::Constant(1, answer), true);
    }
};

/// Certifies rows of a table one at a time, each given by its numbers and, for each group of
/// features, by the member that is on.
class RowSearch {
public:
    /// `unit`: what 1 of each feature of the Certifier is in the table. `marks` are further
    /// features that are 1.
    RowSearch(const Certifier& certifier, Vector unit, std::vector<int> number_at,
              std::vector<int> group_at, std::vector<int> marks)
        : certifier_(certifier),
          unit_(std::move(unit)),
          number_at_(std::move(number_at)),
          group_at_(std::move(group_at)),
          marks_(std::move(marks)) {
        need_length("unit", unit_.size(), certifier.ensemble().n_features());
    }

    RowCertificate certify(const std::vector<double>& numbers,
                           const std::vector<int>& codes) const {
        need_length("numbers", std::ssize(numbers), std::ssize(number_at_));
        need_length("codes", std::ssize(codes), std::ssize(group_at_));
        RowCertificate row{.x = Vector::Zero(unit_.size())};
        for (std::size_t i = 0; i < numbers.size(); ++i) put(row.x, number_at_[i], numbers[i]);
        for (std::size_t i = 0; i < codes.size(); ++i) put(row.x, group_at_[i] + codes[i], 1.0);
        for (const int mark : marks_) put(row.x, mark, 1.0);
        if (!is_found_soon(row)) {
            std::tie(row.answer, row.certificate) = watched(nb::none(), [&](const Watch& watch) {
                return certifier_.certify_answer(row.x, {.stop = &watch.stop()});
            });
        }
        return row;
    }

private:
    /// Starting a thread and waiting for it takes longer than most rows.
    static constexpr auto kSoon = std::chrono::milliseconds(5);

    static void need_length(const char* argument, Index length, Index wanted) {
        if (length == wanted) return;
        throw InvalidInput(argument, "length " + std::to_string(wanted),
                           "length " + std::to_string(length));
    }

    void put(Vector& x, int feature, double value) const {
        if (feature < 0 || feature >= x.size())
            throw InvalidInput("features", "0 to " + std::to_string(x.size() - 1),
                               std::to_string(feature));
        x[feature] = value / unit_[feature];
    }

    bool is_found_soon(RowCertificate& row) const {
        const nb::gil_scoped_release release;
        const auto start = std::chrono::steady_clock::now();
        const SearchLimits limits{.max_seconds = std::chrono::duration<double>(kSoon).count()};
        std::tie(row.answer, row.certificate) = certifier_.certify_answer(row.x, limits);
        // What the limit cut short is begun again, so that results do not depend on the time.
        return std::chrono::steady_clock::now() - start < kSoon;
    }

    const Certifier& certifier_;
    Vector unit_;
    std::vector<int> number_at_;
    std::vector<int> group_at_;
    std::vector<int> marks_;
};

}  // namespace

void bind_certifier(nb::module_& module) {
    module.def("certify", &certify_once, "ensemble"_a, "X"_a, "y"_a.none() = nb::none(),
               "settings"_a, "The signed radius of every row, with bracket and witness.");
    nb::class_<Certifier>(module, "Certifier",
                          "Certificates of one vote under one attack model, prepared once.")
        .def(nb::init<const Ensemble&, const AttackModel&>(), "ensemble"_a, "attack_model"_a,
             nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>())
        .def("certify", &certify_prepared, "X"_a, "y"_a.none() = nb::none(), "settings"_a,
             "The signed radius of every row, with bracket and witness.");
    nb::class_<RowCertificate>(module, "RowCertificate", "The certificate of one row of a table.")
        .def_prop_ro("radius", [](const RowCertificate& self) { return self.certificate.radius; })
        .def_prop_ro("lower", [](const RowCertificate& self) { return self.certificate.lower; })
        .def_prop_ro("upper", [](const RowCertificate& self) { return self.certificate.upper; })
        .def_ro("answer", &RowCertificate::answer)
        .def("columns", &RowCertificate::columns, "As `certify` gives them for several rows.");
    nb::class_<RowSearch>(module, "RowSearch", "Single rows of a table, from numbers and codes.")
        .def(nb::init<const Certifier&, Vector, std::vector<int>, std::vector<int>,
                      std::vector<int>>(),
             "certifier"_a, "unit"_a, "number_at"_a, "group_at"_a, "marks"_a,
             nb::keep_alive<1, 2>())
        .def("certify", &RowSearch::certify, "numbers"_a, "codes"_a,
             "The certificate of the row with these numbers and members of groups.");
}

}  // namespace redoubt::python
