#include "search_options.hpp"

#include <limits>

#include "validators.hpp"

namespace redoubt::app {

void SearchOptions::add_to(CLI::App& command) {
    command
        .add_option("--norm", norm, "The adversary's norm: l1, l2 or linf (default: the model's)")
        ->check(one_of({"l1", "l2", "linf"}));
    solver_option =
        command
            .add_option("--solver", solver,
                        "native, or a slow second opinion: mip (needs HiGHS) or enumerate (at most "
                        "16 planes)")
            ->check(one_of({"native", "mip", "enumerate"}))
            ->capture_default_str();
    time_option =
        command
            .add_option("--time-limit", seconds_per_point, "Seconds for one point (default: none)")
            ->check(nonnegative_number());
    node_option = command
                      .add_option("--node-limit", nodes_per_point,
                                  "Nodes of the search for one point (default: none)")
                      ->check(nonnegative_integer(std::numeric_limits<std::int64_t>::max()));
    command.add_option("--threads", n_threads, "Threads; 0 is every core")
        ->check(nonnegative_integer())
        ->capture_default_str();
}

Norm SearchOptions::norm_for(const Model& model) const {
    return norm.empty() ? model.training().norm : parse_norm(norm);
}

SearchLimits SearchOptions::limits() const {
    SearchLimits limits;
    if (time_option->count() > 0) limits.max_seconds_per_point = seconds_per_point;
    if (node_option->count() > 0) limits.max_nodes_per_point = nodes_per_point;
    return limits;
}

std::string SearchOptions::first_given() const {
    for (const CLI::Option* option : {solver_option, time_option, node_option}) {
        if (option->count() > 0) return option->get_name();
    }
    return {};
}

}  // namespace redoubt::app
