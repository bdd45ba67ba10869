#include <optional>

#include "fuzz/json_files.hpp"
#include "redoubt/error.hpp"
#include "redoubt/model_file.hpp"

/// Model files: whatever the bytes, a model or ParseError; and a model says what its file says.

namespace redoubt::fuzz {
namespace {

void check_model(std::string_view text) {
    std::optional<Model> model;
    {
        const MemoryWatch watch(json_memory(text.size()));
        if (!accepts<ParseError>([&] { model.emplace(model_from_json(text)); })) return;
    }
    const std::string written = model_to_json(*model);
    require(say_the_same(written, text), "a model says what its file says");
    require(model_to_json(model_from_json(written)) == written, "a model comes back the same");
}

}  // namespace
}  // namespace redoubt::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    redoubt::fuzz::check_model(redoubt::fuzz::as_text(data, size));
    return 0;
}
