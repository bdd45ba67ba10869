#include "redoubt/proof_check.hpp"

#include <cmath>
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

proofs::Vote read_vote(const JsonField& header) {
    header.expect_fields({"redoubt_proofs", "norm", "planes", "intercepts", "weights", "scale",
                          "model_sha256", "lower", "upper", "direction", "integers", "groups",
                          "attacking_class", "unit"});
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
    vote.rules = proofs::Rules::read(header, n);
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

void check_witness(const proofs::Vote& vote, const Vector& point, const proofs::Claim& claim,
                   const JsonField& field) {
    if (field.is_missing() || field.is_null()) return;
    const Vector moved = proofs::exact_values(field, point.size());
    for (Index l = 0; l < point.size(); ++l) {
        if (!claim.moves().may_move(l) && moved[l] != point[l]) {
            throw proofs::Refusal("witness: feature " + std::to_string(l) + " does not move");
        }
    }
    if (vote.answer(moved) == claim.answer())
        throw proofs::Refusal("witness: the answer there is the same");
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
    record.expect_fields(
        {"row", "sha256", "point", "answer", "label", "frozen", "radius", "tree", "witness"});
    const proofs::Vote& vote = parts_->vote;
    ProofVerdict verdict;
    verdict.row = record.at("row").integer();
    verdict.radius = read_radius(record.at("radius"));
    const Vector point = proofs::exact_values(record.at("point"), vote.planes.cols());
    std::vector<int> frozen;
    if (!record.at("frozen").is_missing())
        frozen = proofs::features_in(record.at("frozen"), point.size());
    // Points of the class that does not attack stay where they are.
    const std::optional<int> attacking = vote.rules.attacking_class;
    const bool attacks = !attacking || record.at("label").integer() == *attacking;
    try {
        const proofs::Claim claim(vote, point, verdict.radius, frozen);
        verdict.answer = claim.answer();
        if (record.at("answer").integer() != claim.answer()) {
            throw proofs::Refusal("the answer at the point is " + std::to_string(claim.answer()));
        }
        if (record.at("sha256").text() != sha256(compact(record.at("point")))) {
            throw proofs::Refusal("sha256 is not that of the point");
        }
        check_witness(vote, point, claim, record.at("witness"));
        if (attacks && verdict.radius > 0.0) proofs::ProofTree(claim).check(record.at("tree"));
        verdict.is_proven = true;
    } catch (const proofs::Refusal& refusal) {
        verdict.reason = refusal.what();
    }
    return verdict;
}

}  // namespace redoubt
