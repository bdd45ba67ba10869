#include "report.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iomanip>
#include <sstream>

namespace redoubt::app {
namespace {

constexpr int kTableColumn = 10;

}  // namespace

std::string exact_text(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

void print_plane(std::ostream& out, const Hyperplane& plane,
                 const std::vector<std::string>& feature_names) {
    const auto name_of = [&](Index i) {
        return feature_names.empty() ? "x" + std::to_string(i + 1)
                                     : feature_names[static_cast<std::size_t>(i)];
    };
    const std::string bias = "(bias)";
    std::size_t width = bias.size();
    for (Index i = 0; i < plane.w.size(); ++i) width = std::max(width, name_of(i).size());
    const auto line = [&](const std::string& name, double value) {
        out << "  " << std::left << std::setw(static_cast<int>(width)) << name << "  "
            << (value < 0.0 ? "" : " ") << exact_text(value) << '\n';
    };
    for (Index i = 0; i < plane.w.size(); ++i) line(name_of(i), plane.w[i]);
    line(bias, plane.b);
}

void print_attack_table(std::ostream& out, const AttackCurve& curve) {
    const auto percent = [](double share) {
        std::ostringstream text;
        text << std::fixed << std::setprecision(2) << 100.0 * share;
        return text.str();
    };
    const auto line = [&](const std::string& name, const std::string& accuracy,
                          const std::string& balanced) {
        out << std::setw(kTableColumn) << std::right << name << std::setw(kTableColumn) << accuracy
            << std::setw(kTableColumn) << balanced << '\n';
    };
    line("radius", "accuracy", "balanced");
    for (Index i = 0; i < curve.radii.size(); ++i) {
        line(exact_text(curve.radii[i]), percent(curve.accuracy[i]),
             percent(curve.balanced_accuracy[i]));
    }
    line("constant", percent(curve.constant_accuracy),
         percent(AttackCurve::kConstantBalancedAccuracy));
}

}  // namespace redoubt::app
