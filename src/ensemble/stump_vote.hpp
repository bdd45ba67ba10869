#pragma once

/// Ens-C with one feature per plane: stumps  sign (x_l - threshold)  that vote, trained by exact
/// coordinate descent on Ens-C's own objective.
///
/// In linf a vote of stumps is simple as long as all stumps on one feature point in the same
/// direction: fooling one never makes another harder to fool, so the radius R_j of a point is the
/// `need`-th smallest of its margins  y_j sign_i (x_jl - threshold_i).  With all stumps but one
/// held fixed, it is that one's margin, clipped between two neighbours; so the best single stump,
/// over all features, signs and thresholds, is found by trying them all.

#include "redoubt/collaborative.hpp"

namespace redoubt {

/// `settings.n_bags` votes of `settings.n_planes` stumps each, every one on its own bootstrap
/// sample (on the points themselves if there is one bag), joined into one vote. `settings.n_epochs`
/// limits the sweeps over the stumps. The settings must have been checked.
CollaborativeResult train_stump_vote(const SvmData& data, const VectorRef& radii,
                                     const CollaborativeSettings& settings);

}  // namespace redoubt
