#include "redoubt/class_vote.hpp"

#include "bindings.hpp"
#include "certificate_columns.hpp"
#include "redoubt/class_certificate.hpp"
#include "redoubt/proof_file.hpp"
#include "watched.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace redoubt::python {

namespace {

std::vector<Index> planes_per_class(const ClassVote& vote) {
    std::vector<Index> counts;
    for (Index c = 0; c < vote.n_classes(); ++c) counts.push_back(vote.n_planes(c));
    return counts;
}

std::vector<bool> minus_at_zero_of(const ClassVote& vote) {
    const std::vector<char>& marks = vote.is_minus_at_zero();
    return std::vector<bool>(marks.begin(), marks.end());
}

ClassVote make_class_vote(const Ensemble& planes, const std::vector<Index>& counts,
                          const std::string& score, const std::vector<bool>& is_minus_at_zero,
                          const std::optional<Ensemble>& tie_values) {
    return ClassVote(planes, counts, parse_class_score(score),
                     std::vector<char>(is_minus_at_zero.begin(), is_minus_at_zero.end()),
                     tie_values);
}

/// The lines of a proof file; empty texts where there is no proof.
std::vector<std::string> proof_lines(const ClassVote& vote, const PointsRef& X,
                                     const std::optional<Eigen::VectorXi>& y,
                                     const ClassCertifySettings& settings,
                                     const std::vector<ClassCertificate>& found) {
    std::vector<std::string> lines;
    for (std::size_t j = 0; j < found.size(); ++j) {
        const auto row = static_cast<Index>(j);
        const std::vector<int> frozen =
            settings.frozen.empty() ? std::vector<int>() : settings.frozen[j];
        const int label = y ? (*y)[row] : found[j].answer;
        lines.push_back(found[j].class_proof ? proof_line(row + 1, vote, X.row(row).to_dense(),
                                                          label, found[j], frozen)
                                             : std::string());
    }
    return lines;
}

/// Without `y` the answers count as right; `target` asks for moves to these classes instead.
Columns certify_class_rows(const ClassVote& vote, const PointsRef& X,
                           const std::optional<Eigen::VectorXi>& y,
                           const std::optional<Eigen::VectorXi>& target, nb::kwargs given) {
    ClassCertifySettings settings;
    Keywords keywords(std::move(given));
    read_search(keywords, settings);
    keywords.read("witness", settings.wants_witness)
        .read("max_joint_nodes", settings.max_joint_nodes)
        .read("proofs", settings.proofs)
        .finish();
    return watched(nb::none(), [&](const Watch& watch) {
        settings.limits.stop = &watch.stop();
        const std::vector<ClassCertificate> found =
            target ? certify_targets(vote, X, *target, settings)
            : y    ? certify(vote, X, *y, settings)
                   : certify(vote, X, settings);
        Columns columns = certificate_columns(found, X, settings.wants_witness);
        columns.values["answer"] = list(found, &ClassCertificate::answer);
        columns.values["moved_answer"] = list(found, &ClassCertificate::moved_answer);
        if (settings.proofs) {
            columns.values["proof"] = proof_lines(vote, X, y, settings, found);
            columns.values["why_no_proof"] = reasons(found);
            columns.values["proof_header"] = proof_header(vote, settings.attack_model);
        }
        return columns;
    });
}

}  // namespace

void bind_classes(nb::module_& module) {
    nb::class_<ClassVote>(module, "ClassVote",
                          "Planes of several classes: the class of the greatest value, or of the "
                          "most votes, is the answer; of equals the first.")
        .def(
            "__init__",
            [](ClassVote* self, const Ensemble& planes, const std::vector<Index>& counts,
               const std::string& score, const std::vector<bool>& is_minus_at_zero,
               const std::optional<Ensemble>& tie_values) {
                new (self)
                    ClassVote(make_class_vote(planes, counts, score, is_minus_at_zero, tie_values));
            },
            "planes"_a, "counts"_a, "score"_a, "is_minus_at_zero"_a = std::vector<bool>{},
            "tie_values"_a.none() = nb::none(),
            "The planes of all classes, those of the first class first; `counts` says how many "
            "each has. One plane per class of `tie_values` settles ties of votes.")
        .def_prop_ro("planes", &ClassVote::planes)
        .def_prop_ro("counts", &planes_per_class)
        .def_prop_ro("score",
                     [](const ClassVote& self) { return std::string(to_string(self.score())); })
        .def_prop_ro("is_minus_at_zero", &minus_at_zero_of, "By plane; empty where none is.")
        .def_prop_ro("n_classes", &ClassVote::n_classes)
        .def_prop_ro("n_features", &ClassVote::n_features)
        .def("predict", &ClassVote::predict_all, "X"_a, "n_threads"_a = 1,
             nb::call_guard<nb::gil_scoped_release>(), "The class of every row, from 0; exact.")
        .def("votes", &ClassVote::votes, "X"_a, "n_threads"_a = 1,
             nb::call_guard<nb::gil_scoped_release>(), "How many planes of each class answer +1.")
        .def("scores", &ClassVote::scores, "X"_a, "n_threads"_a = 1,
             nb::call_guard<nb::gil_scoped_release>(),
             "Values, or weighted votes as shares of their sum, in floating point.");
    module.def("certify_classes", &certify_class_rows, "vote"_a, "X"_a, "y"_a.none() = nb::none(),
               "target"_a.none() = nb::none(), "settings"_a,
               "The signed radius of every row, or its least move to a class.");
}

}  // namespace redoubt::python
