/// What proofs cost, part by part: the search, recording it, minimising, whole certificates without
/// and with proofs, writing and checking them. Prints a table of milliseconds of processor time per
/// point, recording and minimising in percent of the search. All parts of a line take turns within
/// one run, in changing order, and the median of the rounds is taken.
///
///     redoubt_proof_cost [ROUNDS]

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "flip/flipper.hpp"
#include "redoubt/bagging.hpp"
#include "redoubt/bundled_data.hpp"
#include "redoubt/certificate.hpp"
#include "redoubt/proof_check.hpp"
#include "redoubt/proof_file.hpp"
#include "redoubt/scaler.hpp"

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

double processor_milliseconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// A part of the work on all points, and the time that each round took.
struct Part {
    std::function<void()> work;
    std::vector<double> times;

    void run() {
        const double begin = processor_milliseconds();
        work();
        times.push_back(processor_milliseconds() - begin);
    }
};

/// The parts take turns, and every round begins with another one: none of them always finds the
/// cache as another one left it.
void run_rounds(std::vector<Part*> parts, int n_rounds) {
    for (Part* part : parts) part->work();
    for (int round = 0; round < n_rounds; ++round) {
        for (Part* part : parts) part->run();
        std::rotate(parts.begin(), parts.begin() + 1, parts.end());
        if (round % 2 == 1) std::reverse(parts.begin(), parts.end());
    }
}

void run(const Task& task, int n_rounds) {
    const MoveSpace space(task.moves, task.vote.n_features());
    const ThreatPlanes planes(task.vote, space);
    const PointLimits limits{};
    const Index m = task.X.rows();
    const std::vector<Vector> points = [&] {
        std::vector<Vector> all;
        for (Index j = 0; j < m; ++j) all.emplace_back(task.X.row(j).transpose());
        return all;
    }();
    std::vector<int> labels;
    for (const Vector& x : points) labels.push_back(task.vote.predict(x));
    std::vector<Certificate> found(points.size());
    std::vector<std::string> lines(points.size());
    const ProofChecker checker(proof_header(task.vote, task.moves), "proofs");

    Flipper plain(planes);
    Flipper recorded(planes);
    Flipper proven(planes);
    recorded.record_searches();
    proven.record_proofs(true);
    const auto flip_all = [&](Flipper& flipper, bool is_kept) {
        return [&, is_kept] {
            for (std::size_t j = 0; j < points.size(); ++j) {
                Flip flip = flipper.flip_answer(points[j], labels[j], limits);
                if (!is_kept) continue;
                found[j].lower = found[j].radius = flip.lower;
                found[j].proof = std::move(flip.proof);
            }
        };
    };
    const auto certify_all = [&](bool has_proofs) {
        return [&, has_proofs] {
            CertifySettings settings;
            settings.attack_model = task.moves;
            settings.n_threads = 1;
            settings.proofs = has_proofs;
            certify(task.vote, task.X, Eigen::Map<Eigen::VectorXi>(labels.data(), m).cast<double>(),
                    settings);
        };
    };
    Part search{flip_all(plain, false), {}};
    Part recording{flip_all(recorded, false), {}};
    Part minimising{flip_all(proven, true), {}};
    Part without{certify_all(false), {}};
    Part with{certify_all(true), {}};
    Part writing{[&] {
                     for (std::size_t j = 0; j < points.size(); ++j) {
                         lines[j] = found[j].proof
                                        ? proof_line(1, task.vote, task.moves, points[j], found[j])
                                        : std::string();
                     }
                 },
                 {}};
    Part checking{[&] {
                      for (const std::string& line : lines) {
                          if (!line.empty() && !checker.check(line, 2).is_proven) std::abort();
                      }
                  },
                  {}};
    run_rounds({&search, &recording, &minimising, &without, &with}, n_rounds);
    run_rounds({&writing, &checking}, n_rounds);

    double bytes = 0.0;
    Index n_proofs = 0;
    for (const std::string& line : lines) {
        if (line.empty()) continue;
        // The tree is the last field of a line without a witness.
        bytes += static_cast<double>(line.size() - 2 - (line.find("\"tree\":") + 7));
        ++n_proofs;
    }
    const double base = median(search.times);
    const double per_point = 1.0 / static_cast<double>(m);
    std::printf(
        "| %s | %.4f | %.0f %% | %.0f %% | %.4f | %.4f | %.4f | %.4f | %.0f | %ld of %ld |\n",
        task.name.c_str(), base * per_point, 100.0 * (median(recording.times) - base) / base,
        100.0 * (median(minimising.times) - median(recording.times)) / base,
        median(without.times) * per_point, median(with.times) * per_point,
        median(writing.times) * per_point, median(checking.times) * per_point,
        bytes / static_cast<double>(std::max<Index>(1, n_proofs)), static_cast<long>(n_proofs),
        static_cast<long>(m));
    std::fflush(stdout);
}

}  // namespace
}  // namespace redoubt

int main(int argc, char** argv) {
    using namespace redoubt;
    const int n_rounds = argc > 1 ? std::atoi(argv[1]) : 5;
    std::printf(
        "| votes | search | recording | minimising | certify | with proofs | writing | checking | "
        "tree, bytes | proofs |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (int n_planes : {15, 75}) {
        for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf})
            run(make_task("digits3", n_planes, AttackModel::ball(norm), false), n_rounds);
    }
    for (Norm norm : {Norm::L1, Norm::L2, Norm::LInf})
        run(make_task("heart", 15, AttackModel::ball(norm), true), n_rounds);
    return 0;
}
