#include <cstring>
#include <optional>
#include <string_view>

#include "core/checksum.hpp"
#include "redoubt/checkpoint.hpp"

namespace redoubt {

namespace {

/// Takes the bytes of values in; long ones by their own checksum, so that nothing is copied.
class Fingerprint {
public:
    void add(std::string_view text) {
        add_bytes(text.size());
        add_bytes(crc32(text));
    }
    void add(double value) { add_bytes(value); }
    void add(Index value) { add_bytes(value); }
    void add(std::uint64_t value) { add_bytes(value); }

    void add(const VectorRef& values) {
        add_bytes(values.size());
        add_bytes(crc32(bytes_of(values.data(), values.size())));
    }
    void add(const MatrixRef& values) {
        add_bytes(values.rows());
        add_bytes(values.cols());
        // Rows are contiguous, the matrix need not be.
        for (Index i = 0; i < values.rows(); ++i) {
            add_bytes(crc32(bytes_of(values.row(i).data(), values.cols())));
        }
    }
    void add(const Matrix& values) { add(MatrixRef(values)); }
    void add_points(const PointsRef& points) {
        if (!points.is_sparse()) return add(points.dense());
        add_bytes(points.rows());
        add_bytes(points.cols());
        Vector columns;
        for (Index j = 0; j < points.rows(); ++j) {
            const SparseRow row = points.sparse().row(j);
            columns.resize(row.n_entries);
            for (Index i = 0; i < row.n_entries; ++i)
                columns[i] = static_cast<double>(row.column(i));
            add_bytes(crc32(bytes_of(columns.data(), columns.size())));
            add_bytes(crc32(bytes_of(row.values, row.n_entries)));
        }
    }
    void add(const Hyperplane& plane) {
        add(VectorRef(plane.w));
        add(plane.b);
    }
    void add(const Ensemble& ensemble) {
        add(ensemble.coef());
        add(VectorRef(ensemble.intercept()));
    }
    /// Adds nothing for a ball: fingerprints from before there were attack models stay valid.
    void add(const AttackModel& model) {
        if (model.is_plain()) return;
        add(std::string_view("attack model"));
        add(to_string(model.norm));
        for (const Vector* values : {&model.scale, &model.lower, &model.upper})
            add(VectorRef(*values));
        add(static_cast<Index>(model.direction.size()));
        for (Direction direction : model.direction) add(to_string(direction));
        add(static_cast<Index>(model.integers.size()));
        for (const IntegerFeature& one : model.integers) {
            add(Index{one.feature});
            add(one.offset);
            add(one.scale);
        }
        add(static_cast<Index>(model.one_hot.size()));
        for (const OneHotGroup& group : model.one_hot) {
            add(static_cast<Index>(group.features.size()));
            for (int feature : group.features) add(Index{feature});
            add(group.switch_cost);
            for (const SwitchPrice& each : group.prices) {
                add(Index{each.from});
                add(Index{each.to});
                add(each.cost);
            }
            add(VectorRef(group.on));
            add(VectorRef(group.off));
        }
        add(Index{model.attacking_class.value_or(0)});
        if (model.cost.size() > 0) add(VectorRef(model.cost));
    }
    template <class Value>
    void add(const std::optional<Value>& value) {
        add(static_cast<Index>(value.has_value()));
        if (value) add(*value);
    }

    std::uint32_t value() const { return crc32(bytes_); }

private:
    static std::string_view bytes_of(const double* values, Index n) {
        return {reinterpret_cast<const char*>(values),
                sizeof(double) * static_cast<std::size_t>(n)};
    }

    template <class Number>
    void add_bytes(Number number) {
        char bytes[sizeof(Number)];
        std::memcpy(bytes, &number, sizeof(Number));
        bytes_.append(bytes, sizeof(Number));
    }

    std::string bytes_;
};

std::uint32_t fingerprint_of(const SvmData& data) {
    Fingerprint sum;
    sum.add_points(data.X);
    sum.add(data.y);
    sum.add(VectorRef(data.weights));
    return sum.value();
}

/// One after the other; the kind of training comes first, so no two kinds are alike.
template <class... Values>
std::uint32_t fingerprint_of_all(const Values&... values) {
    Fingerprint sum;
    (sum.add(values), ...);
    return sum.value();
}

}  // namespace

TrainingFingerprint training_fingerprint(const SvmData& data, const BaggingSettings& settings) {
    return {fingerprint_of(data),
            fingerprint_of_all(std::string_view("bagging"), settings.n_planes, settings.C,
                               settings.tolerance, settings.seed, settings.bags)};
}

TrainingFingerprint training_fingerprint(const SvmData& data, const VectorRef& radii,
                                         const RobustEnsembleSettings& settings) {
    return {fingerprint_of(data),
            fingerprint_of_all(std::string_view("robust ensemble"), radii,
                               to_string(settings.attack_model.norm), to_string(settings.adversary),
                               to_string(settings.rule), settings.n_planes, settings.C,
                               settings.tolerance, settings.first_plane,
                               Index{settings.records_accuracy}, settings.attack_model)};
}

TrainingFingerprint training_fingerprint(const SvmData& data, const VectorRef& radii,
                                         const CollaborativeSettings& settings) {
    Fingerprint sum;
    const auto add_all = [&](const auto&... values) { (sum.add(values), ...); };
    add_all(std::string_view("collaborative"), radii, to_string(settings.attack_model.norm),
            settings.n_planes, settings.n_epochs.value_or(-1), settings.batch_size,
            settings.step.value_or(0.0), settings.power, settings.cap, settings.seed,
            settings.start, settings.start_radius, settings.jitter, settings.validation_share,
            settings.patience, settings.attack_model);
    // Nothing without one, as before there were quotas.
    if (settings.quota) sum.add(*settings.quota);
    return {fingerprint_of(data), sum.value()};
}

}  // namespace redoubt
