#include "fuzz/tables.hpp"

/// LIBSVM text, and what may be taken for it: the first line chooses the settings, the rest is the
/// file.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const redoubt::fuzz::OptionLine options(redoubt::fuzz::as_text(data, size));
    redoubt::ReadSettings settings = redoubt::fuzz::settings_of(options);
    if (!options.has('?')) settings.dialect.format = redoubt::FileFormat::Libsvm;
    redoubt::fuzz::check_training_file(options.text(), settings);
    return 0;
}
