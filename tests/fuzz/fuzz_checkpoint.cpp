#include <string>

#include "fuzz/json_files.hpp"
#include "io/json_document.hpp"
#include "redoubt/checkpoint.hpp"
#include "redoubt/error.hpp"

/// Checkpoints: whatever the bytes, a checkpoint or ParseError; and it says what its file says.

namespace redoubt::fuzz {
namespace {

/// The same fields with a checksum that fits, or else it would hide all other checks; empty text if
/// there are none.
std::string with_checksum(std::string_view text) {
    io::Json fields;
    const bool read = accepts<ParseError>([&] { fields = io::parse_json(text, "<text>"); });
    if (!read || !fields.is_object()) return {};
    fields.erase("checksum");
    fields["checksum"] = io::checksum_of(fields);
    return io::json_text(fields);
}

void check_checkpoint(std::string_view text) {
    Checkpoint checkpoint;
    {
        const MemoryWatch watch(json_memory(text.size()));
        accepts<ParseError>([&] { checkpoint = checkpoint_from_json(text); });
    }
    const std::string mended = with_checksum(text);
    if (!accepts<ParseError>([&] { checkpoint = checkpoint_from_json(mended); })) return;
    const std::string written = checkpoint_to_json(checkpoint);
    require(say_the_same(written, mended), "a checkpoint says what its file says");
    require(checkpoint_to_json(checkpoint_from_json(written)) == written,
            "a checkpoint comes back the same");
}

}  // namespace
}  // namespace redoubt::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    redoubt::fuzz::check_checkpoint(redoubt::fuzz::as_text(data, size));
    return 0;
}
