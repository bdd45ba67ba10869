#include <string>

#include "core/check.hpp"
#include "core/enum_names.hpp"
#include "redoubt/attack.hpp"

namespace redoubt {

namespace {

constexpr EnumName<Adversary> kAdversaryNames[] = {{Adversary::Exact, "exact"},
                                                   {Adversary::Relaxed, "relaxed"},
                                                   {Adversary::Heuristic, "heuristic"}};

constexpr EnumName<HeuristicRule> kHeuristicRuleNames[] = {{HeuristicRule::Corrected, "corrected"},
                                                           {HeuristicRule::Published, "published"}};

}  // namespace

std::string_view to_string(Adversary adversary) noexcept {
    return name_of(kAdversaryNames, adversary);
}

Adversary parse_adversary(std::string_view name) {
    return value_of(kAdversaryNames, "adversary", name);
}

std::string_view to_string(HeuristicRule rule) noexcept {
    return name_of(kHeuristicRuleNames, rule);
}

HeuristicRule parse_heuristic_rule(std::string_view name) {
    return value_of(kHeuristicRuleNames, "rule", name);
}

void AttackSettings::check() const {
    limits.check();
    if (n_threads < 0)
        throw InvalidInput("n_threads", "an integer >= 0", std::to_string(n_threads));
}

}  // namespace redoubt
