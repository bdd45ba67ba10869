#pragma once

#include "svm/dual_image.hpp"

namespace redoubt {

/// No adversary, or an l2 ball: w is a multiple of v, max(0, 1 - R / ||v||) / mu, so that a step
/// costs one product with a row and one addition of it; centring costs a few numbers per point.
class RoundImage : public DualImage {
public:
    explicit RoundImage(const HingeProblem& problem);

    void reset(const Vector& alpha, double mu, const Vector& centre) override;
    void refresh() override;
    void fix_size(double mu, double size) override;
    double length() const override;
    Slope look(Index j) override;
    Slope look_ahead(double step) override;
    void move(double step) override;
    bool is_curved() const override { return problem_.is_robust() && !has_size_; }
    Vector w() const override;

private:
    Vector product_;         ///< x_j'mean
    Vector square_;          ///< ||z_j||^2
    double mean_square_;     ///< ||mean||^2
    double v_mean_ = 0.0;    ///< v_'mean
    double v_square_ = 0.0;  ///< ||v||^2, centred
    bool has_size_ = false;
    double size_ = 0.0;  ///< what `fix_size` said
    Index j_ = 0;
    double v_z_ = 0.0;  ///< v'z_j
};

}  // namespace redoubt
