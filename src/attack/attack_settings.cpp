#include <string>

#include "core/check.hpp"
#include "redoubt/attack.hpp"

namespace redoubt {

std::string_view to_string(Adversary adversary) noexcept {
    switch (adversary) {
        case Adversary::Exact:
            return "exact";
        case Adversary::Relaxed:
            return "relaxed";
        case Adversary::Heuristic:
            return "heuristic";
    }
    return "unknown";
}

Adversary parse_adversary(std::string_view name) {
    for (Adversary adversary : {Adversary::Exact, Adversary::Relaxed, Adversary::Heuristic}) {
        if (name == to_string(adversary)) return adversary;
    }
    throw InvalidInput("adversary", "'exact', 'relaxed' or 'heuristic'",
                       "'" + std::string(name) + "'");
}

std::string_view to_string(HeuristicRule rule) noexcept {
    switch (rule) {
        case HeuristicRule::Corrected:
            return "corrected";
        case HeuristicRule::Published:
            return "published";
    }
    return "unknown";
}

HeuristicRule parse_heuristic_rule(std::string_view name) {
    for (HeuristicRule rule : {HeuristicRule::Corrected, HeuristicRule::Published}) {
        if (name == to_string(rule)) return rule;
    }
    throw InvalidInput("rule", "'corrected' or 'published'", "'" + std::string(name) + "'");
}

void AttackSettings::check() const {
    limits.check();
    if (n_threads < 0)
        throw InvalidInput("n_threads", "an integer >= 0", std::to_string(n_threads));
}

}  // namespace redoubt
