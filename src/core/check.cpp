#include "core/check.hpp"

#include <array>
#include <charconv>

namespace redoubt {

std::string format_number(double value) {
    std::array<char, 32> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), result.ptr};
}

namespace {

std::string entry(double value, Index j) {
    return format_number(value) + " at [" + std::to_string(j) + "]";
}

std::string wanted_text(double limit) {
    return limit == HUGE_VAL ? "finite numbers"
                             : "finite numbers of magnitude at most " + format_number(limit);
}

}  // namespace

void check_finite(std::string_view argument, const VectorRef& values, double limit) {
    for (Index j = 0; j < values.size(); ++j) {
        if (std::isfinite(values[j]) && std::abs(values[j]) <= limit) continue;
        throw InvalidInput(argument, wanted_text(limit), entry(values[j], j));
    }
}

void check_finite(std::string_view argument, const MatrixRef& values, double limit) {
    for (Index j = 0; j < values.rows(); ++j) {
        // One vectorised look at the whole row; the slow loop runs only to name the culprit.
        const double largest = values.cols() > 0 ? values.row(j).cwiseAbs().sum() : 0.0;
        if (std::isfinite(largest) && largest <= limit) continue;
        for (Index l = 0; l < values.cols(); ++l) {
            if (std::isfinite(values(j, l)) && std::abs(values(j, l)) <= limit) continue;
            throw InvalidInput(argument, wanted_text(limit),
                               format_number(values(j, l)) + " at [" + std::to_string(j) + ", " +
                                   std::to_string(l) + "]");
        }
    }
}

void check_points(std::string_view argument, const PointsRef& X, double limit) {
    if (!X.is_sparse()) {
        check_finite(argument, X.dense(), limit);
        return;
    }
    X.sparse().check(X.sparse().n_entries());
    for (Index j = 0; j < X.rows(); ++j) {
        X.sparse().row(j).for_each([&](Index l, double value) {
            if (std::isfinite(value) && std::abs(value) <= limit) return;
            throw InvalidInput(argument, wanted_text(limit),
                               format_number(value) + " at [" + std::to_string(j) + ", " +
                                   std::to_string(l) + "]");
        });
    }
}

void check_non_negative(std::string_view argument, const VectorRef& values, double limit) {
    check_finite(argument, values, limit);
    for (Index j = 0; j < values.size(); ++j) {
        if (values[j] < 0.0) throw InvalidInput(argument, "numbers >= 0", entry(values[j], j));
    }
}

void check_labels(std::string_view argument, const VectorRef& labels) {
    for (Index j = 0; j < labels.size(); ++j) {
        if (labels[j] != 1.0 && labels[j] != -1.0) {
            throw InvalidInput(argument, "labels -1 and +1", entry(labels[j], j));
        }
    }
}

}  // namespace redoubt
