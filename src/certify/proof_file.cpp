#include "redoubt/proof_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/sha256.hpp"
#include "counting/cost_unit.hpp"
#include "redoubt/norm.hpp"
#include "threat/move_space.hpp"

namespace redoubt {

namespace {

/// Numbers of a multiplier below this are integers without an exponent.
constexpr double kExactIntegers = 9007199254740992.0;

/// A double as its bits: 0x1.8p+1.
void add_hex(std::string& text, double value) {
    char digits[40];
    if (std::signbit(value)) text += '-';
    if (std::isinf(value)) {
        text += "inf";
        return;
    }
    const auto end =
        std::to_chars(digits, digits + sizeof digits, std::abs(value), std::chars_format::hex).ptr;
    text += "0x";
    text.append(digits, end);
}

template <class Values>
std::string hex_list(const Values& values) {
    std::string text = "[";
    for (Index i = 0; i < values.size(); ++i) {
        text += i == 0 ? "\"" : ",\"";
        add_hex(text, values[i]);
        text += '"';
    }
    return text + "]";
}

std::string quoted_hex(double value) {
    std::string text = "\"";
    add_hex(text, value);
    return text + "\"";
}

/// An integer, or a double as its bits.
void add_multiplier(std::string& text, double value) {
    if (value == std::floor(value) && value < kExactIntegers) {
        text += std::to_string(static_cast<long long>(value));
    } else {
        text += quoted_hex(value);
    }
}

/// The charge, if there is one, and the multipliers of these planes; zeros at the end are left out.
void add_refutation(std::string& text, const Refutation& by, const std::vector<int>& planes) {
    if (by.charge) {
        text += '[';
        add_multiplier(text, *by.charge);
        text += ']';
    }
    std::size_t n_left = by.planes.size();
    for (std::size_t m = 0; m < planes.size() && n_left > 0; ++m) {
        if (m > 0 || by.charge) text += ',';
        const auto at = std::find(by.planes.begin(), by.planes.end(), planes[m]);
        if (at == by.planes.end()) {
            text += '0';
            continue;
        }
        add_multiplier(text, by.lambda[static_cast<std::size_t>(at - by.planes.begin())]);
        --n_left;
    }
}

/// An end of a range of integers; null if it has none.
std::string end_text(double integer) {
    return std::isinf(integer) ? "null" : std::to_string(static_cast<long long>(integer));
}

std::string list_text(const std::vector<int>& numbers) {
    std::string text = "[";
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (i > 0) text += ',';
        text += std::to_string(numbers[i]);
    }
    return text + "]";
}

void add_tree(std::string& text, const ProofNode& node, std::vector<int>& members);

void add_cases(std::string& text, const ProofNode& node, std::vector<int>& members) {
    const bool is_group = !node.cases.front().members.empty();
    text += node.splits_change ? "{\"range\":" : is_group ? "{\"group\":" : "{\"integer\":";
    text += std::to_string(node.split_feature) + ",\"cases\":[";
    for (std::size_t i = 0; i < node.cases.size(); ++i) {
        const ProofNode::Case& one = node.cases[i];
        text += i == 0 ? "[" : ",[";
        if (!node.splits_change) {
            text +=
                is_group ? list_text(one.members) : end_text(one.first) + "," + end_text(one.last);
            text += ',';
        }
        add_tree(text, one.node, members);
        text += ']';
    }
    text += "]}";
}

/// `members` are the planes that are fooled here; the one that was chosen last comes first.
void add_tree(std::string& text, const ProofNode& node, std::vector<int>& members) {
    if (!node.cases.empty()) return add_cases(text, node, members);
    if (node.is_refuted) {
        text += "{\"refuted\":[";
        add_refutation(text, node.refutation, members);
        text += "]}";
        return;
    }
    text += "[[";
    for (std::size_t i = 0; i < node.bars.size(); ++i) {
        const ProofNode::Bar& bar = node.bars[i];
        text += i == 0 ? "[" : ",[";
        text += std::to_string(bar.plane);
        if (!bar.by.planes.empty() || bar.by.charge) text += ',';
        std::vector<int> planes{bar.plane};
        planes.insert(planes.end(), members.begin(), members.end());
        add_refutation(text, bar.by, planes);
        text += ']';
    }
    text += ']';
    for (const ProofNode::Child& child : node.children) {
        text += "," + std::to_string(child.plane) + ",";
        members.insert(members.begin(), child.plane);
        add_tree(text, child.node, members);
        members.erase(members.begin());
    }
    text += ']';
}

std::string tree_text(const ProofNode& root) {
    std::string text;
    std::vector<int> members;
    add_tree(text, root, members);
    return text;
}

void add_integers(std::string& text, const AttackModel& model) {
    text += ",\"integers\":[";
    bool is_first = true;
    for (const IntegerFeature& one : model.integers) {
        if (model.scale_of(one.feature) == 0.0) continue;
        const SizeUnit step = model.counts() ? SizeUnit{model.cost_of(one.feature), 1.0}
                                             : step_unit(one, model.scale_of(one.feature));
        text += is_first ? "{" : ",{";
        is_first = false;
        text += "\"feature\":" + std::to_string(one.feature) +
                ",\"offset\":" + quoted_hex(one.offset) + ",\"scale\":" + quoted_hex(one.scale) +
                ",\"step\":[" + quoted_hex(step.top) + "," + quoted_hex(step.bottom) + "]}";
    }
    text += ']';
}

void add_groups(std::string& text, const AttackModel& model) {
    text += ",\"groups\":[";
    for (std::size_t g = 0; g < model.one_hot.size(); ++g) {
        const OneHotGroup& group = model.one_hot[g];
        text += g == 0 ? "{" : ",{";
        text += "\"features\":" + list_text(group.features);
        if (group.on.size() > 0) text += ",\"on\":" + hex_list(group.on);
        if (group.off.size() > 0) text += ",\"off\":" + hex_list(group.off);
        text += ",\"cost\":" + quoted_hex(group.switch_cost);
        for (std::size_t i = 0; i < group.prices.size(); ++i) {
            const SwitchPrice& price = group.prices[i];
            text += i == 0 ? ",\"prices\":[[" : ",[";
            text += std::to_string(price.from) + "," + std::to_string(price.to) + "," +
                    quoted_hex(price.cost) + "]";
        }
        if (!group.prices.empty()) text += ']';
        text += '}';
    }
    text += ']';
}

/// What an adversary may do beyond a ball.
void add_rules(std::string& text, const AttackModel& model, Index n_features) {
    if (model.lower.size() > 0) text += ",\"lower\":" + hex_list(model.lower);
    if (model.upper.size() > 0) text += ",\"upper\":" + hex_list(model.upper);
    if (!model.direction.empty()) {
        text += ",\"direction\":[";
        for (std::size_t l = 0; l < model.direction.size(); ++l) {
            text += l == 0 ? "\"" : ",\"";
            text += to_string(model.direction[l]);
            text += '"';
        }
        text += ']';
    }
    if (model.cost.size() > 0) text += ",\"cost\":" + hex_list(model.cost);
    if (!model.integers.empty()) add_integers(text, model);
    if (!model.one_hot.empty()) add_groups(text, model);
    if (model.attacking_class)
        text += ",\"attacking_class\":" + std::to_string(*model.attacking_class);
    if (model.counts()) {
        if (const double unit = cost_unit(model); unit > 0.0)
            text += ",\"unit\":[" + quoted_hex(unit) + ",1]";
        return;
    }
    if (model.integers.empty() && model.one_hot.empty()) return;
    const MoveSpace space(model, n_features);
    if (const auto unit = DiscreteSizes(space).common_unit()) {
        text += ",\"unit\":[" + quoted_hex(unit->top) + "," + quoted_hex(unit->bottom) + "]";
    }
}

/// The planes, and how the vote adds up.
std::string start_of_header(const Ensemble& ensemble, Norm norm) {
    std::string text = "{\"redoubt_proofs\":1,\"norm\":\"";
    text += to_string(norm);
    text += "\",\"planes\":[";
    for (Index i = 0; i < ensemble.n_planes(); ++i) {
        if (i > 0) text += ',';
        text += hex_list(ensemble.coef().row(i));
    }
    text += "],\"intercepts\":" + hex_list(ensemble.intercept()) + ",\"weights\":[";
    for (Index i = 0; i < ensemble.n_planes(); ++i) {
        if (i > 0) text += ',';
        text += std::to_string(ensemble.weight_units(i));
    }
    return text + "]";
}

/// The moves, and the model's file.
std::string end_of_header(const AttackModel& attack_model, Index n_features,
                          const std::string& model_hash) {
    std::string text;
    if (attack_model.scale.size() > 0) text += ",\"scale\":" + hex_list(attack_model.scale);
    add_rules(text, attack_model, n_features);
    if (!model_hash.empty()) text += ",\"model_sha256\":\"" + model_hash + "\"";
    return text + "}\n";
}

std::string start_of_line(Index row, const VectorRef& x, int answer) {
    const std::string values = hex_list(x);
    return "{\"row\":" + std::to_string(row) + ",\"sha256\":\"" + sha256(values) +
           "\",\"point\":" + values + ",\"answer\":" + std::to_string(answer);
}

/// What is proven, which is the end nearer to 0: the radius of a wrong answer is negative.
void add_radius(std::string& text, const Certificate& certificate, const std::vector<int>& frozen) {
    const bool is_negative = std::signbit(certificate.radius);
    if (!frozen.empty()) text += ",\"frozen\":" + list_text(frozen);
    text += ",\"radius\":" + quoted_hex(is_negative ? -certificate.upper : certificate.lower);
}

std::string end_of_line(const VectorRef& x, const Vector& witness) {
    std::string text;
    if (witness.size() > 0) text += ",\"witness\":" + hex_list(Vector(x + witness));
    return text + "}\n";
}

}  // namespace

