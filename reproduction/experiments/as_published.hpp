#pragma once

/// The paper's Algorithm 1 as the published experiments ran it.

#include <atomic>
#include <string>
#include <vector>

#include "experiments/published_choices.hpp"
#include "redoubt/attack.hpp"
#include "redoubt/svm.hpp"

namespace redoubt::reproduction {

/// What is trained: Ens-E, Ens-R or Ens-H with k planes against one radius for all points.
struct PublishedEnsemble {
    std::string dataset{};  ///< its published training part is what it is trained on
    Norm norm = Norm::L2;
    Adversary adversary = Adversary::Exact;
    double radius = 0.0;
    Index n_planes = 15;
    PublishedChoices choices{};
    const std::atomic<bool>* stop = nullptr;
};

/// RO-SVM, and plane 1 of the others.
Hyperplane train_published_plane(const SvmData& data, const PublishedEnsemble& job);

/// The planes in order, the robust SVM first; fewer than k if it was stopped.
std::vector<Hyperplane> train_as_published(const SvmData& data, const PublishedEnsemble& job);

/// An SVM of C = 1 as the choices have it.
Hyperplane train_published_svm(const SvmData& data, const PublishedChoices& choices);

}  // namespace redoubt::reproduction
