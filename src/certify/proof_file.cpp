#include "redoubt/proof_file.hpp"

#include <charconv>
#include <cmath>

#include "core/sha256.hpp"
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

/// [planes],[multipliers] and the charge, if there is one.
void add_refutation(std::string& text, const Refutation& by) {
    text += '[';
    for (std::size_t i = 0; i < by.planes.size(); ++i) {
        if (i > 0) text += ',';
        text += std::to_string(by.planes[i]);
    }
    text += "],[";
    for (std::size_t i = 0; i < by.lambda.size(); ++i) {
        if (i > 0) text += ',';
        add_multiplier(text, by.lambda[i]);
    }
    text += ']';
    if (by.charge) {
        text += ',';
        add_multiplier(text, *by.charge);
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

void add_tree(std::string& text, const ProofNode& node);

void add_cases(std::string& text, const ProofNode& node) {
    const bool is_group = !node.cases.front().members.empty();
    text += is_group ? "\"group\":" : "\"integer\":";
    text += std::to_string(node.split_feature) + ",\"cases\":[";
    for (std::size_t i = 0; i < node.cases.size(); ++i) {
        const ProofNode::Case& one = node.cases[i];
        text += i == 0 ? "[" : ",[";
        text += is_group ? list_text(one.members) : end_text(one.first) + "," + end_text(one.last);
        text += ',';
        add_tree(text, one.node);
        text += ']';
    }
    text += ']';
}

void add_tree(std::string& text, const ProofNode& node) {
    text += '{';
    if (node.is_refuted) {
        text += "\"refuted\":[";
        add_refutation(text, node.refutation);
        text += ']';
    }
    for (std::size_t i = 0; i < node.bars.size(); ++i) {
        text += i == 0 ? "\"barred\":[[" : ",[";
        text += std::to_string(node.bars[i].plane) + ",";
        add_refutation(text, node.bars[i].by);
        text += ']';
    }
    if (!node.bars.empty()) text += ']';
    if (!node.bars.empty() && !node.children.empty()) text += ',';
    for (std::size_t i = 0; i < node.children.size(); ++i) {
        text += i == 0 ? "\"children\":[[" : ",[";
        text += std::to_string(node.children[i].plane) + ",";
        add_tree(text, node.children[i].node);
        text += ']';
    }
    if (!node.children.empty()) text += ']';
    if (!node.cases.empty()) add_cases(text, node);
    text += '}';
}

void add_integers(std::string& text, const AttackModel& model) {
    text += ",\"integers\":[";
    bool is_first = true;
    for (const IntegerFeature& one : model.integers) {
        if (model.scale_of(one.feature) == 0.0) continue;
        const SizeUnit step = step_unit(one, model.scale_of(one.feature));
        text += is_first ? "{" : ",{";
        is_first = false;
        text += "\"feature\":" + std::to_string(one.feature) + ",\"offset\":" +
                quoted_hex(one.offset) + ",\"scale\":" + quoted_hex(one.scale) + ",\"step\":[" +
                quoted_hex(step.top) + "," + quoted_hex(step.bottom) + "]}";
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
    if (!model.integers.empty()) add_integers(text, model);
    if (!model.one_hot.empty()) add_groups(text, model);
    if (model.attacking_class)
        text += ",\"attacking_class\":" + std::to_string(*model.attacking_class);
    if (model.integers.empty() && model.one_hot.empty()) return;
    const MoveSpace space(model, n_features);
    if (const auto unit = DiscreteSizes(space).common_unit()) {
        text += ",\"unit\":[" + quoted_hex(unit->top) + "," + quoted_hex(unit->bottom) + "]";
    }
}

}  // namespace

std::string proof_header(const Ensemble& ensemble, const AttackModel& attack_model,
                         const std::string& model_hash) {
    std::string text = "{\"redoubt_proofs\":1,\"norm\":\"";
    text += to_string(attack_model.norm);
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
    text += ']';
    if (attack_model.scale.size() > 0) text += ",\"scale\":" + hex_list(attack_model.scale);
    add_rules(text, attack_model, ensemble.n_features());
    if (!model_hash.empty()) text += ",\"model_sha256\":\"" + model_hash + "\"";
    return text + "}\n";
}

std::string proof_line(Index row, const Ensemble& ensemble, const AttackModel& attack_model,
                       const VectorRef& x, const Certificate& certificate,
                       const std::vector<int>& frozen) {
    const std::string values = hex_list(x);
    // The radius of a wrong answer is negative: what is proven is the end nearer to 0.
    const bool is_negative = std::signbit(certificate.radius);
    const double radius = is_negative ? -certificate.upper : certificate.lower;
    const int answer = ensemble.predict(x);
    std::string text = "{\"row\":" + std::to_string(row) + ",\"sha256\":\"" + sha256(values) +
                       "\",\"point\":" + values + ",\"answer\":" + std::to_string(answer);
    if (attack_model.attacking_class)
        text += ",\"label\":" + std::to_string(is_negative ? -answer : answer);
    if (!frozen.empty()) text += ",\"frozen\":" + list_text(frozen);
    text += ",\"radius\":" + quoted_hex(radius) + ",\"tree\":";
    add_tree(text, certificate.proof.value());
    if (certificate.witness.size() > 0) {
        text += ",\"witness\":" + hex_list(Vector(x + certificate.witness));
    }
    return text + "}\n";
}

}  // namespace redoubt
