/// What proofs cost, part by part: the search, recording it, minimising, writing and checking the
/// proof. Prints a table of milliseconds per point; all parts of a line are timed in turns within
/// one run, and the median of the rounds is taken.
///
///     redoubt_proof_cost [ROUNDS]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "flip/flipper.hpp"
#include "redoubt/bagging.hpp"
#include "redoubt/bundled_data.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/proof_check.hpp"
#include "redoubt/proof_file.hpp"
#include "redoubt/scaler.hpp"
#include "search/flip_engine.hpp"

namespace redoubt {
namespace {

struct Task {
    std::string name;
    Ensemble vote;
    Matrix X;
    AttackModel moves;
};

/// Bagged planes on the published split of a bundled table, standardised, and its first test
/// points.
Task make_task(const std::string& data_name, int n_planes, AttackModel moves, bool has_ranges) {
    const Dataset data = load_bundled(data_name);
    std::vector<Index> train;
    std::vector<Index> test;
    for (Index j = 0; j < data.X.rows(); ++j) (j % 5 == 0 ? test : train).push_back(j);
    const Matrix rows = data.X.dense();
    const Matrix train_rows = rows(train, Eigen::all);
    const Scaler scaler = Scaler::fit(Scaling::Standard, train_rows);
    const Matrix scaled = scaler.transform(rows);
    const Matrix scaled_train = scaled(train, Eigen::all);
    const Vector y = data.y(train);
    BaggingSettings settings;
    settings.n_planes = n_planes;
    const std::vector<Hyperplane> planes =
        train_bagged_svms({scaled_train, y, Vector::Ones(y.size())}, settings).planes;
    if (has_ranges) {
        moves.lower = scaled.colwise().minCoeff().transpose();
        moves.upper = scaled.colwise().maxCoeff().transpose();
    }
    const std::string name = data_name + ", " + std::to_string(n_planes) + " planes, " +
                             std::string(to_string(moves.norm)) + (has_ranges ? ", ranges" : "");
    return {name, Ensemble(planes), scaled(test, Eigen::all), moves};
}

class Clock {
public:
    template <typename Work>
    static double milliseconds(Work work) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
            .count();
    }
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

PointMargins margins_of(const PlaneSet& planes, const Ensemble& vote, const VectorRef& x,
                        int label) {
    PointMargins margins;
    margins.resize(label, planes.n_planes());
    for (Index i = 0; i < planes.n_planes(); ++i) {
        const auto w = vote.coef().row(planes.index(i));
        const double b = vote.intercept()[planes.index(i)];
        const double magnitude = w.cwiseAbs().dot(x.cwiseAbs()) + std::abs(b);
        const double margin = label * (w.dot(x) + b);
        margins.set(planes, i, margin, margin_error(static_cast<double>(x.size()) + 4.0, magnitude),
                    1.0);
    }
    return margins;
}

void run(const Task& task, int n_rounds) {
    const MoveSpace space(task.moves, task.vote.n_features());
    const ThreatPlanes planes(task.vote, space);
    const PointLimits limits{};
    FlipEngine engine(planes.planes);
    Flipper plain(planes);
    Flipper recorded(planes);
    recorded.record_proofs(true);
    const ProofChecker checker(proof_header(task.vote, task.moves), "proofs");
    std::vector<double> search;
    std::vector<double> record;
    std::vector<double> flip;
    std::vector<double> proof;
    std::vector<double> write;
    std::vector<double> check;
    double bytes = 0.0;
    Index n_proofs = 0;
    for (int round = 0; round < n_rounds; ++round) {
        for (auto* times : {&search, &record, &flip, &proof, &write, &check}) times->push_back(0.0);
        bytes = 0.0;
        n_proofs = 0;
        for (Index j = 0; j < task.X.rows(); ++j) {
            const Vector x = task.X.row(j).transpose();
            const int label = task.vote.predict(x);
            if (space.is_ball) {
                const PointMargins margins = margins_of(planes.planes, task.vote, x, label);
                const Amounts required = weight_needed(task.vote, label);
                const auto with = [&](bool is_recorded) {
                    return Clock::milliseconds([&] {
                        engine.run(margins, required, HUGE_VAL, limits, {.proof = is_recorded});
                    });
                };
                search.back() += with(false);
                record.back() += with(true);
            }
            Certificate certificate;
            flip.back() += Clock::milliseconds([&] { plain.flip_answer(x, label, limits); });
            proof.back() += Clock::milliseconds([&] {
                Flip found = recorded.flip_answer(x, label, limits);
                certificate.lower = certificate.radius = found.lower;
                certificate.proof = std::move(found.proof);
            });
            if (!certificate.proof) continue;
            std::string line;
            write.back() += Clock::milliseconds(
                [&] { line = proof_line(1, task.vote, task.moves, x, certificate); });
            check.back() += Clock::milliseconds([&] {
                if (!checker.check(line, 2).is_proven) std::abort();
            });
            // The tree is the last field of a line without a witness.
            bytes += static_cast<double>(line.size() - 2 - (line.find("\"tree\":") + 7));
            ++n_proofs;
        }
    }
    const double m = static_cast<double>(task.X.rows());
    const double base = space.is_ball ? median(search) : median(flip);
    std::printf("| %s | %.4f | ", task.name.c_str(), base / m);
    if (space.is_ball) {
        std::printf(
            "%.0f %% | %.0f %% | ", 100.0 * (median(record) / median(search) - 1.0),
            100.0 * (median(proof) - median(flip) - median(record) + median(search)) / base);
    } else {
        std::printf("| %.0f %% | ", 100.0 * (median(proof) / median(flip) - 1.0));
    }
    std::printf("%.4f | %.4f | %.0f | %ld of %ld |\n", median(write) / m, median(check) / m,
                bytes / static_cast<double>(std::max<Index>(1, n_proofs)),
                static_cast<long>(n_proofs), static_cast<long>(task.X.rows()));
    std::fflush(stdout);
}

}  // namespace
}  // namespace redoubt

int main(int argc, char** argv) {
    using namespace redoubt;
    const int n_rounds = argc > 1 ? std::atoi(argv[1]) : 5;
    std::printf(
        "| votes | search, ms | recording | minimising | writing, ms | checking, ms | tree, bytes "
        "| "
        "proofs |\n|---|---|---|---|---|---|---|---|\n");
    for (int n_planes : {15, 75}) {
        for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf})
            run(make_task("digits3", n_planes, AttackModel::ball(norm), false), n_rounds);
    }
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf})
        run(make_task("heart", 15, AttackModel::ball(norm), true), n_rounds);
    return 0;
}
