#include "redoubt/model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/check.hpp"
#include "core/text_tools.hpp"
#include "data/coding.hpp"
#include "data/labels.hpp"

namespace redoubt {

namespace {

/// Two features of one name could not be told apart.
void check_names_of_members(const CodedColumn& column, const std::string& place) {
    for (const auto& [is_there, name] :
         {std::pair(column.entries->missing_category, kMissingMember),
          std::pair(column.entries->other, kOtherMember)}) {
        const auto& all = column.categories;
        if (!is_there || std::find(all.begin(), all.end(), name) == all.end()) continue;
        throw InvalidInput(place + ".categories",
                           "none called " + quote_text(name) + ", which is a member of its own",
                           quote_text(name));
    }
}

void check_different(const std::vector<std::string>& categories, const std::string& place) {
    std::vector<std::string_view> sorted(categories.begin(), categories.end());
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice == sorted.end()) return;
    throw InvalidInput(place + ".categories", "different texts", quote_text(*twice) + " twice");
}

void check_entries(const CodedColumn& column, const std::string& place) {
    const EntryRules& entries = *column.entries;
    if (column.role != ColumnRole::Feature) {
        throw InvalidInput(place, "`other`, `indicator` and `missing_category` for features only",
                           "them for another column");
    }
    if (column.categories.empty() && (entries.other || entries.missing_category)) {
        throw InvalidInput(place + (entries.other ? ".other" : ".missing_category"),
                           "false for a column of numbers", "true");
    }
    if (!entries.fills && entries.indicator) {
        throw InvalidInput(place + ".fill", "a value to fill in beside the indicator", "none");
    }
    if (!entries.fills && column.fill != 0.0) {
        throw InvalidInput(place + ".fill", "0 where nothing is filled in",
                           format_number(column.fill));
    }
    if (entries.missing_category && entries.fills) {
        throw InvalidInput(place + ".fill", "null where missing is a category", "a value");
    }
    check_names_of_members(column, place);
}

/// Texts that are equal as numbers are one class.
void check_different_classes(const ClassNames& classes) {
    for (std::size_t c = 1; c < classes.size(); ++c) {
        const auto first = find_class(classes, classes[c]).value_or(c);
        if (first == c) continue;
        throw InvalidInput("classes",
                           classes.size() == 2 ? "two different classes" : "different classes",
                           quote_text(classes[first]) + " and " + quote_text(classes[c]));
    }
}

/// The reader of files relies on a fill value that is one of the categories.
void check_column(const CodedColumn& column, const std::string& place) {
    const std::vector<std::string>& categories = column.categories;
    check_value(std::isfinite(column.fill), place + ".fill", "a finite number", column.fill);
    if (column.entries) check_entries(column, place);
    if (categories.empty()) return;
    if (column.role != ColumnRole::Feature) {
        throw InvalidInput(place + ".categories", "none but for a feature",
                           std::to_string(categories.size()));
    }
    const auto unsorted = std::adjacent_find(categories.begin(), categories.end(),
                                             [](const auto& a, const auto& b) { return a >= b; });
    if (column.entries) {
        check_different(categories, place);
    } else if (unsorted != categories.end()) {
        throw InvalidInput(place + ".categories", "different texts in byte order",
                           quote_text(*unsorted) + " before " + quote_text(*(unsorted + 1)));
    }
    const auto n = static_cast<double>(categories.size());
    check_value(column.fill >= 0.0 && column.fill < n && column.fill == std::floor(column.fill),
                place + ".fill", "an integer from 0 to " + format_number(n - 1.0), column.fill);
}

void check_coding(const TableCoding& coding) {
    const bool is_known =
        coding.missing <= MissingValues::Median && coding.unseen <= UnseenCategory::Zeros;
    if (!is_known) {
        throw InvalidInput("coding.missing and coding.unseen", "policies that all columns share",
                           "one that columns have `entries` for");
    }
    int n_labels = 0;
    for (std::size_t i = 0; i < coding.columns.size(); ++i) {
        check_column(coding.columns[i], "coding.columns[" + std::to_string(i) + "]");
        if (coding.columns[i].role == ColumnRole::Label) ++n_labels;
    }
    if (n_labels > 1) {
        throw InvalidInput("coding.columns", "at most one label", std::to_string(n_labels));
    }
    check_different_classes(coding.classes);
}

/// Are there as many as the planes answer?
void check_number_of_classes(const TableCoding& coding, std::size_t n_classes) {
    if (coding.classes.size() == n_classes) return;
    throw InvalidInput("classes", std::to_string(n_classes) + " texts",
                       std::to_string(coding.classes.size()));
}

}  // namespace

