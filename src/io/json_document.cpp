#include "io/json_document.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/checksum.hpp"
#include "core/text_tools.hpp"

namespace redoubt::io {

Json list_of(const VectorRef& values) {
    Json list = Json::array();
    for (Index i = 0; i < values.size(); ++i) list.push_back(values[i]);
    return list;
}

namespace {

/// Planes of more features list those with a weight, if these are at most this share of all.
constexpr Index kMostListedWhole = 200;
constexpr double kLargestListedShare = 0.5;
/// At least one in so many is listed, with a weight or not: a plane must not take more than about
/// 30 times the memory of its text.
constexpr Index kFeaturesPerEntry = 16;

bool has_weight(double w) {
    return w != 0.0 || std::signbit(w);
}

/// The weights of the features that are listed.
Vector read_listed(const JsonField& plane, Index n) {
    const JsonField features = plane.at("features");
    const std::size_t count = features.n_entries();
    if (static_cast<Index>(count) * kFeaturesPerEntry < n)
        features.fail("a list of at least " +
                      std::to_string((n + kFeaturesPerEntry - 1) / kFeaturesPerEntry) +
                      " features");
    const Vector listed = plane.at("w").numbers(static_cast<Index>(count));
    Vector w = Vector::Zero(n);
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const JsonField entry = features.entry(i);
        const std::uint64_t feature = entry.count(static_cast<std::uint64_t>(n));
        if (feature <= last) entry.fail("a feature above " + std::to_string(last));
        last = feature;
        w[static_cast<Index>(feature) - 1] = listed[static_cast<Index>(i)];
    }
    return w;
}

}  // namespace

bool is_written_sparse(const VectorRef& w) {
    if (w.size() <= kMostListedWhole) return false;
    const auto count = std::count_if(w.begin(), w.end(), has_weight);
    return static_cast<double>(count) <= kLargestListedShare * static_cast<double>(w.size());
}

Json plane_fields(const VectorRef& w, double b) {
    if (!is_written_sparse(w)) return {{"w", list_of(w)}, {"b", b}};
    auto n_zeros = (w.size() + kFeaturesPerEntry - 1) / kFeaturesPerEntry -
                   std::count_if(w.begin(), w.end(), has_weight);
    std::vector<Index> features;
    std::vector<double> weights;
    for (Index l = 0; l < w.size(); ++l) {
        if (!has_weight(w[l]) && n_zeros-- <= 0) continue;
        features.push_back(l + 1);
        weights.push_back(w[l]);
    }
    return {{"features", features}, {"w", weights}, {"b", b}};
}

std::vector<Hyperplane> read_plane_list(const JsonField& field, Index n) {
    std::vector<Hyperplane> planes;
    planes.reserve(field.n_entries());
    for (std::size_t i = 0; i < field.n_entries(); ++i) {
        const JsonField plane = field.entry(i);
        plane.expect_fields({"features", "w", "b"});
        const bool is_whole = plane.at("features").is_missing();
        planes.push_back(
            {is_whole ? plane.at("w").numbers(n) : read_listed(plane, n), plane.at("b").number()});
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
