#include "redoubt/explain.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/tuple.h>

#include <array>

#include "bindings.hpp"
#include "watched.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace redoubt::python {

namespace {

/// The changes of single features and of the cheapest attack are lists of their own.
Columns columns_of(const Explanation& found) {
    const Certificate& certificate = found.certificate;
    return {{{"radius", certificate.radius},
             {"lower", certificate.lower},
             {"upper", certificate.upper},
             {"status", std::string(to_string(certificate.status))},
             {"n_nodes", static_cast<double>(certificate.n_nodes)},
             {"solve_seconds", certificate.solve_seconds},
             {"sentence", found.sentence},
             {"moved", found.moved},
             {"moved_answer", static_cast<double>(found.moved_answer)},
             {"is_changed", found.is_changed ? 1.0 : 0.0},
             {"attack_feature", list(found.attack, &FeatureMove::feature)},
             {"attack_before", column(found.attack, &FeatureMove::from)},
             {"attack_after", column(found.attack, &FeatureMove::to)},
             {"attack_size", column(found.attack, &FeatureMove::size)},
             {"attack_share", column(found.attack, &FeatureMove::share)},
             {"single_feature", list(found.singles, &SingleChange::feature)},
             {"single_before", column(found.singles, &SingleChange::from)},
             {"single_up_to", column(found.singles, &SingleChange::up_to)},
             {"single_down_to", column(found.singles, &SingleChange::down_to)},
             {"single_up_size", column(found.singles, &SingleChange::up_size)},
             {"single_down_size", column(found.singles, &SingleChange::down_size)},
             {"single_partner", list(found.singles, &SingleChange::partner)},
             {"single_goes_on", column(found.singles, &SingleChange::goes_on)}}};
}

/// Name, first feature, members.
using TextColumn = std::tuple<std::string, int, std::vector<std::string>>;

std::vector<Columns> explain_all(const Model& model, const MatrixRef& X, ExplainSettings settings,
                                 nb::kwargs given) {
    RowFeatures frozen;
    Keywords(std::move(given))
        .read(settings.attack_model)
        .read("frozen", frozen)
        .read("least", settings.ranges.least)
        .read("greatest", settings.ranges.greatest)
        .read("n_named", settings.n_named)
        .read("max_nodes", settings.limits.max_nodes_per_point)
        .read("max_seconds_per_point", settings.limits.max_seconds_per_point)
        .finish();
    return watched(nb::none(), [&](const Watch& watch) {
        settings.limits.stop = &watch.stop();
        std::vector<Columns> explanations;
        for (Index j = 0; j < X.rows(); ++j) {
            if (!frozen.empty()) settings.frozen = frozen.at(static_cast<std::size_t>(j));
            explanations.push_back(columns_of(explain(model, X.row(j).transpose(), settings)));
        }
        return explanations;
    });
}

template <typename Decision>
std::vector<Columns> explain_rows(const Decision& decision, const MatrixRef& X,
                                  const Vector& center, const Vector& scale,
                                  const ClassNames& classes,
                                  const std::vector<std::string>& feature_names,
                                  const std::vector<TextColumn>& text_columns, nb::kwargs given) {
    const Model model(Scaler(Scaling::Standard, center, scale), decision,
                      named_coding(feature_names, classes));
    ExplainSettings settings;
    for (const auto& [name, first, members] : text_columns)
        settings.columns.push_back({name, first, members});
    return explain_all(model, X, std::move(settings), std::move(given));
}

std::vector<Columns> explain_model(const Model& model, const MatrixRef& X, nb::kwargs given) {
    return explain_all(model, X, {}, std::move(given));
}

template <typename Decision>
void bind_explain_rows(nb::module_& module) {
    module.def("explain", &explain_rows<Decision>, "decision"_a, "X"_a, "center"_a, "scale"_a,
               "classes"_a, "feature_names"_a, "text_columns"_a = std::vector<TextColumn>{},
               "settings"_a,
               "Explains the answer at every row of raw features."
               " Text columns: name, first feature, members.");
}

}  // namespace

void bind_explain(nb::module_& module) {
    bind_explain_rows<Ensemble>(module);
    bind_explain_rows<ClassVote>(module);
    module.def("explain_model", &explain_model, "model"_a, "X"_a, "settings"_a,
               "The same for a whole model, with the columns that it knows.");
}

}  // namespace redoubt::python
