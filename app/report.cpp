#include "report.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iomanip>
#include <iostream>
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

const std::string& label_of(const Model& model, double sign) {
    return model.classes()[sign > 0.0 ? 1 : 0];
}

void append_row(std::vector<std::string>& fields, const VectorRef& numbers) {
    for (Index i = 0; i < numbers.size(); ++i) {
        fields.push_back(std::isnan(numbers[i]) ? "" : exact_text(numbers[i]));
    }
}

void warn_of_undone_moves(int n_undone) {
    if (n_undone == 0) return;
    std::cerr << "redoubt: warning: " << n_undone
              << " moved rows keep their answer because of rounding to the units of the data\n";
}

ExitCode warn_of_limits(std::size_t n_unsettled, std::size_t n_points) {
    if (n_unsettled == 0) return kProven;
    std::cerr << "redoubt: warning: " << n_unsettled << " of " << n_points
              << " points were not settled; their bounds are wide but true\n";
    return kStoppedEarly;
}

}  // namespace redoubt::app
