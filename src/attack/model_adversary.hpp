#pragma once

/// The three adversaries within an attack model, one point at a time.

#include <cstdint>
#include <vector>

#include "attack/adversary.hpp"
#include "threat/support.hpp"
#include "certify/model_flip.hpp"
#include "redoubt/attack_model.hpp"

namespace redoubt {

/// What an ensemble and an attack model need once for all points. Everything must outlive it.
struct ModelAttack {
    ModelAttack(const Ensemble& planes, const AttackModel& attack_model)
        : ensemble(&planes),
          model(&attack_model),
          space(attack_model, planes.n_features()),
          plane_set(planes, space) {}

    const Ensemble* ensemble;
    const AttackModel* model;
    MoveSpace space;
    PlaneSet plane_set;
};

/// Keeps its memory from point to point. One per thread. The point's norm is the model's; the model
/// must allow the point, and its class must attack. Sizes of d are at most the radius up to 1e-12
/// of it.
class ModelAdversary {
public:
    explicit ModelAdversary(const ModelAttack& attack)
        : attack_(attack),
          support_(attack.space),
          flipper_(*attack.ensemble, attack.plane_set, attack.space) {}

    /// Most planes fooled, then the smallest move. As ExactAdversary.
    AdversaryAnswer exact(const PointProblem& point, const PointLimits& limits);

    /// max over all moves of  sum_i alpha_i [c_i + a_i'd]_+ :  branch and bound on the planes that
    /// count. Bounds come from the chords of the hinges between the ends that each plane can reach
    /// for itself: what is left is one value of the support function.
    AdversaryAnswer relaxed(const PointProblem& point, const PointLimits& limits);

    /// The move that goes farthest along -y g, g as in the heuristic adversary.
    AdversaryAnswer heuristic(const PointProblem& point);

private:
    struct Hinge {
        int plane;
        double weight;
        double c;   ///< with its weight, as a
        double lo;  ///< least and greatest a'd
        double hi;
    };
    struct Choice {
        std::vector<signed char> v;  ///< of each hinge; -1 = undecided
        double bound = HUGE_VAL;
    };

    Index foolable_weight(const PointProblem& point);
    void load_hinges(const PointProblem& point);
    double hinge_sum(const PointProblem& point, const Vector& d) const;
    void offer(const PointProblem& point, const Vector& d);
    void improve(const PointProblem& point, Vector d);
    int bound_choice(const PointProblem& point, Choice& choice);

    const ModelAttack& attack_;
    Support support_;
    ModelFlipper flipper_;

    // The relaxed problem of one point.
    std::vector<Hinge> hinges_;
    Vector certain_g_;
    double certain_c_ = 0.0;
    double scale_ = 0.0;  ///< sum of the sizes of all terms; roundings are measured by it
    Vector best_d_;
    double best_ = 0.0;
    std::vector<Choice> open_;
};

}  // namespace redoubt
