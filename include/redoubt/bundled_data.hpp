#pragma once

/// The data sets inside the library; no files are looked for at run time.
///
///     gaussian      200 x  5   two clouds around (1,..,1) and (-1,..,-1)
///     bcw           699 x  9   Breast Cancer Wisconsin; +1 = malignant
///     digits3      1797 x 64   8 x 8 handwritten digits; +1 = the digit 3, -1 = any other
///     digits7      1797 x 64   the same with the digit 7
///     breastcancer  683 x  9   Breast Cancer Wisconsin without incomplete rows; +1 = malignant
///     diabetes      768 x  8   Pima diabetes; +1 = healthy
///     heart         270 x 20   Statlog heart, one-hot; +1 = disease
///
/// The first four come with the train/test split and the bootstrap bags behind the published
/// tables. data/README.md in the source tree states the origin of each.

#include "redoubt/dataset.hpp"

#include <string_view>
#include <vector>

namespace redoubt {

/// The names above, in that order.
std::vector<std::string_view> bundled_names();

/// Throws InvalidInput listing the known names if `name` is not one of them.
Dataset load_bundled(std::string_view name);

/// The published split, in the published order (which the bags depend on). Throws InvalidInput as
/// above, and if the set has none.
Split published_split(std::string_view name);

/// 75 x n_train: row t says how often each training row, in split order, occurs in bag t of the
/// published bootstrap ensembles. A row can be used directly as sample weights. Throws as above.
Matrix published_bags(std::string_view name);

}  // namespace redoubt
