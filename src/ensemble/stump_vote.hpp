#pragma once

/// Ens-C with one feature per plane: stumps  sign (x_l - threshold)  that vote, trained by exact
/// coordinate descent on Ens-C's own objective.
///
/// Under linf a vote of stumps is simple as long as the stumps on one feature look the same way: no
/// two of them hinder each other, so the radius R_j of a point is the `need`-th smallest of its
/// margins  y_j sign_i (x_jl - threshold_i).  With all stumps but one held still it is that one's
/// margin, clipped between two neighbours; so the best stump of all, over features, signs and
/// thresholds, is found by trying them all.

#include "redoubt/collaborative.hpp"

namespace redoubt {

/// `settings.n_bags` votes of `settings.n_planes` stumps each, every one on its own bootstrap
/// sample (on the points themselves if there is one bag), in one large vote. `settings.n_epochs`
/// bounds the sweeps over the stumps. What is checked there is not checked here.
CollaborativeResult train_stump_vote(const SvmData& data, const VectorRef& radii,
                                     const CollaborativeSettings& settings);

}  // namespace redoubt