Model::Model(Scaler scaler, Ensemble ensemble, TableCoding coding, TrainingRecord training,
             std::optional<AttackModel> attack_model)
    : scaler_(std::move(scaler)),
      ensemble_(std::move(ensemble)),
      coding_(std::move(coding)),
      training_(std::move(training)),
      attack_model_(std::move(attack_model)),
      feature_names_(coding_.feature_names()) {
    check();
    check_number_of_classes(coding_, 2);
}

Model::Model(Scaler scaler, ClassVote vote, TableCoding coding, TrainingRecord training,
             std::optional<AttackModel> attack_model)
    : scaler_(std::move(scaler)),
      ensemble_(vote.planes()),
      coding_(std::move(coding)),
      training_(std::move(training)),
      attack_model_(std::move(attack_model)),
      feature_names_(coding_.feature_names()),
      class_vote_(std::move(vote)) {
    check();
    check_number_of_classes(coding_, static_cast<std::size_t>(class_vote_->n_classes()));
    check_value(class_vote_->n_classes() > 2, "classes", "more than two",
                static_cast<double>(class_vote_->n_classes()));
}

void Model::check() const {
    check_coding(coding_);
    training_.check();
    training_.ranges.check(ensemble_.n_features());
    check_length("scaler", scaler_.n_features(), ensemble_.n_features());
    check_length("feature_names", static_cast<Index>(feature_names_.size()),
                 ensemble_.n_features());
    // Its numbers must fit the scaled features, too.
    if (attack_model_) {
        attack_model_->scaled(scaler_).check(ensemble_.n_features(),
                                             static_cast<Index>(coding_.classes.size()));
    }
}

Model::Model(Scaler scaler, Ensemble ensemble, ClassNames classes, TrainingRecord training,
             std::optional<AttackModel> attack_model)
    : Model(std::move(scaler), ensemble,
            TableCoding::numeric(ensemble.n_features(), std::move(classes)), std::move(training),
            std::move(attack_model)) {}

AttackModel Model::threat() const {
    if (attack_model_) return *attack_model_;
    return plain_threat(training_.norm, coding_.columns_of_features(), scaler_.scale());
}

AttackModel plain_threat(Norm norm, const std::vector<ColumnFeatures>& columns,
                         const VectorRef& unit) {
    AttackModel model = AttackModel::ball(norm);
    const auto freeze = [&](int feature) {
        if (model.scale.size() == 0) model.scale = unit;
        model.scale[feature] = 0.0;
    };
    for (const ColumnFeatures& column : columns) {
        if (column.indicator >= 0) freeze(column.indicator);
        if (column.members.size() == 1) freeze(column.first);
        if (column.members.size() > 1) model.one_hot.push_back({column.features()});
    }
    return model;
}

Eigen::VectorXi Model::predict_all(const PointsRef& raw, int n_threads) const {
    const PointSet scaled = scaler_.transform_points(raw);
    if (class_vote_) return class_vote_->predict_all(scaled, n_threads);
    return ensemble_.predict_all(scaled, n_threads);
}

std::vector<std::string> Model::predict_labels(const PointsRef& raw, int n_threads) const {
    std::vector<std::string> labels;
    for (int answer : predict_all(raw, n_threads))
        labels.push_back(classes()[class_number(answer, classes().size())]);
    return labels;
}

Matrix Model::to_raw_units(const MatrixRef& perturbations) const {
    check_length("perturbations", perturbations.cols(), scaler_.n_features());
    return perturbations * scaler_.scale().asDiagonal();
}

}  // namespace redoubt
