#include "redoubt/bundled_data.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <stdexcept>
#include <string>

#include "core/text_tools.hpp"
#include "io/bundled_texts.hpp"
#include "redoubt/data_files.hpp"
#include "redoubt/error.hpp"

namespace redoubt {

namespace io {

std::string bundled_text(std::string_view name) {
    for (const BundledText& bundled : bundled_texts()) {
        if (bundled.name != name) continue;
        std::string text;
        for (std::string_view chunk : bundled.chunks) text += chunk;
        return text;
    }
    throw std::logic_error("no bundled text " + std::string(name));
}

}  // namespace io

namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 9> kBcwFeatures{
    "ClumpThickness",   "UniformityOfCellSize",     "UniformityOfCellShape",
    "MarginalAdhesion", "SingleEpithelialCellSize", "BareNuclei",
    "BlandChromatin",   "NormalNucleoli",           "Mitoses"};

constexpr std::array<std::string_view, 8> kDiabetesFeatures{
    "Pregnancies", "Glucose", "BloodPressure", "SkinThickness",
    "Insulin",     "BMI",     "Pedigree",      "Age"};

constexpr std::array<std::string_view, 20> kHeartFeatures{"Age",
                                                          "Sex",
                                                          "RestingBloodPressure",
                                                          "Cholesterol",
                                                          "FastingSugar",
                                                          "MaxHeartRate",
                                                          "ExerciseAngina",
                                                          "STDepression",
                                                          "Slope",
                                                          "Vessels",
                                                          "ChestPain=1",
                                                          "ChestPain=2",
                                                          "ChestPain=3",
                                                          "ChestPain=4",
                                                          "RestingECG=0",
                                                          "RestingECG=1",
                                                          "RestingECG=2",
                                                          "Thal=3",
                                                          "Thal=6",
                                                          "Thal=7"};

enum class LabelPlace { First, Last };

/// How one bundled set is made from a bundled file.
struct Recipe {
    std::string_view name;
    std::string_view file;
    Header header;
    LabelPlace label_place;
    /// The label that becomes +1; every other becomes -1.
    double positive;
    std::array<std::string_view, 2> classes;
    /// Empty: as in the file.
    Names feature_names;
    bool has_published_split;
};

constexpr std::array<Recipe, 7> kRecipes{{
    {"gaussian", "gaussian", Header::Yes, LabelPlace::Last, 1, {"-1", "1"}, {}, true},
    {"bcw",
     "breast-cancer-wisconsin",
     Header::No,
     LabelPlace::Last,
     1,
     {"benign", "malignant"},
     kBcwFeatures,
     true},
    {"digits3", "digits", Header::Yes, LabelPlace::Last, 3, {"not 3", "3"}, {}, true},
    {"digits7", "digits", Header::Yes, LabelPlace::Last, 7, {"not 7", "7"}, {}, true},
    {"breastcancer",
     "tabular/breastcancer",
     Header::Yes,
     LabelPlace::First,
     1,
     {"benign", "malignant"},
     kBcwFeatures,
     false},
    {"diabetes",
     "tabular/diabetes",
     Header::Yes,
     LabelPlace::First,
     1,
     {"diabetic", "healthy"},
     kDiabetesFeatures,
     false},
    {"heart",
     "tabular/heart",
     Header::Yes,
     LabelPlace::First,
     1,
     {"healthy", "disease"},
     kHeartFeatures,
     false},
}};

/// The names of the sets that `wanted` accepts, between commas.
template <class Wanted>
std::string list_names(const Wanted& wanted) {
    std::string names;
    for (const Recipe& recipe : kRecipes) {
        if (!wanted(recipe)) continue;
        if (!names.empty()) names += ", ";
        names += recipe.name;
    }
    return names;
}

const Recipe& find_recipe(std::string_view name) {
    for (const Recipe& recipe : kRecipes) {
        if (recipe.name == name) return recipe;
    }
    throw InvalidInput("name", "one of " + list_names([](const Recipe&) { return true; }),
                       quote_text(name));
}

const Recipe& find_published(std::string_view name) {
    const Recipe& recipe = find_recipe(name);
    if (recipe.has_published_split) return recipe;
    const std::string known = list_names([](const Recipe& r) { return r.has_published_split; });
    throw InvalidInput("name", "a set with a published split (" + known + ")", quote_text(name));
}

/// Integers between commas, one list per line.
std::vector<std::vector<Index>> parse_lists(std::string_view text) {
    std::vector<std::vector<Index>> lists(1);
    for (const char *p = text.data(), *end = p + text.size(); p < end; ++p) {
        Index value = 0;
        p = std::from_chars(p, end, value).ptr;
        lists.back().push_back(value);
        if (p + 1 < end && *p == '\n') lists.emplace_back();
    }
    return lists;
}

}  // namespace

std::vector<std::string_view> bundled_names() {
    std::vector<std::string_view> names;
    names.reserve(std::size(kRecipes));
    for (const Recipe& recipe : kRecipes) names.push_back(recipe.name);
    return names;
}

Dataset load_bundled(std::string_view name) {
    const Recipe& recipe = find_recipe(name);
    const std::string text = io::bundled_text(recipe.file);
    // Read as plain numbers, label included: ten digits are too many classes for a labelled file.
    ReadSettings settings;
    settings.dialect.format = FileFormat::Csv;
    settings.dialect.header = recipe.header;
    settings.label = "";
    FeatureData table = read_features(DataSource::text(text, std::string(recipe.file)), settings);

    const Index n = table.X.cols() - 1;
    const bool label_first = recipe.label_place == LabelPlace::First;
    const Vector labels = table.X.dense().col(label_first ? 0 : n);
    Dataset data;
    data.X = Matrix(label_first ? table.X.dense().rightCols(n) : table.X.dense().leftCols(n));
    data.y = (labels.array() == recipe.positive).select(Vector::Ones(labels.size()), -1.0);
    data.classes = {std::string(recipe.classes[0]), std::string(recipe.classes[1])};
    if (recipe.feature_names.empty()) {
        table.feature_names.pop_back();
        data.feature_names = std::move(table.feature_names);
    } else {
        data.feature_names.assign(recipe.feature_names.begin(), recipe.feature_names.end());
    }
    return data;
}

Split published_split(std::string_view name) {
    const std::string file(find_published(name).file);
    auto lists = parse_lists(io::bundled_text("published_split_" + file));
    return {std::move(lists.at(0)), std::move(lists.at(1))};
}

Matrix published_bags(std::string_view name) {
    const std::string file(find_published(name).file);
    const auto lists = parse_lists(io::bundled_text("published_bags_" + file));
    Matrix bags(static_cast<Index>(lists.size()), static_cast<Index>(lists.front().size()));
    for (Index t = 0; t < bags.rows(); ++t) {
        for (Index j = 0; j < bags.cols(); ++j) {
            bags(t, j) = static_cast<double>(
                lists[static_cast<std::size_t>(t)].at(static_cast<std::size_t>(j)));
        }
    }
    return bags;
}

}  // namespace redoubt
