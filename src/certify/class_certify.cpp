#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "certify/class_problems.hpp"
#include "certify/proof_audit.hpp"
#include "certify/signed_certificate.hpp"
#include "core/check.hpp"
#include "core/compress.hpp"
#include "core/parallel.hpp"
#include "flip/flipper.hpp"
#include "flip/row_patterns.hpp"
#include "redoubt/class_certificate.hpp"
#include "redoubt/ensemble.hpp"
#include "redoubt/proof_file.hpp"

namespace redoubt {

namespace {

/// A rival is of interest only if it is nearer than the nearest so far, by more than a search's own
/// tolerance.
double beyond(double upper) {
    return upper * (1.0 + kClosedGap);
}

bool is_closed(const Flip& flip) {
    return flip.lower >= flip.upper * (1.0 - kClosedGap);
}

/// Calls the planes of a tree by these names.
void rename(ProofNode& node, const std::vector<int>& names) {
    const auto name = [&](int& plane) { plane = names[static_cast<std::size_t>(plane)]; };
    const auto name_all = [&](Refutation& by) {
        std::for_each(by.planes.begin(), by.planes.end(), name);
    };
    name_all(node.refutation);
    for (ProofNode::Bar& bar : node.bars) {
        name(bar.plane);
        name_all(bar.by);
    }
    for (ProofNode::Child& child : node.children) {
        name(child.plane);
        rename(child.node, names);
    }
    for (ProofNode::Case& one : node.cases) rename(one.node, names);
}

/// A flip with its proof.
struct ClassFlip : Flip {
    std::optional<ClassProof> class_proof{};
};

/// Leaves the proof behind.
Flip as_flip(ClassFlip& flip) {
    return std::move(static_cast<Flip&>(flip));
}

/// With the memory of one thread.
class ClassWorker {
public:
    ClassWorker(ClassProblems& problems, const ClassCertifySettings& settings)
        : problems_(problems), vote_(problems.vote()), settings_(settings) {}

    /// The least move that leaves class c, the answer at x.
    ClassFlip leave(const VectorRef& x, int c, const PointLimits& limits);
    /// The least move to class c, which is not the answer at x.
    ClassFlip enter(const VectorRef& x, int c, const PointLimits& limits);

private:
    Flip search(const ClassProblem& problem, const VectorRef& x, double cutoff,
                const PointLimits& limits, Flip& total);
    ClassFlip whole(const ClassProblem& problem, const VectorRef& x, const PointLimits& limits);
    static void take_proof(Flip& part, std::vector<int> rivals, ClassFlip& flip);
    std::vector<int> nearest_first(const VectorRef& x, int c);
    void offer(const VectorRef& x, int wanted, Flip part, Flip& best) const;
    ClassFlip enter_by_votes(const VectorRef& x, int c, const PointLimits& limits);

