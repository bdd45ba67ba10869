#include "bindings.hpp"
#include "redoubt/error.hpp"
#include "redoubt/version.hpp"

namespace nb = nanobind;

NB_MODULE(_core, module) {
    module.doc() = "The C++ library, with its own names; arrays in, arrays out.";
    module.attr("__version__") = redoubt::kVersion;

    // Objects that other packages keep alive at exit (hypothesis keeps whole test modules) are no
    // leak of ours. A test switches the warnings on.
    nb::set_leak_warnings(false);
    module.def("set_leak_warnings", &nb::set_leak_warnings, nb::arg("value"));

    nb::exception<redoubt::InvalidInput>(module, "InvalidInput", PyExc_ValueError);
    nb::exception<redoubt::ParseError>(module, "ParseError", PyExc_ValueError);
    nb::exception<redoubt::WriteError>(module, "WriteError", PyExc_OSError);

    redoubt::python::bind_arrow(module);
    redoubt::python::bind_attack_model(module);
    redoubt::python::bind_data(module);
    redoubt::python::bind_ensemble(module);
    redoubt::python::bind_bands(module);
    redoubt::python::bind_svm(module);
    redoubt::python::bind_classes(module);
    redoubt::python::bind_certificate(module);
    redoubt::python::bind_certifier(module);
    redoubt::python::bind_training(module);
    redoubt::python::bind_model(module);
    redoubt::python::bind_explain(module);
}
