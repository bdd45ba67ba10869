#include "support/random_votes.hpp"

#include <cmath>
#include <random>

namespace redoubt::testing {

const std::vector<VoteKind>& all_vote_kinds() {
    static const std::vector<VoteKind> kinds{
        VoteKind::Random, VoteKind::Bagged,         VoteKind::Dependent,
        VoteKind::Grid,   VoteKind::ZeroPlanes,     VoteKind::OnPlanes,
        VoteKind::Scaled, VoteKind::NearlyParallel, VoteKind::Stumps};
    return kinds;
}

std::string to_string(VoteKind kind) {
    switch (kind) {
        case VoteKind::Random:
            return "Random";
        case VoteKind::Bagged:
            return "Bagged";
        case VoteKind::Dependent:
            return "Dependent";
        case VoteKind::Grid:
            return "Grid";
        case VoteKind::ZeroPlanes:
            return "ZeroPlanes";
        case VoteKind::OnPlanes:
            return "OnPlanes";
        case VoteKind::Scaled:
            return "Scaled";
        case VoteKind::NearlyParallel:
            return "NearlyParallel";
        case VoteKind::Stumps:
            return "Stumps";
    }
    return "unknown";
}

RandomVote make_random_vote(VoteKind kind, Index k, Index n, std::uint64_t seed) {
    std::mt19937_64 random(seed * 7919 + static_cast<std::uint64_t>(kind) * 104729 +
                           static_cast<std::uint64_t>(k));
    std::normal_distribution<double> normal;
    const auto draw = [&] {
        return kind == VoteKind::Grid ? std::round(1.5 * normal(random)) : normal(random);
    };
    Matrix W(k, n);
    Vector b(k);
    Vector x(n);
    Vector common(n);
    for (double& value : x) value = draw();
    for (double& value : common) value = normal(random);
    for (Index i = 0; i < k; ++i) {
        for (Index l = 0; l < n; ++l) W(i, l) = draw();
        b[i] = draw();
        const bool is_bundle = kind == VoteKind::Bagged || kind == VoteKind::NearlyParallel;
        if (is_bundle) {
            const double noise = kind == VoteKind::Bagged ? 0.5 : 1e-7;
            W.row(i) = common.transpose() + noise * W.row(i);
            b[i] = 0.3 * b[i];
        }
        if (kind == VoteKind::Dependent && i >= 2) {
            const double factor = (i % 3 == 0) ? 1.0 : (i % 3 == 1) ? -1.0 : 2.5;
            W.row(i) = factor * W.row(i % 2);
            b[i] = factor * b[i % 2] + ((seed % 2 == 0) ? 0.0 : 0.1 * b[i]);
        }
        if (kind == VoteKind::ZeroPlanes && i % 3 == 1) W.row(i).setZero();
        if (kind == VoteKind::OnPlanes && i % 2 == 0) b[i] = -W.row(i).dot(x);
        if (kind == VoteKind::Stumps) {
            const double slope = W(i, 0) < 0.0 ? -1.0 : 1.0;
            const auto feature = static_cast<Index>(random() % static_cast<std::uint64_t>(n));
            W.row(i).setZero();
            W(i, feature) = slope;
        }
        if (kind == VoteKind::Scaled) {
            const double factor = std::pow(
                10.0,
                8.0 * std::sin(static_cast<double>(seed + 3 * static_cast<std::uint64_t>(i))));
            W.row(i) *= factor;
            b[i] *= factor;
        }
    }
    return {Ensemble(W, b), x};
}

Vector make_random_weights(Index k, std::uint64_t seed) {
    std::mt19937_64 random(seed * 6151 + static_cast<std::uint64_t>(k));
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    Vector weights(k);
    for (double& weight : weights) {
        const double draw = uniform(random);
        switch (seed % 5) {
            case 0:
            case 2:
                weight = 0.1 + 2.0 * draw;
                break;
            case 1:
                weight = 1.0 + std::floor(3.0 * draw);
                break;
            case 3:
                weight = 0.3;
                break;
            default:
                weight = std::pow(10.0, 6.0 * draw - 3.0);
        }
    }
    if (seed % 5 == 2) weights[static_cast<Index>(seed / 5) % k] = 1.01 * weights.sum();
    return weights;
}

RandomVote make_weighted_vote(VoteKind kind, Index k, Index n, std::uint64_t seed) {
    const RandomVote vote = make_random_vote(kind, k, n, seed);
    return {Ensemble(vote.ensemble.coef(), vote.ensemble.intercept(), make_random_weights(k, seed)),
            vote.x};
}

}  // namespace redoubt::testing
