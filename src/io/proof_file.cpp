#include "redoubt/proof_file.hpp"

#include <charconv>
#include <cmath>

#include "core/sha256.hpp"
#include "redoubt/norm.hpp"

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

/// [[planes], [multipliers]]: integers, or doubles as their bits.
void add_refutation(std::string& text, const Refutation& by) {
    text += '[';
    for (std::size_t i = 0; i < by.planes.size(); ++i) {
        if (i > 0) text += ',';
        text += std::to_string(by.planes[i]);
    }
    text += "],[";
    for (std::size_t i = 0; i < by.lambda.size(); ++i) {
        if (i > 0) text += ',';
        const double value = by.lambda[i];
        if (value == std::floor(value) && value < kExactIntegers) {
            text += std::to_string(static_cast<long long>(value));
        } else {
            text += quoted_hex(value);
        }
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
    text += '}';
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
    if (!model_hash.empty()) text += ",\"model_sha256\":\"" + model_hash + "\"";
    return text + "}\n";
}

std::string proof_line(Index row, const Ensemble& ensemble, const VectorRef& x,
                       const Certificate& certificate) {
    const std::string values = hex_list(x);
    // The radius of a wrong answer is negative: what is proven is the end nearer to 0.
    const bool is_negative = std::signbit(certificate.radius);
    const double radius = is_negative ? -certificate.upper : certificate.lower;
    std::string text = "{\"row\":" + std::to_string(row) + ",\"sha256\":\"" + sha256(values) +
                       "\",\"point\":" + values +
                       ",\"answer\":" + std::to_string(ensemble.predict(x)) +
                       ",\"radius\":" + quoted_hex(radius) + ",\"tree\":";
    add_tree(text, certificate.proof.value());
    if (certificate.witness.size() > 0) {
        text += ",\"witness\":" + hex_list(Vector(x + certificate.witness));
    }
    return text + "}\n";
}

}  // namespace redoubt
