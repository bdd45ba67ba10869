#include "flip/threat_planes.hpp"

#include "flip/flip.hpp"

namespace redoubt {

std::vector<int> ThreatPlanes::fooled(const VectorRef& x, int label) const {
    if (rules.is_minus_at_zero.empty()) return fooled_planes(ensemble, x, label);
    // The ensemble answers +1 at zero, so only its +1 of planes that answer -1 there may be wrong.
    std::vector<int> fooled;
    const Eigen::VectorXi answers = ensemble.answers(x);
    for (Index i = 0; i < answers.size(); ++i) {
        const auto plane = static_cast<int>(i);
        const bool is_sure = answers[i] < 0 || rules.answer_at_zero(plane) > 0;
        if ((is_sure ? answers[i] : answer(plane, x)) != label) fooled.push_back(plane);
    }
    return fooled;
}

Amounts ThreatPlanes::weight_of(const std::vector<int>& fooled) const {
    Amounts sum;
    sum.reset(planes.n_counts());
    for (int i : fooled) {
        for (std::size_t r = 0; r < sum.size(); ++r) sum[r] += weight(i, r);
    }
    return sum;
}

}  // namespace redoubt