    ClassProblems& problems_;
    const ClassVote& vote_;
    const ClassCertifySettings& settings_;
    std::map<const ClassProblem*, std::unique_ptr<Flipper>> flippers_;
};

/// One search, whose nodes count towards those of `total`.
Flip ClassWorker::search(const ClassProblem& problem, const VectorRef& x, double cutoff,
                         const PointLimits& limits, Flip& total) {
    std::unique_ptr<Flipper>& flipper = flippers_[&problem];
    if (!flipper) {
        flipper = std::make_unique<Flipper>(problem.planes);
        flipper->record_proofs(settings_.proofs);
    }
    PointLimits rest = limits;
    if (rest.max_nodes < std::numeric_limits<std::int64_t>::max())
        rest.max_nodes = std::max<std::int64_t>(0, rest.max_nodes - total.n_nodes);
    Flip flip = flipper->fool_planes(x, ClassProblem::kFrom, problem.required, cutoff, rest);
    total.n_nodes += flip.n_nodes;
    if (flip.proof) rename(*flip.proof, problem.names);
    return flip;
}

/// The rivals of class c, those with the least weight to win first.
std::vector<int> ClassWorker::nearest_first(const VectorRef& x, int c) {
    std::vector<std::pair<Index, int>> order;
    for (int k = 0; k < vote_.n_classes(); ++k) {
        if (k == c) continue;
        const ClassProblem& problem = problems_.beat(k, c);
        const Amounts now = problem.planes.weight_of(problem.planes.fooled(x, ClassProblem::kFrom));
        order.emplace_back(problem.required[0] - now[0], k);
    }
    std::sort(order.begin(), order.end());
    std::vector<int> rivals;
    for (const auto& [missing, k] : order) rivals.push_back(k);
    return rivals;
}

ClassFlip ClassWorker::leave(const VectorRef& x, int c, const PointLimits& limits) {
    if (vote_.score() == ClassScore::Value) return whole(problems_.leave(c), x, limits);
    ClassFlip best;
    best.lower = HUGE_VAL;
    if (settings_.proofs) best.class_proof.emplace();
    std::map<int, ProofNode> trees;
    std::vector<std::pair<double, Status>> open;
    for (int k : nearest_first(x, c)) {
        Flip part = search(problems_.beat(k, c), x, beyond(best.upper), limits, best);
        best.lower = std::min(best.lower, part.lower);
        if (part.status != Status::Optimal) open.emplace_back(part.lower, part.status);
        best.is_proof_doubtful = best.is_proof_doubtful || part.is_proof_doubtful;
        if (!part.proof) {
            best.class_proof.reset();
            best.why_no_proof = part.why_no_proof;
        }
        if (best.class_proof) trees[k] = std::move(*part.proof);
        if (!(part.upper < best.upper)) continue;
        best.upper = part.upper;
        best.d = std::move(part.d);
    }
    best.lower = std::min(best.lower, best.upper);
    // A rival that was not settled matters if it could be the nearest.
    for (const auto& [lower, status] : open) {
        if (lower < best.upper * (1.0 - kProvenGap)) best.status = status;
    }
    for (auto& [rival, tree] : trees) {
        if (best.class_proof) best.class_proof->trees.push_back(std::move(tree));
    }
    return best;
}

ClassFlip ClassWorker::enter(const VectorRef& x, int c, const PointLimits& limits) {
    if (vote_.score() == ClassScore::Votes) return enter_by_votes(x, c, limits);
    return whole(problems_.enter(c), x, limits);
}

/// One search that says all.
ClassFlip ClassWorker::whole(const ClassProblem& problem, const VectorRef& x,
                             const PointLimits& limits) {
    ClassFlip result;
    static_cast<Flip&>(result) = search(problem, x, HUGE_VAL, limits, result);
    take_proof(result, {}, result);
    return result;
}

/// The proof of a part, which is one of the whole.
void ClassWorker::take_proof(Flip& part, std::vector<int> rivals, ClassFlip& flip) {
    flip.class_proof.reset();
    flip.is_proof_doubtful = part.is_proof_doubtful;
    flip.why_no_proof = part.why_no_proof;
    if (!part.proof) return;
    flip.class_proof.emplace();
    flip.class_proof->rivals = std::move(rivals);
    flip.class_proof->trees.push_back(std::move(*part.proof));
    part.proof.reset();
}

/// Keeps a move that makes `wanted` the answer, if it is the smallest.
void ClassWorker::offer(const VectorRef& x, int wanted, Flip part, Flip& best) const {
    if (part.d.size() == 0 || !(part.upper < best.upper)) return;
    const Vector moved = x + part.d;
    if (vote_.predict(moved) != wanted) return;
    best.upper = part.upper;
    best.d = std::move(part.d);
}

/// Every rival must be beaten, so no move is shorter than the longest of those that beat one; the
/// search over all of them at once says the rest.
ClassFlip ClassWorker::enter_by_votes(const VectorRef& x, int c, const PointLimits& limits) {
    ClassFlip best;
    double most = -HUGE_VAL;
    for (int k = 0; k < vote_.n_classes(); ++k) {
        if (k == c) continue;
        const ClassProblem& pair = problems_.beat(c, k);
        const auto now = pair.planes.weight_of(pair.planes.fooled(x, ClassProblem::kFrom));
        if (now.covers(pair.required)) continue;
        Flip part = search(pair, x, beyond(best.upper), limits, best);
        best.lower = std::max(best.lower, std::min(part.lower, best.upper));
        if (part.lower > most) take_proof(part, {k}, best);
        most = std::max(most, part.lower);
        offer(x, c, std::move(part), best);
    }
    if (is_closed(best) || best.lower == HUGE_VAL) return best;
    PointLimits joint = limits;
    joint.max_nodes = std::min(
        limits.max_nodes, best.n_nodes + std::min<std::int64_t>(settings_.max_joint_nodes,
                                                                limits.max_nodes - best.n_nodes));
    Flip part = search(problems_.enter(c), x, beyond(best.upper), joint, best);
    best.lower = std::max(best.lower, part.lower);
    if (part.lower > most) take_proof(part, {}, best);
    const Status status = part.status;
    offer(x, c, std::move(part), best);
    best.lower = std::min(best.lower, best.upper);
    if (!is_closed(best)) best.status = status;
    return best;
}

void check_classes(const std::string& argument, const Eigen::VectorXi& y, Index n_rows,
                   Index n_classes) {
    check_length(argument, y.size(), n_rows);
    for (Index j = 0; j < y.size(); ++j) {
        check_value(y[j] >= 0 && y[j] < n_classes, argument,
                    "classes 0 to " + std::to_string(n_classes - 1), y[j]);
    }
}

enum class Question { Label, Target };

/// By value, in pairs, as proofs are checked.
bool beats_all(const ClassVote& vote, const VectorRef& x, Index c) {
    for (Index k = 0; k < vote.n_classes(); ++k) {
        if (k == c) continue;
        const Hyperplane pair = vote.difference(std::min(c, k), std::max(c, k));
        const bool is_first_ahead = sign_of_plane(pair.w, pair.b, x) > 0;
        if (is_first_ahead != (c < k)) return false;
    }
    return true;
}

/// Differences of planes are rounded: where many planes meet they may let no class beat all others.
bool is_claim_clear(const ClassVote& vote, const VectorRef& x, int label,
                    const ClassCertificate& result) {
    if (vote.score() != ClassScore::Value) return true;
    if (!beats_all(vote, x, result.answer)) return false;
    if (result.witness.size() == 0) return true;
    const Vector moved = x + result.witness;
    return result.answer == label ? !beats_all(vote, moved, label) : beats_all(vote, moved, label);
}

ClassCertificate certify_point(ClassWorker& worker, ProofAudit& audit, const ClassVote& vote,
                               const VectorRef& x, int y, Question question,
                               const AttackModel& rules, const PointLimits& limits) {
    const int answer = vote.predict(x);
    const bool moves = rules.attacks(question == Question::Label ? y : answer);
    const bool is_there = answer == y;
    ClassCertificate result;
    ClassFlip flip;
    if (!moves) {
        static_cast<Flip&>(flip) = no_flip();
        flip.class_proof.emplace();
    }
    if (question == Question::Target) {
        if (is_there) {
            static_cast<Flip&>(flip) = Flip{};
            flip.upper = 0.0;
            flip.d = Vector::Zero(x.size());
        } else if (moves) {
            flip = worker.enter(x, y, limits);
        }
        static_cast<Certificate&>(result) = make_certificate(as_flip(flip), true);
    } else {
        if (moves) flip = is_there ? worker.leave(x, y, limits) : worker.enter(x, y, limits);
        static_cast<Certificate&>(result) = make_certificate(as_flip(flip), is_there);
    }
    result.answer = answer;
    result.proof.reset();
    result.class_proof = std::move(flip.class_proof);
    if (result.class_proof && !is_claim_clear(vote, x, y, result)) {
        result.class_proof.reset();
        result.why_no_proof = "rounded differences of planes let no class beat all others here";
    }
    if (result.class_proof && flip.is_proof_doubtful) {
        ClassCertificate bare = result;
        bare.witness.resize(0);
        if (!audit.accepts(proof_line(1, vote, x, y, bare))) {
            result.class_proof.reset();
            result.why_no_proof = kFloatingPointOnly;
        }
    }
    if (result.witness.size() > 0) result.moved_answer = vote.predict(x + result.witness);
    result.fooled.clear();
    return result;
}

std::vector<ClassCertificate> certify_rows(const ClassVote& vote, const PointsRef& X,
                                           const Eigen::VectorXi& y, Question question,
                                           const ClassCertifySettings& settings) {
    if (!settings.frozen.empty()) {
        return solve_by_pattern<ClassCertificate>(
            settings, X.rows(), X.cols(),
            [&](const std::vector<Index>& rows, const ClassCertifySettings& own) {
                return certify_rows(vote, PointSet(X, rows), Eigen::VectorXi(y(rows)), question,
                                    own);
            });
    }
    const Clock::time_point call_deadline =
        deadline_after(Clock::now(), settings.limits.max_seconds);
    const MoveSpace space(settings.attack_model, vote.n_features());
    ClassProblems problems(vote, space);
    ProofAudit audit([&] { return proof_header(vote, settings.attack_model); });
    std::vector<ClassCertificate> results(static_cast<std::size_t>(X.rows()));
    SharedProgress progress(settings.progress, X.rows());
    parallel_blocks(X.rows(), kPointsPerBlock, settings.n_threads, [&](Index begin, Index end) {
        ClassWorker worker(problems, settings);
        for (Index j = begin; j < end; ++j) {
            const auto start = Clock::now();
            const PointLimits limits = point_limits(settings.limits, call_deadline);
            const Vector x = X.row(j).to_dense();
            ClassCertificate result = certify_point(worker, audit, vote, x, y[j], question,
                                                    settings.attack_model, limits);
            if (!settings.wants_witness) result.witness.resize(0);
            if (X.is_sparse()) compress(result.witness, result.witness_features);
            result.solve_seconds = std::chrono::duration<double>(Clock::now() - start).count();
            results[static_cast<std::size_t>(j)] = std::move(result);
        }
        progress.add(end - begin);
    });
    return results;
}

std::vector<ClassCertificate> check_and_certify(const ClassVote& vote, const PointsRef& X,
                                                const Eigen::VectorXi& y, Question question,
                                                const ClassCertifySettings& settings) {
    settings.check();
    if (X.cols() != vote.n_features()) {
        throw InvalidInput("X", std::to_string(vote.n_features()) + " features",
                           std::to_string(X.cols()));
    }
    if (settings.proofs && vote.tie_values())
        throw InvalidInput("proofs", "none where values settle ties of votes", "some");
    check_points("X", X);
    check_classes(question == Question::Label ? "y" : "target", y, X.rows(), vote.n_classes());
    check_frozen(settings.frozen, X.rows(), X.cols());
    settings.attack_model.check(X.cols(), vote.n_classes());
    const bool has_labels = question == Question::Label || !settings.attack_model.attacking_class;
    const Eigen::VectorXi labels = has_labels ? y : vote.predict_all(X, settings.n_threads);
    settings.attack_model.check_points(X, labels.cast<double>(), {}, settings.frozen);
    return certify_rows(vote, X, y, question, settings);
}

}  // namespace

void ClassCertifySettings::check() const {
    CertifySettings::check();
    if (solver != Solver::Native)
        throw InvalidInput("solver", "native for several classes", to_string(solver));
    if (attack_model.counts())
        throw InvalidInput("attack_model.norm", "l1, l2 or linf for several classes", "l0");
    if (max_joint_nodes < 0)
        throw InvalidInput("max_joint_nodes", "an integer >= 0", std::to_string(max_joint_nodes));
}

std::vector<ClassCertificate> certify(const ClassVote& vote, const PointsRef& X,
                                      const Eigen::VectorXi& y,
                                      const ClassCertifySettings& settings) {
    return check_and_certify(vote, X, y, Question::Label, settings);
}

std::vector<ClassCertificate> certify(const ClassVote& vote, const PointsRef& X,
                                      const ClassCertifySettings& settings) {
    return certify(vote, X, vote.predict_all(X, settings.n_threads), settings);
}

std::vector<ClassCertificate> certify_targets(const ClassVote& vote, const PointsRef& X,
                                              const Eigen::VectorXi& target,
                                              const ClassCertifySettings& settings) {
    return check_and_certify(vote, X, target, Question::Target, settings);
}

}  // namespace redoubt
