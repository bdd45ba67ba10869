#include "io/json_document.hpp"

#include "core/checksum.hpp"
#include "core/text_tools.hpp"

namespace redoubt::io {

Json list_of(const VectorRef& values) {
    Json list = Json::array();
    for (Index i = 0; i < values.size(); ++i) list.push_back(values[i]);
    return list;
}

std::vector<Hyperplane> read_plane_list(const JsonField& field, Index n) {
    std::vector<Hyperplane> planes;
    planes.reserve(field.n_entries());
    for (std::size_t i = 0; i < field.n_entries(); ++i) {
        const JsonField plane = field.entry(i);
        plane.expect_fields({"w", "b"});
        planes.push_back({plane.at("w").numbers(n), plane.at("b").number()});
    }
    return planes;
}

std::string limited_text(const Json& fields, const char* what, std::size_t max_bytes) {
    std::string text = json_text(fields);
    if (text.size() <= max_bytes) return text;
    throw InvalidInput(what, "a text of at most " + std::to_string(max_bytes) + " bytes",
                       std::to_string(text.size()));
}

std::string checksum_text(std::uint32_t sum) {
    static constexpr std::string_view kHex = "0123456789abcdef";
    std::string text = "crc32:";
    for (int shift = 28; shift >= 0; shift -= 4) text += kHex[(sum >> shift) & 15];
    return text;
}

std::string checksum_of(const Json& fields) {
    return checksum_text(crc32(json_text(fields)));
}

void check_checksum(Json& fields, const std::string& origin) {
    Json found = Json::object();
    if (fields.contains("checksum")) found["checksum"] = fields["checksum"];
    const JsonField field = JsonField(found, origin).at("checksum");
    fields.erase("checksum");
    const std::string wanted = checksum_of(fields);
    if (field.is_text() && field.text() == wanted) return;
    field.fail(quote_text(wanted) + " for what the other fields hold");
}

void check_format(const JsonField& root, std::string_view format, int most, std::string_view noun) {
    const JsonField name = root.at("format");
    if (!name.is_text() || name.text() != format) name.fail(quote_text(format));
    const JsonField version = root.at("format_version");
    const std::uint64_t number = version.count(kMaxJsonCount);
    if (number > static_cast<std::uint64_t>(most)) {
        const JsonField library = root.at("library_version");
        const std::string writer = library.is_text() ? " " + library.text() : "";
        version.fail("at most " + std::to_string(most),
                     std::to_string(number) + ": the " + std::string(noun) +
                         " was written by a newer redoubt" + writer);
    }
    if (number < 1) version.fail("at least 1");
}

}  // namespace redoubt::io
