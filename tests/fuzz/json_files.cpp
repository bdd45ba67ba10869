#include "fuzz/json_files.hpp"

#include <algorithm>

#include "io/json_text.hpp"

namespace redoubt::fuzz {

namespace {

using io::Json;

bool same(const Json& a, const Json& b);

/// The fields of `a` that are not null; a field of null may as well be missing.
bool has_fields_of(const Json& a, const Json& b) {
    for (auto field = a.begin(); field != a.end(); ++field) {
        if (field->is_null() && !b.contains(field.key())) continue;
        if (!b.contains(field.key()) || !same(*field, b.at(field.key()))) return false;
    }
    return true;
}

bool same(const Json& a, const Json& b) {
    if (a.is_object() && b.is_object()) return has_fields_of(a, b) && has_fields_of(b, a);
    if (!a.is_array() || !b.is_array()) return a == b;
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

Json fields_of(std::string_view text) {
    Json fields = io::parse_json(text, "<text>");
    fields.erase("checksum");
    // The writer takes the first version that will do, and one of many spellings of the rules.
    fields.erase("format_version");
    fields.erase("attack_model");
    return fields;
}

}  // namespace

std::size_t json_memory(std::size_t size) {
    // Messages and what the first use of something sets up do not depend on the size.
    constexpr std::size_t kAtAllTimes = std::size_t{64} << 10;
    return kAtAllTimes + io::kMaxJsonMemoryFactor * size;
}

bool say_the_same(std::string_view a, std::string_view b) {
    return same(fields_of(a), fields_of(b));
}

}  // namespace redoubt::fuzz
