#include "io/random_models.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "redoubt/error.hpp"

namespace redoubt::test {

namespace {

bool coin(Generator& generator) {
    return generator() % 2 == 0;
}

Vector random_vector(Index n, Generator& generator) {
    Vector values(n);
    for (double& value : values) value = random_double(generator);
    return values;
}

std::vector<std::string> different_texts(std::size_t n, Generator& generator) {
    std::set<std::string> texts;
    while (texts.size() < n) texts.insert(random_text(generator));
    return {texts.begin(), texts.end()};
}

/// Some of what a column can make of missing and unknown entries.
void give_entry_rules(CodedColumn& column, Generator& generator) {
    const bool is_text = !column.categories.empty();
    EntryRules& entries = column.entries.emplace();
    entries.fills = coin(generator);
    entries.indicator = entries.fills && coin(generator);
    entries.other = is_text && coin(generator);
    entries.missing_category = is_text && !entries.fills && coin(generator);
    if (!entries.fills) column.fill = 0.0;
    std::shuffle(column.categories.begin(), column.categories.end(), generator);
}

TableCoding random_coding(Generator& generator) {
    TableCoding coding;
    coding.has_header = coin(generator);
    coding.missing = static_cast<MissingValues>(generator() % 3);
    coding.unseen = static_cast<UnseenCategory>(generator() % 2);
    const std::vector<std::string> classes = different_texts(2, generator);
    coding.classes = {"-" + classes[0], "+" + classes[1]};
    for (std::uint64_t n = 1 + generator() % 3; n > 0; --n) {
        CodedColumn column{random_text(generator)};
        column.fill = random_double(generator);
        if (coin(generator)) {
            column.categories = different_texts(1 + generator() % 2, generator);
            column.fill = static_cast<double>(generator() % column.categories.size());
        }
        if (coin(generator)) give_entry_rules(column, generator);
        coding.columns.push_back(column);
    }
    if (coin(generator)) coding.columns.push_back({random_text(generator), ColumnRole::Label});
    if (coin(generator)) coding.columns.push_back({random_text(generator), ColumnRole::Ignored});
    std::shuffle(coding.columns.begin(), coding.columns.end(), generator);
    return coding;
}

TrainingRecord random_record(Generator& generator) {
    TrainingRecord record;
    record.method = random_text(generator);
    record.norm = static_cast<Norm>(generator() % 3);
    record.radii = TrainingRadii::of(
        random_vector(static_cast<Index>(generator() % 4), generator).cwiseAbs() / 4.0);
    record.data = random_text(generator);
    record.n_points = static_cast<Index>(generator() % (std::uint64_t{1} << 53));
    record.status = random_text(generator);
    record.is_partial = coin(generator);
    if (coin(generator)) record.objective = random_double(generator);
    if (coin(generator)) record.gap = random_double(generator);
    if (coin(generator)) record.seconds = random_double(generator);
    if (coin(generator)) record.seed = generator();
    for (const std::string& name : different_texts(generator() % 4, generator)) {
        record.settings.push_back({name, random_double(generator)});
        if (coin(generator)) record.settings.back().value = random_text(generator);
    }
    record.rounds.columns = different_texts(generator() % 4, generator);
    for (std::uint64_t n = generator() % 4; n > 0; --n) {
        std::vector<double>& row = record.rounds.rows.emplace_back(record.rounds.columns.size());
        for (double& value : row) {
            value = generator() % 4 == 0 ? std::numeric_limits<double>::quiet_NaN()
                                         : random_double(generator);
        }
    }
    if (coin(generator)) {
        Matrix seen(static_cast<Index>(1 + generator() % 3), 1);
        for (double& value : seen.reshaped()) value = random_double(generator);
        record.rows = RowSketch::of(seen);
    }
    record.library_version = random_text(generator);
    return record;
}

/// Every rule now and then; nothing where the scaler has no room for its numbers.
std::optional<AttackModel> random_attack_model(const Scaler& scaler, Generator& generator) {
    const Index n = scaler.n_features();
    AttackModel model;
    model.norm = static_cast<Norm>(generator() % 3);
    if (coin(generator)) model.scale = random_vector(n, generator).cwiseAbs();
    if (coin(generator) && n >= 3) model.one_hot = {{{0, static_cast<int>(n) - 1}, 1.5}};
    const int first = model.one_hot.empty() ? 0 : 1;
    if (coin(generator)) model.integers = {{first}};
    if (coin(generator)) {
        model.lower = Vector::Constant(n, -std::numeric_limits<double>::infinity());
        model.lower[first] = random_double(generator);
    }
    if (coin(generator)) {
        model.direction.assign(static_cast<std::size_t>(n), Direction::Both);
        model.direction[static_cast<std::size_t>(first)] = Direction::Down;
    }
    if (coin(generator)) model.attacking_class = coin(generator) ? 1 : -1;
    model.missing_moves = coin(generator);
    try {
        model.check(n);
        model.scaled(scaler).check(n);
    } catch (const InvalidInput&) {
        return std::nullopt;
    }
    return model;
}

std::uint64_t bits(double value) {
    return std::bit_cast<std::uint64_t>(value);
}

void expect_same_numbers(const VectorRef& left, const VectorRef& right) {
    ASSERT_EQ(left.size(), right.size());
    for (Index i = 0; i < left.size(); ++i) ASSERT_EQ(bits(left[i]), bits(right[i])) << i;
}

void expect_same_optional(const std::optional<double>& left, const std::optional<double>& right) {
    ASSERT_EQ(left.has_value(), right.has_value());
    ASSERT_EQ(bits(left.value_or(0.0)), bits(right.value_or(0.0)));
}

void expect_same_coding(const TableCoding& left, const TableCoding& right) {
    ASSERT_EQ(left.columns.size(), right.columns.size());
    for (std::size_t i = 0; i < left.columns.size(); ++i) {
        ASSERT_EQ(left.columns[i].name, right.columns[i].name);
        ASSERT_EQ(left.columns[i].role, right.columns[i].role);
        ASSERT_EQ(left.columns[i].categories, right.columns[i].categories);
        ASSERT_EQ(bits(left.columns[i].fill), bits(right.columns[i].fill));
        ASSERT_EQ(left.columns[i].entries, right.columns[i].entries);
    }
    ASSERT_EQ(left.has_header, right.has_header);
    ASSERT_EQ(left.classes, right.classes);
    ASSERT_EQ(left.missing, right.missing);
    ASSERT_EQ(left.unseen, right.unseen);
}

void expect_same_settings(const std::vector<TrainingSetting>& left,
                          const std::vector<TrainingSetting>& right) {
    ASSERT_EQ(left, right);
    for (std::size_t i = 0; i < left.size(); ++i) {
        const double* const number = std::get_if<double>(&left[i].value);
        if (number == nullptr) continue;
        ASSERT_EQ(bits(*number), bits(std::get<double>(right[i].value)));
    }
}

void expect_same_record(const TrainingRecord& left, const TrainingRecord& right) {
    ASSERT_EQ(left.method, right.method);
    ASSERT_EQ(left.norm, right.norm);
    ASSERT_EQ(left.radii, right.radii);
    ASSERT_EQ(left.data, right.data);
    ASSERT_EQ(left.n_points, right.n_points);
    ASSERT_EQ(left.status, right.status);
    ASSERT_EQ(left.is_partial, right.is_partial);
    expect_same_optional(left.objective, right.objective);
    expect_same_optional(left.gap, right.gap);
    expect_same_optional(left.seconds, right.seconds);
    ASSERT_EQ(left.seed, right.seed);
    expect_same_settings(left.settings, right.settings);
    ASSERT_EQ(left.rounds.columns, right.rounds.columns);
    ASSERT_EQ(left.rounds.rows.size(), right.rounds.rows.size());
    for (std::size_t i = 0; i < left.rounds.rows.size(); ++i) {
        ASSERT_EQ(left.rounds.rows[i].size(), right.rounds.rows[i].size());
        for (std::size_t j = 0; j < left.rounds.rows[i].size(); ++j) {
            const double number = left.rounds.rows[i][j];
            const double other = right.rounds.rows[i][j];
            ASSERT_TRUE(std::isnan(number) ? std::isnan(other) : bits(number) == bits(other));
        }
    }
    ASSERT_EQ(left.rows, right.rows);
    ASSERT_EQ(left.ranges, right.ranges);
    ASSERT_EQ(left.library_version, right.library_version);
}

}  // namespace

double random_double(Generator& generator) {
    using Limits = std::numeric_limits<double>;
    static constexpr std::array<double, 10> kSpecial{
        0.0,  -0.0, Limits::denorm_min(), -Limits::min(), Limits::max(), Limits::lowest(), 0.1,
        1e22, 1e23, -123456789012345680.0};
    if (generator() % 4 == 0) return kSpecial[generator() % kSpecial.size()];
    for (;;) {
        const std::uint64_t pattern = generator();
        if (coin(generator)) return double(std::int64_t(pattern % 2000001) - 1000000) / 1000.0;
        const double value = std::bit_cast<double>(pattern);
        if (std::isfinite(value)) return value;
    }
}

std::string random_text(Generator& generator) {
    static const std::vector<std::string> kCharacters{
        "a", "B", "7", " ", ",", "\"", "\\", "/", "\n", "\t", "\x01", "\x7f", std::string(1, '\0'),
        "ä", "€", "𝄞", "{", "]", "=",  "'"};
    std::string text;
    for (std::uint64_t n = generator() % 9; n > 0; --n) {
        text += kCharacters[generator() % kCharacters.size()];
    }
    return text;
}

Model random_model(Generator& generator) {
    TableCoding coding = random_coding(generator);
    const auto n = static_cast<Index>(coding.feature_names().size());
    const auto k = static_cast<Index>(1 + generator() % 5);
    Matrix coef(k, n);
    for (double& value : coef.reshaped()) value = random_double(generator);
    Vector scale = random_vector(n, generator).cwiseAbs();
    for (double& value : scale) value = std::max(value, std::numeric_limits<double>::denorm_min());
    Scaler scaler(static_cast<Scaling>(generator() % 3), random_vector(n, generator), scale);
    Ensemble ensemble(std::move(coef), random_vector(k, generator));
    std::optional<AttackModel> attack_model;
    if (coin(generator)) attack_model = random_attack_model(scaler, generator);
    return {std::move(scaler), std::move(ensemble), std::move(coding), random_record(generator),
            std::move(attack_model)};
}

Model small_model() {
    TableCoding coding;
    coding.columns = {{"height"}, {"kind", ColumnRole::Label}, {"note", ColumnRole::Ignored}};
    coding.columns.push_back({"colour", ColumnRole::Feature, {"blue", "red"}, 1.0});
    coding.has_header = true;
    coding.classes = {"low", "high"};
    Matrix coef(2, 3);
    coef << 0.1, -0.0, 1e308, 2.5, -5e-324, 1.0 / 3.0;
    TrainingRecord record;
    record.method = "ens-e";
    record.norm = Norm::LInf;
    record.radii = TrainingRadii::of(Vector::Constant(1, 0.25));
    record.data = "points.csv";
    record.n_points = 6;
    record.status = "interrupted";
    record.is_partial = true;
    record.objective = 1.5;
    record.gap = 1e-9;
    record.seed = 18446744073709551615U;
    record.settings = {{"C", 1.0}, {"adversary", "exact"}};
    record.rounds = {{"round", "accuracy"},
                     {{1.0, 0.5}, {2.0, std::numeric_limits<double>::quiet_NaN()}}};
    record.rows.hashes = {0xff, 0x8000000000000001};
    record.rows.repeated_share = 0.5;
    record.ranges = {Vector({{-1.5, 0.0, 0.0}}), Vector({{2.0, 1.0, 1.0}})};
    record.library_version = "0.1.0";
    return {Scaler(Scaling::Standard, Vector::Zero(3), Vector::Constant(3, 2.0)),
            Ensemble(coef, Vector::Constant(2, -1.25)), coding, record};
}

void expect_same_model(const Model& left, const Model& right) {
    ASSERT_EQ(left.scaler().kind(), right.scaler().kind());
    expect_same_numbers(left.scaler().offset(), right.scaler().offset());
    expect_same_numbers(left.scaler().scale(), right.scaler().scale());
    ASSERT_EQ(left.ensemble().n_planes(), right.ensemble().n_planes());
    ASSERT_EQ(left.ensemble().n_features(), right.ensemble().n_features());
    expect_same_numbers(left.ensemble().coef().reshaped(), right.ensemble().coef().reshaped());
    expect_same_numbers(left.ensemble().intercept(), right.ensemble().intercept());
    expect_same_coding(left.coding(), right.coding());
    expect_same_record(left.training(), right.training());
    ASSERT_EQ(left.feature_names(), right.feature_names());
    ASSERT_EQ(left.attack_model(), right.attack_model());
}

}  // namespace redoubt::test
