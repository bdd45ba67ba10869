#include "redoubt/dataset.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "core/random.hpp"
#include "core/text_tools.hpp"
#include "data/labels.hpp"
#include "redoubt/error.hpp"

namespace redoubt {

namespace {

bool is_label(double label, std::size_t n_classes) {
    if (n_classes == 2) return label == 1.0 || label == -1.0;
    return label >= 0.0 && label < static_cast<double>(n_classes) && label == std::floor(label);
}

std::string labels_text(std::size_t n_classes) {
    return n_classes == 2 ? "labels -1 and +1" : "classes 0 to " + std::to_string(n_classes - 1);
}

}  // namespace

void Dataset::check() const {
    if (n_samples() < 2) throw InvalidInput("X", "at least 2 rows", std::to_string(n_samples()));
    if (n_features() < 1) throw InvalidInput("X", "at least 1 column", "none");
    if (y.size() != n_samples()) {
        throw InvalidInput("y", "one label per row of X (" + std::to_string(n_samples()) + ")",
                           std::to_string(y.size()));
    }
    if (!feature_names.empty() && static_cast<Index>(feature_names.size()) != n_features()) {
        throw InvalidInput("feature_names",
                           "one name per column of X (" + std::to_string(n_features()) + ")",
                           std::to_string(feature_names.size()));
    }
    const auto check_value_at = [](Index i, Index j, double value) {
        if (std::isfinite(value)) return;
        throw InvalidInput("X", "finite numbers",
                           shortest(value) + " in row " + std::to_string(i + 1) + ", column " +
                               std::to_string(j + 1));
    };
    for (Index i = 0; i < n_samples(); ++i)
        X.row(i).for_each([&](Index j, double value) { check_value_at(i, j, value); });
    const std::size_t n_classes = classes.size();
    std::vector<Index> sizes(n_classes, 0);
    for (Index i = 0; i < n_samples(); ++i) {
        if (is_label(y[i], n_classes)) {
            ++sizes[class_number(y[i], n_classes)];
            continue;
        }
        throw InvalidInput("y", labels_text(n_classes),
                           shortest(y[i]) + " in row " + std::to_string(i + 1));
    }
    const auto absent = std::find(sizes.begin(), sizes.end(), 0);
    if (absent == sizes.end()) return;
    if (n_classes == 2) throw InvalidInput("y", "two classes", "only " + quote_text(class_of(y[0])));
    throw InvalidInput("y", "points of every class",
                       "none of " +
                           quote_text(classes[static_cast<std::size_t>(absent - sizes.begin())]));
}

Split hold_out(const VectorRef& y, double share, std::uint64_t seed, std::size_t n_classes) {
    if (n_classes == 2) check_labels("y", y);
    for (Index j = 0; j < y.size(); ++j) {
        if (!is_label(y[j], n_classes)) {
            throw InvalidInput("y", labels_text(n_classes),
                               shortest(y[j]) + " in row " + std::to_string(j + 1));
        }
    }
    check_value(share > 0.0 && share < 1.0, "share", "a number above 0 and below 1", share);
    Random random(seed);
    Split split;
    for (std::size_t c = 0; c < n_classes; ++c) {
        const double label = label_of_class(c, n_classes);
        std::vector<Index> rows;
        for (Index j = 0; j < y.size(); ++j) {
            if (y[j] == label) rows.push_back(j);
        }
        if (rows.size() < 2) {
            throw InvalidInput("y", "at least 2 points of each class", std::to_string(rows.size()));
        }
        random.shuffle(rows);
        const auto size = static_cast<std::ptrdiff_t>(rows.size());
        const auto n_held_out = std::clamp<std::ptrdiff_t>(
            std::llround(share * static_cast<double>(size)), 1, size - 1);
        split.test.insert(split.test.end(), rows.begin(), rows.begin() + n_held_out);
        split.train.insert(split.train.end(), rows.begin() + n_held_out, rows.end());
    }
    std::sort(split.train.begin(), split.train.end());
    std::sort(split.test.begin(), split.test.end());
    return split;
}

Dataset Dataset::subset(const std::vector<Index>& rows) const {
    for (Index row : rows) {
        if (row >= 0 && row < n_samples()) continue;
        throw InvalidInput("rows", "numbers from 0 to " + std::to_string(n_samples() - 1),
                           std::to_string(row));
    }
    Dataset part{PointSet(X, rows), y(rows), classes, feature_names};
    if (missing.empty()) return part;
    for (Index row : rows) part.missing.push_back(missing[static_cast<std::size_t>(row)]);
    return part;
}

Dataset make_dataset(PointSet X, const std::vector<std::string>& labels, std::string_view positive,
                     std::vector<std::string> feature_names) {
    if (static_cast<Index>(labels.size()) != X.rows()) {
        throw InvalidInput("labels", "one per row of X (" + std::to_string(X.rows()) + ")",
                           std::to_string(labels.size()));
    }
    ClassMap map = map_classes(labels, positive);
    if (!map.problem.empty()) throw InvalidInput("labels", "two classes", map.problem);
    Dataset data{std::move(X),
                 Eigen::Map<const Vector>(map.labels.data(), static_cast<Index>(map.labels.size())),
                 std::move(map.classes), std::move(feature_names)};
    data.check();
    return data;
}

Dataset make_dataset(PointSet X, const VectorRef& labels, std::optional<double> positive,
                     std::vector<std::string> feature_names) {
    std::vector<std::string> texts;
    for (Index i = 0; i < labels.size(); ++i) {
        if (!std::isfinite(labels[i])) {
            throw InvalidInput("labels", "finite numbers",
                               shortest(labels[i]) + " in row " + std::to_string(i + 1));
        }
        texts.push_back(shortest(labels[i]));
    }
    return make_dataset(std::move(X), texts, positive ? shortest(*positive) : "",
                        std::move(feature_names));
}

}  // namespace redoubt
