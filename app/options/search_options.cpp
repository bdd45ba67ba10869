#include "options/search_options.hpp"

#include <CLI/App.hpp>
#include <limits>

#include "options/validators.hpp"

namespace redoubt::app {

void SearchOptions::add_to(CLI::App& command) {
    const char* const group = "Search";
    command
        .add_option("--norm", norm, "The adversary's norm: l1, l2, linf or l0, which counts changed features (default: "
                    "the model's)")
        ->check(one_of({"l1", "l2", "linf", "l0"}))
        ->group(group);
    attack_model.add_to(command,
                        "Rules for the adversary: a file, or none for a plain ball (default: "
                        "the model's own)");
    search_only_ = {
        command
            .add_option("--solver", solver,
                        "native, or a slow second opinion: mip (needs HiGHS) or enumerate (at most "
                        "16 planes)")
            ->check(one_of({"native", "mip", "enumerate"}))
            ->capture_default_str()
            ->group(group),
        command
            .add_option("--time-limit", limits.max_seconds,
                        "Seconds for all points together (default: no limit)")
            ->check(nonnegative_number())
            ->group(group),
        command
            .add_option("--point-time-limit", limits.max_seconds_per_point,
                        "Seconds for one point (default: no limit)")
            ->check(nonnegative_number())
            ->group(group),
        command
            .add_option("--node-limit", limits.max_nodes_per_point,
                        "Search nodes for one point (default: no limit)")
            ->check(nonnegative_integer(std::numeric_limits<std::int64_t>::max()))
            ->group(group)};
    command.add_option("--threads", n_threads, "Number of threads; 0 means all cores")
        ->check(nonnegative_integer())
        ->capture_default_str();
}

AttackChoice SearchOptions::rules_for(const Model& model) const {
    AttackChoice rules = attack_model.load_for(model);
    if (norm.empty()) return rules;
    const bool has_own = attack_model.leaves_own() && model.attack_model();
    if (attack_model.is_file() || has_own) rules.model.check_norm("--norm", parse_norm(norm));
    const Norm given = parse_norm(norm);
    // Changes are counted whatever the scales of their features.
    if (given == Norm::L0 && !rules.model.counts()) {
        for (double& scale : rules.model.scale) scale = scale > 0.0 ? 1.0 : 0.0;
    }
    rules.model.norm = given;
    return rules;
}

std::string SearchOptions::first_given() const {
    for (const CLI::Option* option : search_only_) {
        if (option->count() > 0) return option->get_name();
    }
    return {};
}

}  // namespace redoubt::app
