#include <algorithm>
#include <limits>

#include "io/checkpoint_json.hpp"
#include "redoubt/error.hpp"

namespace redoubt::io {

namespace {

Index read_count(const JsonField& field) {
    return static_cast<Index>(field.count(kMaxJsonCount));
}

double read_measured(const JsonField& field) {
    return field.optional_number().value_or(std::numeric_limits<double>::quiet_NaN());
}

/// Rows of n numbers.
Matrix read_rows(const JsonField& field, Index n) {
    const std::size_t n_rows = field.n_entries();
    // Read first: a made-up n must not take more memory than the file has numbers.
    std::vector<Vector> values;
    values.reserve(n_rows);
    for (std::size_t i = 0; i < n_rows; ++i) values.push_back(field.entry(i).numbers(n));
    if (values.empty()) return {};
    Matrix matrix(static_cast<Index>(values.size()), n);
    for (std::size_t i = 0; i < values.size(); ++i) {
        matrix.row(static_cast<Index>(i)) = values[i].transpose();
    }
    return matrix;
}

std::vector<Hyperplane> read_planes(const JsonField& state) {
    const JsonField n_features = state.at("n_features");
    std::vector<Hyperplane> planes = read_plane_list(state.at("planes"), read_count(n_features));
    if (planes.empty() && read_count(n_features) > 0) n_features.fail("0 without planes");
    return planes;
}

RoundRecord read_round(const JsonField& field) {
    field.expect_fields({"n_foolable", "n_fooled", "mean_fooled", "least_weight", "most_weight",
                         "adversary_seconds", "svm_seconds", "svm_status", "accuracy"});
    return {.n_foolable = read_count(field.at("n_foolable")),
            .n_fooled = read_count(field.at("n_fooled")),
            .mean_fooled = field.at("mean_fooled").number(),
            .least_weight = field.at("least_weight").number(),
            .most_weight = field.at("most_weight").number(),
            .adversary_seconds = field.at("adversary_seconds").number(),
            .svm_seconds = field.at("svm_seconds").number(),
            .svm_status = read_name(field.at("svm_status"), kStatusNames),
            .accuracy = read_measured(field.at("accuracy"))};
}

RobustEnsembleState read_robust_ensemble(const JsonField& field) {
    field.expect_fields({"n_features", "planes", "n_points", "dual_ratio", "history"});
    RobustEnsembleState state;
    state.planes = read_planes(field);
    state.dual_ratio = field.at("dual_ratio").numbers(read_count(field.at("n_points")));
    const JsonField history = field.at("history");
    for (std::size_t i = 0; i < history.n_entries(); ++i) {
        state.history.push_back(read_round(history.entry(i)));
    }
    return state;
}

CollaborativeState read_collaborative(const JsonField& field) {
    field.expect_fields({"n_features", "n_epochs_done", "coef", "intercept", "moment", "variance",
                         "n_steps", "best", "best_epoch", "history"});
    const Index n = read_count(field.at("n_features"));
    CollaborativeState state;
    state.n_epochs_done = read_count(field.at("n_epochs_done"));
    state.coef = read_rows(field.at("coef"), n);
    state.intercept = field.at("intercept").numbers(state.coef.rows());
    state.moment = read_rows(field.at("moment"), n + 1);
    state.variance = read_rows(field.at("variance"), n + 1);
    state.n_steps = read_count(field.at("n_steps"));
    state.best = read_rows(field.at("best"), n + 1);
    state.best_epoch = read_count(field.at("best_epoch"));
    const JsonField history = field.at("history");
    for (std::size_t i = 0; i < history.n_entries(); ++i) {
        const JsonField epoch = history.entry(i);
        epoch.expect_fields({"objective", "validation_objective", "seconds"});
        state.history.push_back({epoch.at("objective").number(),
                                 read_measured(epoch.at("validation_objective")),
                                 epoch.at("seconds").number()});
    }
    return state;
}

/// The inverse of `checksum_text`.
std::uint32_t read_sum(const JsonField& field) {
    constexpr std::string_view kPrefix = "crc32:";
    const std::string& text = field.text();
    std::uint32_t sum = 0;
    for (std::size_t i = kPrefix.size(); i < std::min<std::size_t>(text.size(), 14); ++i) {
        const char c = text[i];
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 0;
        sum = 16 * sum + static_cast<std::uint32_t>(digit);
    }
    if (checksum_text(sum) != text) field.fail("'crc32:' and 8 digits from 0 to f");
    return sum;
}

Checkpoint read_checkpoint(const JsonField& root) {
    root.expect_fields({"format", "format_version", "library_version", "method", "fingerprint",
                        "state", "checksum"});
    Checkpoint checkpoint;
    checkpoint.library_version = root.at("library_version").text();
    const StateKind kind = read_name(root.at("method"), kStateKinds);
    checkpoint.method = root.at("method").text();
    const JsonField fingerprint = root.at("fingerprint");
    fingerprint.expect_fields({"data", "settings"});
    checkpoint.fingerprint = {read_sum(fingerprint.at("data")),
                              read_sum(fingerprint.at("settings"))};
    const JsonField state = root.at("state");
    switch (kind) {
        case StateKind::Planes:
            state.expect_fields({"n_features", "planes"});
            checkpoint.state = read_planes(state);
            break;
        case StateKind::RobustEnsemble:
            checkpoint.state = read_robust_ensemble(state);
            break;
        case StateKind::Collaborative:
            checkpoint.state = read_collaborative(state);
            break;
    }
    return checkpoint;
}

}  // namespace

Checkpoint checkpoint_from_fields(Json fields, const std::string& origin) {
    const JsonField root(fields, origin);
    check_format(root, kCheckpointFormat, kCheckpointFormatVersion, "checkpoint");
    Checkpoint checkpoint = read_checkpoint(root);
    try {
        checkpoint.check();
    } catch (const InvalidInput& error) {
        throw ParseError(origin, 0, 0, error.what());
    }
    check_checksum(fields, origin);
    return checkpoint;
}

}  // namespace redoubt::io
