#include <cmath>

#include "core/check.hpp"
#include "core/text_tools.hpp"
#include "io/checkpoint_json.hpp"
#include "redoubt/atomic_file.hpp"

namespace redoubt {

namespace {

std::string at(const char* list, std::size_t i) {
    return std::string(list) + "[" + std::to_string(i) + "]";
}

void check_number(const std::string& argument, double value) {
    check_value(std::isfinite(value), argument, "a finite number", value);
}

void check_count(const std::string& argument, Index value) {
    check_value(value >= 0 && value <= static_cast<Index>(io::kMaxJsonCount), argument,
                "an integer from 0 to " + std::to_string(io::kMaxJsonCount),
                static_cast<double>(value));
}

void check_size(const char* argument, const Matrix& matrix, Index n_rows, Index n_columns) {
    if (matrix.rows() != n_rows || matrix.cols() != n_columns) {
        throw InvalidInput(argument, std::to_string(n_rows) + " x " + std::to_string(n_columns),
                           std::to_string(matrix.rows()) + " x " + std::to_string(matrix.cols()));
    }
    check_finite(argument, MatrixRef(matrix));
}

void check_state(const std::vector<Hyperplane>& planes) {
    for (std::size_t i = 0; i < planes.size(); ++i) {
        const std::string place = at("state.planes", i);
        check_length(place + ".w", planes[i].w.size(), planes.front().w.size());
        check_finite(place + ".w", VectorRef(planes[i].w));
        check_number(place + ".b", planes[i].b);
    }
}

void check_state(const RobustEnsembleState& state) {
    check_state(state.planes);
    check_finite("state.dual_ratio", VectorRef(state.dual_ratio));
    check_length("state.history", static_cast<Index>(state.history.size()),
                 static_cast<Index>(state.planes.size()));
    for (std::size_t i = 0; i < state.history.size(); ++i) {
        const RoundRecord& round = state.history[i];
        const std::string place = at("state.history", i);
        check_count(place + ".n_foolable", round.n_foolable);
        check_count(place + ".n_fooled", round.n_fooled);
        check_number(place + ".mean_fooled", round.mean_fooled);
        check_number(place + ".least_weight", round.least_weight);
        check_number(place + ".most_weight", round.most_weight);
        check_number(place + ".adversary_seconds", round.adversary_seconds);
        check_number(place + ".svm_seconds", round.svm_seconds);
        check_value(!std::isinf(round.accuracy), place + ".accuracy", "a finite number or NaN",
                    round.accuracy);
    }
}

void check_state(const CollaborativeState& state) {
    const Index k = state.coef.rows();
    const Index n = state.coef.cols();
    check_value(k >= 1, "state.coef", "at least 1 plane", static_cast<double>(k));
    check_size("state.coef", state.coef, k, n);
    check_length("state.intercept", state.intercept.size(), k);
    check_finite("state.intercept", VectorRef(state.intercept));
    check_size("state.moment", state.moment, k, n + 1);
    check_size("state.variance", state.variance, k, n + 1);
    check_count("state.n_steps", state.n_steps);
    check_length("state.history", static_cast<Index>(state.history.size()), state.n_epochs_done);
    const bool has_best = state.best.size() > 0;
    if (has_best) check_size("state.best", state.best, k, n + 1);
    check_value(
        has_best ? state.best_epoch >= 1 && state.best_epoch <= state.n_epochs_done
                 : state.best_epoch == 0,
        "state.best_epoch",
        has_best ? "an integer from 1 to " + std::to_string(state.n_epochs_done) : "0 without best",
        static_cast<double>(state.best_epoch));
    for (std::size_t i = 0; i < state.history.size(); ++i) {
        const EpochRecord& epoch = state.history[i];
        const std::string place = at("state.history", i);
        check_number(place + ".objective", epoch.objective);
        check_value(!std::isinf(epoch.validation_objective), place + ".validation_objective",
                    "a finite number or NaN", epoch.validation_objective);
        check_number(place + ".seconds", epoch.seconds);
    }
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& owner) {
    throw ParseError(path.string(), 0, 0, "the checkpoint belongs to " + owner);
}

}  // namespace

void Checkpoint::check() const {
    bool is_known = false;
    for (const auto& [kind, name] : io::kStateKinds) {
        is_known |= name == method && static_cast<std::size_t>(kind) == state.index();
    }
    if (!is_known) {
        throw InvalidInput("method", "the name of a method with such a state", quote_text(method));
    }
    std::visit([](const auto& value) { check_state(value); }, state);
}

std::string checkpoint_to_json(const Checkpoint& checkpoint) {
    checkpoint.check();
    return io::limited_text(io::checkpoint_to_fields(checkpoint), "checkpoint",
                            kMaxCheckpointBytes);
}

Checkpoint checkpoint_from_json(std::string_view text, const std::string& name) {
    return io::read_fields(DataSource::text(text, name), kMaxCheckpointBytes,
                           io::checkpoint_from_fields);
}

void save_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& path) {
    write_file_atomically(path, checkpoint_to_json(checkpoint));
}

Checkpoint load_checkpoint(const std::filesystem::path& path) {
    return io::read_fields(path.string(), kMaxCheckpointBytes, io::checkpoint_from_fields);
}

Checkpoint load_checkpoint(const std::filesystem::path& path, std::string_view method,
                           const TrainingFingerprint& fingerprint) {
    Checkpoint checkpoint = load_checkpoint(path);
    if (checkpoint.library_version != kVersion) {
        refuse(path, "another version of redoubt: " + quote_text(checkpoint.library_version));
    }
    if (checkpoint.fingerprint.data != fingerprint.data) refuse(path, "other data");
    if (checkpoint.method != method) {
        refuse(path, "another method: " + quote_text(checkpoint.method));
    }
    if (checkpoint.fingerprint.settings != fingerprint.settings) refuse(path, "other settings");
    return checkpoint;
}

}  // namespace redoubt
