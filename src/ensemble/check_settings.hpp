#pragma once

#include "core/check.hpp"
#include "redoubt/svm.hpp"

namespace redoubt {

/// Checks that the ensembles of SVMs share.
template <typename Settings>
void check_svm_ensemble(const Settings& settings) {
    check_value(settings.n_planes >= 1, "n_planes", "an integer >= 1",
                static_cast<double>(settings.n_planes));
    check_value(settings.n_threads >= 0, "n_threads", "an integer >= 0", settings.n_threads);
    SvmSettings svm;
    svm.C = settings.C;
    svm.tolerance = settings.tolerance;
    svm.check();
    settings.control.check();
}

}  // namespace redoubt
