#include "options/method_options.hpp"

#include <CLI/App.hpp>
#include <algorithm>

#include "options/validators.hpp"
#include "output/report.hpp"
#include "redoubt/error.hpp"

namespace redoubt::app {
namespace {

const std::vector<std::string> kMethods{"svm",   "ro-svm", "svm-ens", "ens-e",
                                        "ens-r", "ens-h",  "ens-c"};
constexpr double kDefaultRadius = 0.1;

bool contains(const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// "--method a, b or c".
std::string method_choice(const std::vector<std::string>& methods) {
    std::string text = "--method ";
    for (std::size_t i = 0; i < methods.size(); ++i) {
        text += (i == 0 ? "" : i + 1 < methods.size() ? ", " : " or ") + methods[i];
    }
    return text;
}

}  // namespace

const std::vector<std::string>& vote_methods() {
    static const std::vector<std::string> methods{"svm-ens", "ens-e", "ens-r", "ens-h", "ens-c"};
    return methods;
}

const std::vector<std::string>& radius_methods() {
    static const std::vector<std::string> methods{"ro-svm", "ens-e", "ens-r", "ens-h", "ens-c"};
    return methods;
}

void MethodOptions::add_to(CLI::App& command) {
    const char* const group = "Method";
    command
        .add_option("--method", method,
                    "One plane: svm, ro-svm (robust). A vote: svm-ens (bagging), ens-e, ens-r, "
                    "ens-h (robust; exact, relaxed, heuristic adversary), ens-c (collaborative)")
        ->check(one_of(kMethods))
        ->capture_default_str()
        ->group(group);
    norm_option_ = command
                       .add_option("--norm", norm,
                                   "The adversary's norm: l1, l2, linf or l0, which counts "
                                   "changed features")
                       ->check(one_of({"l1", "l2", "linf", "l0"}))
                       ->capture_default_str()
                       ->group(group);
    restrict(
        command.add_option("--C", C, "Penalty of the hinges: svm, svm-ens, ens-e, ens-r, ens-h")
            ->check(positive_number())
            ->capture_default_str()
            ->group(group),
        {"svm", "svm-ens", "ens-e", "ens-r", "ens-h"});
    restrict(command
                 .add_option("--epochs", n_epochs,
                             "Passes over the data: ens-c (default: 20, but at least 1,000 steps "
                             "of 32 points and at most 50,000)")
                 ->check(positive_integer())
                 ->group(group),
             {"ens-c"});
    restrict(command.add_option("--rule", rule, "Step of ens-h: corrected, or published")
                 ->check(one_of({"corrected", "published"}))
                 ->capture_default_str()
                 ->group(group),
             {"ens-h"});
    command
        .add_option("--class-weight", class_weight,
                    "balanced: give both classes the same total weight")
        ->check(one_of({"balanced", "none"}))
        ->capture_default_str()
        ->group(group);
    command.add_option("--threads", n_threads, "Number of threads; 0 means all cores")
        ->check(nonnegative_integer())
        ->capture_default_str();
}

void MethodOptions::restrict(const CLI::Option* option, std::vector<std::string> methods) {
    restrictions_.push_back({option, std::move(methods)});
}

void MethodOptions::settle_norm(AttackModel& attack_model, bool is_given, Index n_features) {
    if (norm_option_ != nullptr && norm_option_->count() > 0) {
        if (is_given) attack_model.check_norm("--norm", parse_norm(norm));
        attack_model.norm = parse_norm(norm);
        // Changes are counted whatever the scales of their features.
        if (attack_model.counts() && !is_given) {
            for (double& scale : attack_model.scale) scale = scale > 0.0 ? 1.0 : 0.0;
            attack_model.check(n_features);
        }
    } else {
        norm = to_string(attack_model.norm);
    }
}

void MethodOptions::check() const {
    for (const auto& [option, methods] : restrictions_) {
        if (option->count() == 0 || contains(methods, method)) continue;
        throw InvalidInput(option->get_name(), "applies to " + method_choice(methods) +
                                                   " only, not to --method " + method);
    }
    if (quota && *quota > n_planes) {
        throw InvalidInput("--quota", "at most the number of planes, " + std::to_string(n_planes),
                           std::to_string(*quota));
    }
    if (method == "ens-c" && given_radius && !(*given_radius > 0.0)) {
        throw InvalidInput("--radius", "a number > 0 with --method ens-c",
                           exact_text(*given_radius));
    }
}

double MethodOptions::radius() const {
    return given_radius.value_or(kDefaultRadius);
}

bool MethodOptions::has_radius() const {
    return contains(radius_methods(), method);
}

bool MethodOptions::has_auto_radius() const {
    return has_radius() && !given_radius && (wants_auto_radius || method == "ens-c");
}

bool MethodOptions::is_robust_ensemble() const {
    return method == "ens-e" || method == "ens-r" || method == "ens-h";
}

std::string MethodOptions::describe(bool has_own_radii) const {
    std::string text = method;
    if (is_vote()) text += ", " + std::to_string(n_planes) + (n_planes == 1 ? " plane" : " planes");
    if (quota) text += ", quota " + std::to_string(*quota);
    if (n_epochs) text += ", " + std::to_string(*n_epochs) + " epochs";
    if (has_radius()) {
        text += ", " + norm + (method == "ens-c" ? " target radius " : " radius ") +
                (has_own_radii ? "of each point" : shown_text(radius()));
    }
    if (method == "svm" || method == "svm-ens") text += ", C " + exact_text(C);
    if (class_weight != "none") text += ", classes " + class_weight;
    return text;
}

}  // namespace redoubt::app
