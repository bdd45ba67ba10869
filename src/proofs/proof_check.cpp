#include "redoubt/proof_check.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/sha256.hpp"
#include "io/json_field.hpp"
#include "proofs/proof_tree.hpp"
#include "proofs/refusal.hpp"
#include "redoubt/error.hpp"

namespace redoubt {

using io::JsonField;

namespace {

constexpr std::size_t kMaxDepth = 10'000;
constexpr std::int64_t kMaxPlanes = 1'000'000;

/// How planes make an answer.
void read_answers(const JsonField& header, proofs::Vote& vote) {
    const auto k = vote.planes.rows();
    vote.at_zero.assign(vote.weights.size(), 1);
    if (const JsonField minus = header.at("minus_at_zero"); !minus.is_missing()) {
        for (int i : proofs::places_in(minus, k)) vote.at_zero[static_cast<std::size_t>(i)] = -1;
    }
    const std::int64_t total =
        std::accumulate(vote.weights.begin(), vote.weights.end(), std::int64_t{0});
    vote.quota = (total + 1) / 2;
    const JsonField quota = header.at("quota");
    if (!quota.is_missing()) vote.quota = quota.integer();
    if (vote.quota < 1 || vote.quota > total) quota.fail("at least 1, at most all weights");
    const JsonField classes = header.at("classes");
    const JsonField score = header.at("score");
    if (classes.is_missing() && score.is_missing()) return;
    if (!quota.is_missing()) quota.fail("none with several classes");
    vote.is_by_value = score.text() == "value";
    if (!vote.is_by_value && score.text() != "votes") score.fail("'value' or 'votes'");
    vote.n_classes = static_cast<int>(classes.n_entries());
    for (int c = 0; c < vote.n_classes; ++c) {
        const JsonField count = classes.entry(static_cast<std::size_t>(c));
        const std::int64_t n = count.integer();
        if (n < 1 || n > k || (vote.is_by_value && n != 1)) count.fail("the planes of a class");
        vote.class_of.insert(vote.class_of.end(), static_cast<std::size_t>(n), c);
    }
    if (vote.n_classes < 2 || static_cast<Index>(vote.class_of.size()) != k)
        classes.fail("the planes of at least two classes");
}

proofs::Vote read_vote(const JsonField& header) {
    header.expect_fields({"redoubt_proofs", "norm", "planes", "intercepts", "weights", "scale",
                          "model_sha256", "lower", "upper", "direction", "integers", "groups",
                          "attacking_class", "unit", "cost", "quota", "minus_at_zero", "classes",
                          "score"});
    if (header.at("redoubt_proofs").count(1000) != 1) header.at("redoubt_proofs").fail("version 1");
    proofs::Vote vote;
    const JsonField planes = header.at("planes");
    const auto k = static_cast<Index>(planes.n_entries());
    if (k == 0 || planes.entry(0).n_entries() == 0) planes.fail("planes of at least one feature");
    const auto n = static_cast<Index>(planes.entry(0).n_entries());
    vote.planes.resize(k, n);
    for (Index i = 0; i < k; ++i) {
        vote.planes.row(i) =
            proofs::exact_values(planes.entry(static_cast<std::size_t>(i)), n).transpose();
    }
    vote.intercepts = proofs::exact_values(header.at("intercepts"), k);
    const JsonField weights = header.at("weights");
    if (static_cast<Index>(weights.n_entries()) != k)
        weights.fail("a list of " + std::to_string(k));
    for (Index i = 0; i < k; ++i) {
        const JsonField weight = weights.entry(static_cast<std::size_t>(i));
        if (!weight.is_integer() || weight.integer() < 1) weight.fail("an integer > 0");
        vote.weights.push_back(weight.integer());
        if (weight.integer() > (std::int64_t{1} << 61) / std::min<std::int64_t>(k, kMaxPlanes))
            weight.fail("a smaller one");
    }
    read_answers(header, vote);
    vote.rules = proofs::Rules::read(header, n);
    if (vote.rules.attacking_class && !vote.is_answer(*vote.rules.attacking_class))
        header.at("attacking_class").fail("a class");
    if (!header.at("model_sha256").is_missing()) vote.model_hash = header.at("model_sha256").text();
    return vote;
}

/// The list of texts as it stands in the file.
std::string compact(const JsonField& list) {
    std::string text = "[";
    for (std::size_t i = 0; i < list.n_entries(); ++i) {
        const JsonField entry = list.entry(i);
        if (i > 0) text += ',';
        text += entry.is_integer() ? std::to_string(entry.integer()) : '"' + entry.text() + '"';
    }
    return text + "]";
}

/// The other end: the answer there is another one.
void check_witness(const proofs::Vote& vote, const Vector& point, const proofs::Moves& moves,
                   const std::vector<proofs::Question>& goals, const JsonField& field) {
    if (field.is_missing() || field.is_null()) return;
    const Vector moved = proofs::exact_values(field, point.size());
    for (Index l = 0; l < point.size(); ++l) {
        if (!moves.may_move(l) && moved[l] != point[l]) {
            throw proofs::Refusal("witness: feature " + std::to_string(l) + " does not move");
        }
    }
    const bool is_changed = std::any_of(
        goals.begin(), goals.end(), [&](const auto& goal) { return vote.changes(goal, moved); });
    if (!is_changed) throw proofs::Refusal("witness: the answer there is the same");
}

/// Throws Refusal unless this is the answer at the point.
void check_answer(const proofs::Vote& vote, const Vector& point, std::int64_t answer) {
    bool is_right = vote.is_answer(answer);
    if (is_right) {
        const auto leaving = vote.leaving(static_cast<int>(answer));
        is_right = std::none_of(leaving.begin(), leaving.end(),
                                [&](const auto& one) { return vote.changes(one, point); });
    }
    if (!is_right) throw proofs::Refusal("the answer at the point is another one");
}

/// The questions that nothing must answer with yes, and those of which a witness answers one.
struct Questions {
    std::vector<proofs::Question> asked;
    std::vector<proofs::Question> goals;
};

Questions questions_of(const proofs::Vote& vote, int answer, const JsonField& record) {
    if (vote.n_classes > 0 && record.at("label").integer() != answer) {
        if (!vote.is_answer(record.at("label").integer())) record.at("label").fail("a class");
        const auto label = static_cast<int>(record.at("label").integer());
        const std::vector<int> others = vote.others(label);
        std::vector<int> rivals = others;
        if (const JsonField field = record.at("rivals"); !field.is_missing()) {
            rivals = proofs::places_in(field, vote.n_classes);
            if (rivals.empty() || std::find(rivals.begin(), rivals.end(), label) != rivals.end())
                field.fail("other classes");
        }
        return {{vote.entering(label, rivals)}, {vote.entering(label, others)}};
    }
    const std::vector<proofs::Question> leaving = vote.leaving(answer);
    return {leaving, leaving};
}

void check_trees(const proofs::Vote& vote, const std::vector<proofs::Question>& questions,
                 const proofs::Moves& moves, const Vector& point, double radius,
                 const JsonField& record) {
    const JsonField trees = record.at("trees");
    const bool is_one = questions.size() == 1;
    if (!is_one && trees.n_entries() != questions.size())
        trees.fail("a list of " + std::to_string(questions.size()));
    for (std::size_t i = 0; i < questions.size(); ++i) {
        const proofs::Claim claim(vote, questions[i], moves, point, radius);
        proofs::ProofTree(claim).check(is_one ? record.at("tree") : trees.entry(i));
    }
}

double read_radius(const JsonField& field) {
    const bool is_infinite = field.is_text() && field.text() == "inf";
    const double radius = is_infinite ? HUGE_VAL : proofs::exact_value(field);
    if (radius < 0.0) field.fail("a number >= 0");
    return radius;
}

}  // namespace

struct ProofChecker::Parts {
    std::string origin;
    proofs::Vote vote;
};

ProofChecker::ProofChecker(std::string_view header, std::string origin) {
    const io::Json fields = io::parse_json(header, origin, kMaxDepth);
    proofs::Vote vote = read_vote(JsonField(fields, origin));
    parts_ = std::make_unique<const Parts>(Parts{std::move(origin), std::move(vote)});
}

ProofChecker::~ProofChecker() = default;

const std::string& ProofChecker::model_hash() const {
    return parts_->vote.model_hash;
}

ProofVerdict ProofChecker::check(std::string_view line, std::int64_t number) const {
    const std::string origin = parts_->origin + ":" + std::to_string(number);
    const io::Json fields = io::parse_json(line, origin, kMaxDepth);
    const JsonField record(fields, origin);
    record.expect_fields({"row", "sha256", "point", "answer", "label", "frozen", "radius", "tree",
                          "trees", "rivals", "witness"});
    const proofs::Vote& vote = parts_->vote;
    ProofVerdict verdict;
    verdict.row = record.at("row").integer();
    verdict.radius = read_radius(record.at("radius"));
    const Vector point = proofs::exact_values(record.at("point"), vote.planes.cols());
    std::vector<int> frozen;
    if (!record.at("frozen").is_missing())
        frozen = proofs::places_in(record.at("frozen"), point.size());
    // Points of the class that does not attack stay where they are.
    const std::optional<int> attacking = vote.rules.attacking_class;
    const bool attacks = !attacking || record.at("label").integer() == *attacking;
    const std::int64_t answer = record.at("answer").integer();
    try {
        const proofs::Moves moves(vote.rules, point, verdict.radius, frozen);
        check_answer(vote, point, answer);
        verdict.answer = static_cast<int>(answer);
        if (record.at("sha256").text() != sha256(compact(record.at("point")))) {
            throw proofs::Refusal("sha256 is not that of the point");
        }
        const Questions questions = questions_of(vote, verdict.answer, record);
        check_witness(vote, point, moves, questions.goals, record.at("witness"));
        if (attacks && verdict.radius > 0.0)
            check_trees(vote, questions.asked, moves, point, verdict.radius, record);
        verdict.is_proven = true;
    } catch (const proofs::Refusal& refusal) {
        verdict.reason = refusal.what();
    }
    return verdict;
}

}  // namespace redoubt
