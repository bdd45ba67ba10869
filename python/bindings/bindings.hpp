#pragma once

/// What the sources of the extension share: each public header has one function that adds its
/// names to the module.

#include <nanobind/nanobind.h>

namespace redoubt::python {

void bind_certificate(nanobind::module_& module);
void bind_data(nanobind::module_& module);
void bind_ensemble(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_svm(nanobind::module_& module);
void bind_training(nanobind::module_& module);

}  // namespace redoubt::python
