#pragma once

#include "svm/dual_image.hpp"

namespace redoubt {

/// No adversary, or an l2 ball: w is a multiple of v, max(0, 1 - R / ||v||) / mu, so that a step
/// costs one product with a row and one addition of it; centring costs a few numbers per point.
class RoundImage : public DualImage {
public:
    explicit RoundImage(const HingeProblem& problem);

    void refresh() override;
    Slope look(Index j) override;
    Slope look_ahead(double step) override;
    void move(double step) override;
    bool is_curved() const override { return problem_.is_robust(); }
    Vector w() const override;

private:
    Vector product_;         ///< x_j'mean
    Vector square_;          ///< ||z_j||^2
    double mean_square_;     ///< ||mean||^2
    double v_mean_ = 0.0;    ///< v_'mean
    double v_square_ = 0.0;  ///< ||v||^2, centred
    Index j_ = 0;
    double v_z_ = 0.0;  ///< v'z_j
};

}  // namespace redoubt
