#include <gtest/gtest.h>

#include <random>

#include "io/checkpoint_json.hpp"
#include "support/checkpoints.hpp"
#include "support/file_helpers.hpp"

/// Whatever the bytes, loading gives the checkpoint that was saved or throws ParseError.

namespace redoubt::test {
namespace {

using io::Json;
using Pointer = Json::json_pointer;

std::string checkpoint_error(const std::string& text) {
    return message_of<ParseError>([&] { checkpoint_from_json(text); });
}

TEST(TruncatedCheckpoint, IsRefusedWhereverItWasCut) {
    for (const Checkpoint& checkpoint :
         {bagging_checkpoint(), robust_checkpoint(Adversary::Exact, 2),
          collaborative_checkpoint(0.3, 2)}) {
        const std::string text = checkpoint_to_json(checkpoint);
        // The last byte is a line end, which does not matter.
        expect_same(checkpoint_from_json(text.substr(0, text.size() - 1)), checkpoint);
        for (std::size_t length = 0; length + 1 < text.size(); ++length) {
            const std::string message = checkpoint_error(text.substr(0, length));
            ASSERT_NE(message.find(length == 0 ? "the file is empty" : "cut short or damaged"),
                      std::string::npos)
                << length << ": " << message;
        }
    }
}

TEST(DamagedCheckpoint, IsTheSameOrRefused) {
    std::mt19937_64 generator(1);
    int n_refused = 0;
    for (const Checkpoint& checkpoint :
         {bagging_checkpoint(), robust_checkpoint(Adversary::Exact, 3),
          collaborative_checkpoint(0.3, 4)}) {
        const std::string text = checkpoint_to_json(checkpoint);
        for (int repeat = 0; repeat < 2000; ++repeat) {
            std::string damaged = text;
            for (std::uint64_t n = generator() % 3 + 1; n > 0; --n) {
                damaged[generator() % text.size()] ^= static_cast<char>(1U << generator() % 8);
            }
            try {
                expect_same(checkpoint_from_json(damaged), checkpoint);
            } catch (const ParseError& error) {
                EXPECT_EQ(error.path(), "<text>");
                ++n_refused;
            }
        }
    }
    EXPECT_GT(n_refused, 5900);
}

/// Puts a right checksum in, so that each check has to do its own work.
std::string signed_text(Json fields) {
    fields.erase("checksum");
    fields["checksum"] = io::checksum_of(fields);
    return io::json_text(fields);
}

TEST(DamagedCheckpoint, NeverCrashesEvenWithARightChecksum) {
    std::mt19937_64 generator(2);
    constexpr std::string_view kBytes = "{}[],:\"\\0123456789eE+-.tfn u";
    int n_read = 0;
    for (const Checkpoint& checkpoint :
         {bagging_checkpoint(), robust_checkpoint(Adversary::Exact, 3),
          collaborative_checkpoint(0.3, 4)}) {
        const std::string text = checkpoint_to_json(checkpoint);
        for (int repeat = 0; repeat < 2000; ++repeat) {
            std::string damaged = text;
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
            try {
                const std::string text_again = signed_text(io::parse_json(damaged, "<text>"));
                const Checkpoint read = checkpoint_from_json(text_again);
                expect_same(checkpoint_from_json(checkpoint_to_json(read)), read);
                ++n_read;
            } catch (const ParseError& error) {
                EXPECT_EQ(error.path(), "<text>");
            }
        }
    }
    EXPECT_GT(n_read, 0);
}

TEST(DamagedCheckpoint, IsRefusedByTheNameOfTheField) {
    const Json robust = Json::parse(checkpoint_to_json(robust_checkpoint(Adversary::Exact, 2)));
    const Json collaborative = Json::parse(checkpoint_to_json(collaborative_checkpoint(0.3, 2)));
    const auto error_with = [](Json fields, const char* place, const Json& value) {
        fields[Pointer(place)] = value;
        return checkpoint_error(signed_text(fields));
    };
    EXPECT_EQ(error_with(robust, "/format", "redoubt model"),
              "<text>: format: expected 'redoubt checkpoint', found 'redoubt model'");
    EXPECT_EQ(error_with(robust, "/format_version", 2U),
              std::string("<text>: format_version: expected at most 1, found 2: the checkpoint was "
                          "written by a newer redoubt ") +
                  kVersion);
    EXPECT_EQ(error_with(robust, "/method", "svm"),
              "<text>: method: expected 'svm-ens', 'ens-e', 'ens-r', 'ens-h' or 'ens-c', found "
              "'svm'");
    EXPECT_EQ(error_with(robust, "/method", "ens-c"), "<text>: state: unknown field 'planes'");
    EXPECT_EQ(error_with(robust, "/fingerprint/data", "crc32:0123456g"),
              "<text>: fingerprint.data: expected 'crc32:' and 8 digits from 0 to f, found "
              "'crc32:0123456g'");
    EXPECT_EQ(error_with(robust, "/state/planes/1/b", nullptr),
              "<text>: state.planes[1].b: expected a number, found null");
    EXPECT_EQ(error_with(robust, "/state/history/1/svm_status", "fine").substr(0, 43),
              "<text>: state.history[1].svm_status: expect");
    const Json bagging = Json::parse(checkpoint_to_json(bagging_checkpoint()));
    EXPECT_EQ(error_with(bagging, "/state/planes", Json::array()),
              "<text>: state.n_features: expected 0 without planes, found 2");
    EXPECT_EQ(error_with(robust, "/state/history", Json::array()),
              "<text>: state.history: expected length 2, got length 0");
    EXPECT_EQ(error_with(collaborative, "/state/n_epochs_done", 3U),
              "<text>: state.history: expected length 3, got length 2");
    EXPECT_EQ(error_with(collaborative, "/state/best_epoch", 0U),
              "<text>: state.best_epoch: expected an integer from 1 to 2, got 0");
    EXPECT_EQ(error_with(collaborative, "/state/moment", Json::array()).substr(0, 31),
              "<text>: state.moment: expected ");
    EXPECT_EQ(error_with(collaborative, "/state/coef", Json::array()).substr(0, 37),
              "<text>: state.intercept: expected a l");
    EXPECT_EQ(error_with(collaborative, "/state/more", 1), "<text>: state: unknown field 'more'");
    Json unsigned_fields = robust;
    unsigned_fields.erase("checksum");
    EXPECT_NE(checkpoint_error(io::json_text(unsigned_fields)).find("checksum: expected 'crc32:"),
              std::string::npos);
}

}  // namespace
}  // namespace redoubt::test
