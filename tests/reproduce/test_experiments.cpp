/// Winners, stability, splits, and votes that grow.

#include <gtest/gtest.h>

#include "experiments/reproduction.hpp"

namespace redoubt::reproduction {
namespace {

ReproduceSettings gaussian(Mode mode) {
    ReproduceSettings settings;
    settings.arenas = {{"gaussian", Norm::L2}};
    settings.modes = {mode};
    settings.n_threads = 1;
    return settings;
}

const Reproduction& reproduced() {
    static const Reproduction result = [] {
        ReproduceSettings settings = gaussian(Mode::AsPublished);
        settings.has_development = true;
        settings.n_splits = 2;
        return reproduce(settings).value();
    }();
    return result;
}

void check_winners_are_the_best_of_their_row() {
    const std::vector<AccuracyCell> cells = accuracy_cells(reproduced());
    ASSERT_EQ(cells.size(), 2U * 228U);
    for (const AccuracyCell& cell : cells) {
        double best = 0.0;
        for (const AccuracyCell& other : cells) {
            if (other.mode == cell.mode && other.key.attack_radius == cell.key.attack_radius)
                best = std::max(best, other.accuracy);
        }
        EXPECT_EQ(cell.is_best, cell.accuracy == best);
    }
}

AccuracyCell made_up(double defense, double attack, double accuracy) {
    return {"published", {{"bcw", Norm::L2, "Ens-E", defense}, attack}, accuracy, 0.0};
}

TEST(Reproduction, StabilityIsTheRangeOfMeans) {
    const std::vector<Stability> rows = stability_of({
        made_up(0.1, 0.0, 90), made_up(0.1, 1.0, 70),   // mean 80
        made_up(0.5, 0.0, 100), made_up(0.5, 1.0, 80),  // mean 90
        made_up(2.0, 0.0, 10),                          // not one of the paper's radii
    });
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].measure, "accuracy");
    EXPECT_DOUBLE_EQ(rows[0].least, 80);
    EXPECT_DOUBLE_EQ(rows[0].greatest, 90);
    EXPECT_DOUBLE_EQ(rows[0].best_radius, 0.5);
}

void check_grown_vote_at_the_usual_size_is_the_tables() {
    const ModeResults& mode = reproduced().modes.at(0);
    for (const DevelopmentResult& grown : mode.development) {
        RowKey key = grown.key;
        key.n_planes = kUsualPlanes;
        const auto row = std::ranges::find(mode.rows, key, &RowResult::key);
        ASSERT_NE(row, mode.rows.end()) << key.method;
        // Entry 2 is 15 planes, entry 6 attack radius 0.75.
        EXPECT_EQ(grown.scores.accuracy[2], row->scores.accuracy[6]) << key.method;
    }
}

void check_splits_have_every_method_and_their_means() {
    const std::vector<SplitResult>& splits = reproduced().splits;
    ASSERT_EQ(splits.size(), 2U * 6U);
    const std::vector<SplitMean> means = split_means(splits);
    ASSERT_EQ(means.size(), 6U * kAttackRadii.size());
    EXPECT_EQ(means[0].method, splits[0].method);
    const double a = splits[0].scores.accuracy[0];
    const double b = splits[6].scores.accuracy[0];
    EXPECT_DOUBLE_EQ(means[0].accuracy.mean, (a + b) / 2);
    EXPECT_DOUBLE_EQ(means[0].accuracy.deviation, std::abs(a - b) / std::sqrt(2.0));
    for (const SplitResult& split : splits) {
        for (Index i = 0; i < split.ceiling.size(); ++i)
            EXPECT_LE(split.scores.accuracy[i], split.ceiling[i]);
    }
}

// One test, because the run behind it takes a minute under the sanitizers, and each test is a
// process.
TEST(Reproduction, TablesOfOneRunAgree) {
    check_winners_are_the_best_of_their_row();
    check_grown_vote_at_the_usual_size_is_the_tables();
    check_splits_have_every_method_and_their_means();
}

TEST(Reproduction, SecondRunIsTheSame) {
    const ReproduceSettings settings = gaussian(Mode::AsPublished);
    ReproduceSettings threads = settings;
    threads.n_threads = 2;
    const auto once = accuracy_cells(reproduce(settings).value());
    const auto again = accuracy_cells(reproduce(threads).value());
    ASSERT_EQ(once.size(), again.size());
    for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].accuracy, again[i].accuracy);
}

TEST(Reproduction, StopsWhenAsked) {
    ReproduceSettings settings = gaussian(Mode::Corrected);
    std::atomic<bool> stop = false;
    settings.stop = &stop;
    settings.progress = [&](Index, Index) { stop = true; };
    EXPECT_FALSE(reproduce(settings).has_value());
}

}  // namespace
}  // namespace redoubt::reproduction
