#include <cmath>

#include "io/checkpoint_json.hpp"

namespace redoubt::io {

namespace {

Json rows_of(const Matrix& matrix) {
    Json rows = Json::array();
    for (Index i = 0; i < matrix.rows(); ++i) rows.push_back(list_of(matrix.row(i).transpose()));
    return rows;
}

Json count_field(Index count) {
    return static_cast<std::uint64_t>(count);
}

Json measured_field(double value) {
    return std::isnan(value) ? Json(nullptr) : Json(value);
}

Index n_features(const std::vector<Hyperplane>& planes) {
    return planes.empty() ? 0 : planes.front().w.size();
}

Json plane_list(const std::vector<Hyperplane>& planes) {
    Json list = Json::array();
    for (const Hyperplane& plane : planes) {
        list.push_back({{"w", list_of(plane.w)}, {"b", plane.b}});
    }
    return list;
}

Json state_fields(const std::vector<Hyperplane>& planes) {
    return {{"n_features", count_field(n_features(planes))}, {"planes", plane_list(planes)}};
}

Json state_fields(const RobustEnsembleState& state) {
    Json history = Json::array();
    for (const RoundRecord& round : state.history) {
        history.push_back({{"n_foolable", count_field(round.n_foolable)},
                           {"n_fooled", count_field(round.n_fooled)},
                           {"mean_fooled", round.mean_fooled},
                           {"least_weight", round.least_weight},
                           {"most_weight", round.most_weight},
                           {"adversary_seconds", round.adversary_seconds},
                           {"svm_seconds", round.svm_seconds},
                           {"svm_status", to_string(round.svm_status)},
                           {"accuracy", measured_field(round.accuracy)}});
    }
    return {{"n_features", count_field(n_features(state.planes))},
            {"planes", plane_list(state.planes)},
            {"n_points", count_field(state.dual_ratio.size())},
            {"dual_ratio", list_of(state.dual_ratio)},
            {"history", std::move(history)}};
}

Json state_fields(const CollaborativeState& state) {
    Json history = Json::array();
    for (const EpochRecord& epoch : state.history) {
        history.push_back({{"objective", epoch.objective},
                           {"validation_objective", measured_field(epoch.validation_objective)},
                           {"seconds", epoch.seconds}});
    }
    return {{"n_features", count_field(state.coef.cols())},
            {"n_epochs_done", count_field(state.n_epochs_done)},
            {"coef", rows_of(state.coef)},
            {"intercept", list_of(state.intercept)},
            {"moment", rows_of(state.moment)},
            {"variance", rows_of(state.variance)},
            {"n_steps", count_field(state.n_steps)},
            {"best", rows_of(state.best)},
            {"best_epoch", count_field(state.best_epoch)},
            {"history", std::move(history)}};
}

}  // namespace

Json checkpoint_to_fields(const Checkpoint& checkpoint) {
    Json fields = {{"format", kCheckpointFormat},
                   {"format_version", static_cast<std::uint64_t>(kCheckpointFormatVersion)},
                   {"library_version", checkpoint.library_version},
                   {"method", checkpoint.method},
                   {"fingerprint",
                    {{"data", checksum_text(checkpoint.fingerprint.data)},
                     {"settings", checksum_text(checkpoint.fingerprint.settings)}}},
                   {"state", std::visit([](const auto& state) { return state_fields(state); },
                                        checkpoint.state)}};
    fields["checksum"] = checksum_of(fields);
    return fields;
}

}  // namespace redoubt::io
