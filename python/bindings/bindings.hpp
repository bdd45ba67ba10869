#pragma once

/// What the sources of the extension share: each public header has one function that adds its
/// names to the module.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "redoubt/attack_model.hpp"
#include "redoubt/solver.hpp"
#include "redoubt/types.hpp"

namespace redoubt::python {

/// A field of every record, as an array.
template <typename Record, typename Field>
Vector column(const std::vector<Record>& records, Field field) {
    Vector values(static_cast<Index>(records.size()));
    for (std::size_t i = 0; i < records.size(); ++i) {
        values[static_cast<Index>(i)] = static_cast<double>(records[i].*field);
    }
    return values;
}

/// What the adversary may do: the model, or else a ball.
inline AttackModel threat_of(const std::string& norm, const std::optional<AttackModel>& model) {
    return model ? *model : AttackModel::ball(parse_norm(norm));
}

/// Without `max_nodes`: the library's own limit.
inline SearchLimits make_limits(std::optional<std::int64_t> max_nodes, double max_seconds_per_point,
                                double max_seconds) {
    SearchLimits limits;
    if (max_nodes) limits.max_nodes_per_point = *max_nodes;
    limits.max_seconds_per_point = max_seconds_per_point;
    limits.max_seconds = max_seconds;
    return limits;
}

void bind_attack_model(nanobind::module_& module);
void bind_certificate(nanobind::module_& module);
void bind_data(nanobind::module_& module);
void bind_ensemble(nanobind::module_& module);
void bind_explain(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_randomised_vote(nanobind::module_& module);
void bind_svm(nanobind::module_& module);
void bind_training(nanobind::module_& module);

}  // namespace redoubt::python
