#pragma once

/// --method and what belongs to it: the options that training and tuning share.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "redoubt/attack_model.hpp"
#include "redoubt/types.hpp"
#include "shell/cli_forward.hpp"

namespace redoubt::app {

struct MethodOptions {
    std::string method = "ro-svm";
    std::string norm = "l2";
    std::optional<double> given_radius{};
    bool wants_auto_radius = false;
    double C = 1.0;
    double regularization = 0.0;
    std::optional<double> least_weight{};
    std::optional<double> greatest_weight{};
    Index n_planes = 15;
    std::optional<Index> quota{};  ///< of votes of two classes
    std::optional<Index> n_epochs{};
    std::optional<double> power{};  ///< for Ens-C; not an option
    std::uint64_t seed = 0;
    std::string rule = "corrected";
    std::string class_weight = "none";
    int n_threads = 0;

    /// All except the radius and the number of planes, of which commands take one or several.
    void add_to(CLI::App& command);

    /// Makes `check` refuse the option for other methods.
    void restrict(const CLI::Option* option, std::vector<std::string> methods);

    /// Throws InvalidInput for options that have no effect on the chosen method.
    void check() const;

    /// Reconciles --norm with the norm of the attack model: --norm wins, unless the attack model
    /// was given and has another norm (InvalidInput).
    void settle_norm(AttackModel& attack_model, bool is_given, Index n_features);

    /// The given radius, or else the method's default; not for a radius that the data choose.
    double radius() const;
    bool has_radius() const;
    /// True if the data choose the radius.
    bool has_auto_radius() const;
    bool is_vote() const { return method != "svm" && method != "ro-svm"; }
    bool is_robust_ensemble() const;

    /// "ens-e, 15 planes, l2 radius 0.5, ..". The radius is left out if each point has its own.
    std::string describe(bool has_own_radii) const;

private:
    struct Restriction {
        const CLI::Option* option;
        std::vector<std::string> methods;
    };
    std::vector<Restriction> restrictions_;
    const CLI::Option* norm_option_ = nullptr;
};

/// The methods that train several planes, and those with an adversary.
const std::vector<std::string>& vote_methods();
const std::vector<std::string>& radius_methods();

}  // namespace redoubt::app
