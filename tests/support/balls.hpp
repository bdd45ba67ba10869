#pragma once

/// The plain threats, for tests that do not ask for rules.

#include "flip/threat_planes.hpp"
#include "redoubt/attack_model.hpp"

namespace redoubt::testing {

/// Lives as long as the program: problems may refer to it.
inline const AttackModel& ball(Norm norm) {
    static const AttackModel balls[] = {AttackModel::ball(Norm::L1), AttackModel::ball(Norm::L2),
                                        AttackModel::ball(Norm::LInf)};
    return norm == Norm::L1 ? balls[0] : norm == Norm::L2 ? balls[1] : balls[2];
}

/// A vote prepared for a threat, with all that it refers to.
struct PreparedVote {
    PreparedVote(const Ensemble& ensemble, const AttackModel& threat)
        : space(threat, ensemble.n_features()), planes(ensemble, space) {}

    MoveSpace space;
    ThreatPlanes planes;
};

/// The margins of a point of a ball.
inline PointMargins ball_margins(const ThreatPlanes& vote, const VectorRef& x, int label) {
    PointMargins margins;
    margins.resize(label, vote.planes.n_planes());
    for (Index i = 0; i < vote.planes.n_planes(); ++i) {
        const auto w = vote.ensemble.coef().row(vote.planes.index(i)).transpose();
        const double b = vote.ensemble.intercept()[vote.planes.index(i)];
        const double magnitude = w.cwiseAbs().dot(x.cwiseAbs()) + std::abs(b);
        margins.set(vote.planes, i, label * (w.dot(x) + b),
                    margin_error(vote.n_roundings(), magnitude), 1.0);
    }
    margins.even_out(vote.planes, 1.0);
    return margins;
}

}  // namespace redoubt::testing
