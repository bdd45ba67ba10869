#pragma once

#include "svm/dual_image.hpp"

namespace redoubt {

/// An l1 or linf ball, whose nearest point is found with a level that is the same for all features:
///
///     linf:  mu w = sign(v) (|v| - R)_+        level R,      mu ||w||_1   = sum (|v| - R)_+
///     l1:    mu w = v clipped to [-L, L]       sum (|v| - L)_+ = R,   mu ||w||_inf = L
///
/// Every step moves the level, and with it all of w. Dense rows look at all features anyway.
/// Compressed rows look at their own; the sums over the others are carried along, to first order in
/// the level, and computed anew after some steps. Compressed rows are not centred.
class ThresholdImage : public DualImage {
public:
    explicit ThresholdImage(const HingeProblem& problem);

    void reset(const Vector& alpha, double mu, const Vector& centre) override;
    void refresh() override;
    Slope look(Index j) override;
    Slope look_ahead(double step) override;
    void move(double step) override;
    bool is_curved() const override { return true; }
    Vector w() const override;
    double bias_shift() const override;

private:
    /// What belongs to one v and one level: sums over the loaded row's features, and over all.
    struct State {
        kernels::ThresholdSums own;
        double level = 0.0;
        double excess = 0.0;
        double count = 0.0;
    };
    State state_at(double step, double level) const;
    State find_level(double step) const;
    Slope slope(const State& state) const;

    bool is_l1_;
    bool is_sparse_;
    Vector square_;  ///< ||z_j||^2
    Index j_ = 0;
    State now_;    ///< at the present v
    State ahead_;  ///< after the step of the last look_ahead
    double level_ = 0.0;
    double excess_ = 0.0;
    double count_ = 0.0;
    double entries_moved_ = 0.0;  ///< since the last refresh
    double fresh_level_ = 0.0;    ///< the level then
};

}  // namespace redoubt
