#include <gtest/gtest.h>

#include <functional>

#include "io/json_text.hpp"
#include "io/random_models.hpp"
#include "redoubt/model_file.hpp"
#include "support/file_helpers.hpp"

/// Whatever the bytes, loading gives the model that was saved or throws ParseError.

namespace redoubt::test {
namespace {

using io::Json;
using Pointer = Json::json_pointer;

std::string error_of(const std::string& text) {
    return message_of<ParseError>([&] { model_from_json(text); });
}

/// Without the checksum, so that each check has to do its own work.
Json small_fields() {
    Json fields = Json::parse(model_to_json(small_model()));
    fields.erase("checksum");
    return fields;
}

TEST(TruncatedModel, IsRefusedWhereverItWasCut) {
    const std::string text = model_to_json(small_model());
    // The last byte is a line end, which does not matter.
    expect_same_model(model_from_json(text.substr(0, text.size() - 1)), small_model());
    for (std::size_t length = 0; length + 1 < text.size(); ++length) {
        const std::string message = error_of(text.substr(0, length));
        const bool blank = length == 0;
        ASSERT_NE(message.find(blank ? "<text>: the file is empty" : "cut short or damaged"),
                  std::string::npos)
            << length << ": " << message;
    }
    EXPECT_EQ(error_of(text.substr(0, text.find("\"planes\""))),
              "<text>:23: not valid JSON, so cut short or damaged: syntax error while parsing "
              "object key - unexpected end of input; expected string literal");
}

class DamagedModel : public ::testing::TestWithParam<unsigned> {};

TEST_P(DamagedModel, IsTheSameModelOrRefused) {
    Generator generator(GetParam());
    int n_refused = 0;
    for (int repeat = 0; repeat < 4000; ++repeat) {
        const Model model = repeat % 2 == 0 ? small_model() : random_model(generator);
        const std::string text = model_to_json(model);
        std::string damaged = text;
        for (std::uint64_t n = generator() % 3 + 1; n > 0; --n) {
            damaged[generator() % text.size()] ^= static_cast<char>(1U << generator() % 8);
        }
        try {
            // Some digits of a denormal number do not matter.
            expect_same_model(model_from_json(damaged), model);
        } catch (const ParseError& error) {
            EXPECT_EQ(error.path(), "<text>");
            ++n_refused;
        }
        if (HasFatalFailure()) FAIL() << damaged;
    }
    EXPECT_GT(n_refused, 3900);
}

/// With bytes that mean something to JSON, and no checksum to catch them.
TEST_P(DamagedModel, NeverCrashes) {
    Generator generator(GetParam());
    constexpr std::string_view kBytes = "{}[],:\"\\0123456789eE+-.tfn u";
    const std::string text = small_fields().dump();
    int n_read = 0;
    for (int repeat = 0; repeat < 4000; ++repeat) {
        std::string damaged = text;
        for (std::uint64_t n = generator() % 3 + 1; n > 0; --n) {
            const std::size_t place = generator() % damaged.size();
            const char byte = kBytes[generator() % kBytes.size()];
            switch (generator() % 3) {
                case 0:
                    damaged[place] = byte;
                    break;
                case 1:
                    damaged.insert(place, 1, byte);
                    break;
                default:
                    damaged.erase(place, 1 + generator() % 20);
            }
        }
        try {
            const Model model = model_from_json(damaged);
            expect_same_model(model_from_json(model_to_json(model)), model);
            ++n_read;
        } catch (const ParseError& error) {
            EXPECT_EQ(error.path(), "<text>");
        }
    }
    EXPECT_GT(n_read, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, DamagedModel, ::testing::Range(1U, 4U));

/// "planes[0].w[1]" for "/planes/0/w/1".
std::string name_of(Pointer pointer) {
    std::vector<std::string> parts;
    for (; !pointer.empty(); pointer.pop_back()) parts.insert(parts.begin(), pointer.back());
    std::string name;
    for (const std::string& part : parts) {
        const bool is_number = part.find_first_not_of("0123456789") == std::string::npos;
        name += is_number ? "[" + part + "]" : (name.empty() ? "" : ".") + part;
    }
    return name;
}

/// Every place in the tree but the root.
std::vector<Pointer> places(const Json& value) {
    std::vector<Pointer> all;
    const std::function<void(const Json&, const Pointer&)> walk = [&](const Json& node,
                                                                      const Pointer& place) {
        if (!place.empty()) all.push_back(place);
        if (!node.is_structured()) return;
        for (const auto& [name, entry] : node.items()) {
            walk(entry, node.is_array() ? place / std::stoul(name) : place / name);
        }
    };
    walk(value, Pointer());
    return all;
}

TEST(ModelFields, NoneMayBeMissing) {
    const Json fields = small_fields();
    for (const Pointer& place : places(fields)) {
        Json changed = fields;
        Json& parent = changed[place.parent_pointer()];
        const bool is_setting = name_of(place.parent_pointer()) == "training.settings";
        // Fewer planes, columns to leave out or rounds make a sound model; so do fewer settings.
        if (!parent.is_object() || is_setting || name_of(place) == "training.rows" ||
            name_of(place) == "training.ranges") {
            continue;
        }
        parent.erase(place.back());
        const std::string message = error_of(changed.dump());
        EXPECT_TRUE(message.starts_with("<text>: " + name_of(place) + ": expected ")) << message;
        EXPECT_TRUE(message.ends_with(", found nothing")) << message;
    }
}

TEST(ModelFields, NoneMayHaveAnotherType) {
    const Json fields = small_fields();
    const std::vector<Json> others{nullptr, true, "text", 1.5, Json::array({"x"}), Json{{"x", 1}}};
    int n_refused = 0;
    for (const Pointer& place : places(fields)) {
        for (const Json& other : others) {
            if (fields[place].type() == other.type()) continue;
            if (fields[place].is_number() && other.is_number()) continue;
            Json changed = fields;
            changed[place] = other;
            const std::string name = name_of(place);
            const bool may_be_null = other.is_null() || fields[place].is_null();
            const bool is_number_or_text = name.starts_with("training.settings.");
            if (is_number_or_text && (other.is_number() || other.is_string())) continue;
            const std::string message = error_of(changed.dump());
            if (message == "nothing was thrown") {
                EXPECT_TRUE(may_be_null) << name << " as " << other;
                continue;
            }
            EXPECT_TRUE(message.starts_with("<text>: " + name)) << message;
            ++n_refused;
        }
    }
    EXPECT_GT(n_refused, 200);
}

struct Change {
    const char* place;
    Json value;
    const char* message;
};

TEST(ModelFields, SayWhatIsWrong) {
    const std::vector<Change> changes{
        {"/format", "onnx", "format: expected 'redoubt model', found 'onnx'"},
        {"/format_version", 8,
         "format_version: expected at most 7, found 8: the model was written by a newer redoubt "
         "0.1.0"},
        {"/format_version", 0, "format_version: expected at least 1, found 0"},
        {"/format_version", -1,
         "format_version: expected an integer from 0 to 9007199254740992, found -1"},
        {"/extra", 1, "unknown field 'extra'"},
        {"/planes/0/c", 1, "planes[0]: unknown field 'c'"},
        {"/classes", {"a"}, "classes: expected a list of 2 texts, found a list of 1"},
        {"/classes/1", "low", "classes: expected two different classes, got 'low' and 'low'"},
        {"/feature_names/1", "x",
         "feature_names[1]: expected 'colour=blue', as in coding, found 'x'"},
        {"/feature_names",
         {"x"},
         "feature_names: expected a list of 3, as coding has features, found a list of 1"},
        {"/coding/columns/0/role", "labels",
         "coding.columns[0].role: expected 'feature', 'label' or 'ignored', found 'labels'"},
        {"/coding/columns/2/role", "label", "coding.columns: expected at most one label, got 2"},
        {"/coding/columns/3/fill", 2,
         "coding.columns[3].fill: expected an integer from 0 to 1, got 2"},
        {"/coding/columns/3/fill", -1,
         "coding.columns[3].fill: expected an integer from 0 to 1, got -1"},
        {"/coding/columns/3/fill", 0.5,
         "coding.columns[3].fill: expected an integer from 0 to 1, got 0.5"},
        {"/coding/columns/1/categories",
         {"x"},
         "coding.columns[1].categories: expected none but for a feature, got 1"},
        {"/coding/missing", "zero",
         "coding.missing: expected 'error', 'drop' or 'median', found 'zero'"},
        {"/scaler/kind", "log",
         "scaler.kind: expected 'none', 'standard', 'minmax', 'maxabs' or 'custom', found 'log'"},
        {"/scaler/offset",
         {1, 2},
         "scaler.offset: expected a list of 3 numbers, found a list of 2"},
        {"/scaler/scale/1", 0, "scaler.scale[1]: expected a number above 0, found 0"},
        {"/scaler/scale/2", -2.5, "scaler.scale[2]: expected a number above 0, found -2.5"},
        {"/planes", Json::array(),
         "planes: expected a list of at least 1 plane, found a list of 0"},
        {"/planes/1/w",
         {1, 2, 3, 4},
         "planes[1].w: expected a list of 3 numbers, found a list of 4"},
        {"/planes/1/w/2", "1", "planes[1].w[2]: expected a number, found '1'"},
        {"/training/norm", "l3", "training.norm: expected 'l1', 'l2', 'linf' or 'l0', found 'l3'"},
        {"/training/n_points", 1e300,
         "training.n_points: expected an integer from 0 to 9007199254740992, found 1e+300"},
        {"/training/radii/least", -1,
         "training.radii.least: expected a finite number >= 0, got -1"},
        {"/training/radii/greatest", 0,
         "training.radii.greatest: expected a finite number >= 0.25, got 0"},
        {"/training/radii/mean", 1,
         "training.radii.mean: expected a number from 0.25 to 0.25, got 1"},
        {"/training/seed", 1.5,
         "training.seed: expected an integer from 0 to 18446744073709551615, found 1.5"},
        {"/training/rounds/columns/1", "round",
         "training.rounds.columns[1]: expected different names, got 'round' again"},
        {"/training/rounds/rows/1",
         {1},
         "training.rounds.rows[1]: expected length 2, got length 1"},
        {"/training/rows/hashes", "",
         "training.rows.hashes: expected a text of hexadecimal numbers of 16 digits, found ''"},
        {"/training/rows/hashes", "00000000000000ff8",
         "training.rows.hashes: expected a text of hexadecimal numbers of 16 digits, found "
         "'00000000000000ff8'"},
        {"/training/rows/hashes", "00000000000000FF",
         "training.rows.hashes: expected a text of hexadecimal numbers of 16 digits, found "
         "'00000000000000FF'"},
        {"/training/rows/hashes", "00000000000000ff00000000000000ff",
         "training.rows.hashes: expected ascending numbers, got another order"},
        {"/training/rows/is_sample", true, "training.rows.hashes: expected 2048 numbers, got 2"},
        {"/training/rows/repeated_share", 1.5,
         "training.rows.repeated_share: expected a number in [0, 1], got 1.5"},
        {"/training/ranges/least",
         {1.0},
         "training.ranges.least: expected a list of 3 numbers, found a list of 1"},
        {"/training/ranges/greatest/1", -1,
         "training.ranges.greatest[1]: expected a finite number >= 0, got -1"},
        {"/training/ranges/greatest", nullptr,
         "training.ranges.greatest: expected a list of 3 numbers, found null"},
        {"/checksum", "crc32:00000000",
         "checksum: expected 'crc32:CHECKSUM' for what the other fields hold, found "
         "'crc32:00000000'"},
        {"/checksum", 1,
         "checksum: expected 'crc32:CHECKSUM' for what the other fields hold, found 1"}};
    const std::string text = model_to_json(small_model());
    const std::string checksum = text.substr(text.rfind("crc32:") + 6, 8);
    for (const Change& change : changes) {
        Json fields = small_fields();
        fields[Pointer(change.place)] = change.value;
        std::string message = std::string("<text>: ") + change.message;
        const std::size_t gap = message.find("CHECKSUM");
        if (gap != std::string::npos) message.replace(gap, 8, checksum);
        EXPECT_EQ(error_of(fields.dump()), message);
    }
}

TEST(ModelFields, AreCheckedBeforeTheyAreUsed) {
    // Categories out of order would send the reader of files astray.
    Json fields = small_fields();
    fields["coding"]["columns"][3]["categories"] = {"red", "blue"};
    fields["feature_names"] = {"height", "colour=red", "colour=blue"};
    EXPECT_EQ(error_of(fields.dump()),
              "<text>: coding.columns[3].categories: expected different texts in byte order, got "
              "'red' before 'blue'");
    for (Json& column : fields["coding"]["columns"]) column["role"] = "ignored";
    fields["coding"]["columns"][3]["categories"] = Json::array();
    fields["feature_names"] = Json::array();
    EXPECT_EQ(error_of(fields.dump()),
              "<text>: feature_names: expected a list of at least 1 text, found a list of 0");
}

TEST(ModelFields, RowsMayBeMissing) {
    Json fields = small_fields();
    for (bool is_null : {true, false}) {
        if (is_null) fields["training"]["rows"] = nullptr;
        if (!is_null) fields["training"].erase("rows");
        EXPECT_EQ(model_from_json(fields.dump()).training().rows, RowSketch());
    }
}

TEST(ModelFields, DoNotMultiplyInMemory) {
    // A long name before each of many categories: all names together would take terabytes.
    constexpr int kCount = 500000;
    Json fields = small_fields();
    Json& column = fields["coding"]["columns"][3];
    column["name"] = std::string(4000000, 'n');
    column["categories"] = Json::array();
    for (int i = 0; i < kCount; ++i) {
        std::string digits = std::to_string(i);
        column["categories"].push_back(digits.insert(0, 6 - digits.size(), '0'));
    }
    EXPECT_EQ(error_of(fields.dump()),
              "<text>: feature_names: expected a list of 500001, as coding has features, found a "
              "list of 3");
    fields["feature_names"] = Json::array({"height"});
    for (int i = 0; i < kCount; ++i) fields["feature_names"].push_back("");
    EXPECT_EQ(
        error_of(fields.dump()),
        "<text>: feature_names[1]: expected 'nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn...', as "
        "in coding, found ''");
}

TEST(ModelText, MustBeSoundJson) {
    const auto change = [](std::string_view old_text, std::string_view new_text) {
        std::string text = model_to_json(small_model());
        text.replace(text.find(old_text), old_text.size(), new_text);
        return error_of(text);
    };
    EXPECT_EQ(change("0.1,", "1e999,"),
              "<text>: expected a number of at most 1.7e308 in size, found '1e999'");
    EXPECT_EQ(change("0.1,", "NaN,"),
              "<text>:24: not valid JSON, so cut short or damaged: syntax error while parsing "
              "value - invalid literal");
    EXPECT_EQ(change("\"b\"", "\"w\""), "<text>: the field 'w' occurs more than once");
    EXPECT_EQ(change("\"scaler\"", "\"classes\""),
              "<text>: the field 'classes' occurs more than once");
    EXPECT_EQ(change("[0.1,", "[[[[[[[[[[[1]]]]]]]]]],"),
              "<text>: expected at most 8 levels, found more");
    EXPECT_EQ(error_of("[1, 2]"), "<text>: expected an object, found a list of 2");
    EXPECT_EQ(error_of("{}"), "<text>: format: expected 'redoubt model', found nothing");
    EXPECT_EQ(error_of("height,kind\n1,low\n"),
              "<text>: expected a model file (JSON), found 'height,kind'");
    EXPECT_EQ(error_of("PAR1"), "<text>: expected a model file (JSON), found a Parquet file");
    EXPECT_EQ(error_of(model_to_json(small_model()) + "x").substr(0, 16), "<text>:67: not v");
    std::string settings = "{\"a\": 0";
    for (int i = 0; i < 1000; ++i) settings += ", \"s" + std::to_string(i) + "\": 1";
    EXPECT_EQ(error_of(settings + "}"),
              "<text>: expected at most 1000 fields in one object, found more");
    EXPECT_EQ(error_of(std::string("{\0}", 3)), "<text>:1: expected text, found a NUL byte");
    // Neither many levels nor one long text makes the message long.
    EXPECT_LT(error_of(std::string(1000000, '[')).size(), 200U);
    EXPECT_LT(error_of("{\"" + std::string(1000000, 'a')).size(), 200U);
    EXPECT_LT(error_of(std::string(1000000, '9')).size(), 200U);
}

}  // namespace
}  // namespace redoubt::test
