#include "bindings.hpp"
#include "redoubt/error.hpp"
#include "redoubt/version.hpp"

namespace nb = nanobind;

NB_MODULE(_core, module) {
    module.doc() = "The C++ library, with its own names; arrays in, arrays out.";
    module.attr("__version__") = redoubt::kVersion;

    nb::exception<redoubt::InvalidInput>(module, "InvalidInput", PyExc_ValueError);
    nb::exception<redoubt::ParseError>(module, "ParseError", PyExc_ValueError);

    redoubt::python::bind_data(module);
    redoubt::python::bind_ensemble(module);
    redoubt::python::bind_svm(module);
    redoubt::python::bind_certificate(module);
}
