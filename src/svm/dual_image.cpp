#include "svm/dual_image.hpp"

#include <algorithm>
#include <cmath>

#include "svm/round_image.hpp"
#include "svm/threshold_image.hpp"

namespace redoubt {

DualImage::DualImage(const HingeProblem& problem) : problem_(problem) {}

std::unique_ptr<DualImage> DualImage::make(const HingeProblem& problem) {
    if (!problem.is_robust() || problem.threat.norm == Norm::L2)
        return std::make_unique<RoundImage>(problem);
    return std::make_unique<ThresholdImage>(problem);
}

void DualImage::reset(const Vector& alpha, double mu, const Vector& centre) {
    add_up(alpha, mu, centre);
    refresh();
}

void DualImage::add_up(const Vector& alpha, double mu, const Vector& centre) {
    mu_ = mu;
    v_ = mu * centre;
    balance_ = 0.0;
    R_ = 0.0;
    for (Index j = 0; j < problem_.m; ++j) {
        if (alpha[j] == 0.0) continue;
        const double signed_alpha = alpha[j] * problem_.y[j];
        problem_.rows.add(j, signed_alpha, v_.data());
        balance_ += signed_alpha;
        R_ += alpha[j] * radius(j);
    }
}

}  // namespace redoubt