std::string proof_header(const Ensemble& ensemble, const AttackModel& attack_model,
                         const std::string& model_hash) {
    std::string text = start_of_header(ensemble, attack_model.norm);
    if (ensemble.has_quota()) text += ",\"quota\":" + std::to_string(ensemble.quota_units());
    return text + end_of_header(attack_model, ensemble.n_features(), model_hash);
}

std::string proof_line(Index row, const Ensemble& ensemble, const AttackModel& attack_model,
                       const VectorRef& x, const Certificate& certificate,
                       const std::vector<int>& frozen) {
    const int answer = ensemble.predict(x);
    std::string text = start_of_line(row, x, answer);
    const bool is_wrong = std::signbit(certificate.radius);
    if (attack_model.attacking_class)
        text += ",\"label\":" + std::to_string(is_wrong ? -answer : answer);
    add_radius(text, certificate, frozen);
    text += ",\"tree\":" + tree_text(certificate.proof.value());
    return text + end_of_line(x, certificate.witness);
}

std::string proof_header(const ClassVote& vote, const AttackModel& attack_model,
                         const std::string& model_hash) {
    std::string text = start_of_header(vote.planes(), attack_model.norm);
    text += ",\"classes\":[";
    for (Index c = 0; c < vote.n_classes(); ++c) {
        if (c > 0) text += ',';
        text += std::to_string(vote.n_planes(c));
    }
    text += "],\"score\":\"" + std::string(to_string(vote.score())) + "\"";
    std::vector<int> minus;
    for (Index i = 0; i < vote.planes().n_planes(); ++i) {
        if (vote.answer_at_zero(i) < 0) minus.push_back(static_cast<int>(i));
    }
    if (!minus.empty()) text += ",\"minus_at_zero\":" + list_text(minus);
    return text + end_of_header(attack_model, vote.n_features(), model_hash);
}

std::string proof_line(Index row, const ClassVote& vote, const VectorRef& x, int label,
                       const ClassCertificate& certificate, const std::vector<int>& frozen) {
    const ClassProof& proof = certificate.class_proof.value();
    std::string text = start_of_line(row, x, certificate.answer);
    text += ",\"label\":" + std::to_string(label);
    add_radius(text, certificate, frozen);
    if (!proof.rivals.empty()) text += ",\"rivals\":" + list_text(proof.rivals);
    const bool has_many =
        label == certificate.answer && vote.score() == ClassScore::Votes && vote.n_classes() > 2;
    if (has_many) text += ",\"trees\":[";
    for (std::size_t i = 0; i < proof.trees.size(); ++i) {
        if (has_many && i > 0) text += ',';
        if (!has_many) text += ",\"tree\":";
        text += tree_text(proof.trees[i]);
    }
    if (has_many) text += ']';
    return text + end_of_line(x, certificate.witness);
}

}  // namespace redoubt
