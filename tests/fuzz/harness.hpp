#pragma once

/// What the fuzz harnesses share: requirements that end the process, so that libFuzzer keeps the
/// input, and a watch on memory.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace redoubt::fuzz {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// Prints `what` and aborts unless it holds.
void require(bool holds, const char* what);

/// Aborts if more than `most` bytes are in use at once, beyond what was in use before, while it
/// lives. One at a time.
class MemoryWatch {
public:
    explicit MemoryWatch(std::size_t most);
    ~MemoryWatch();
    MemoryWatch(const MemoryWatch&) = delete;
    MemoryWatch& operator=(const MemoryWatch&) = delete;
};

/// Runs `call`. To throw `Refusal` is a good end; false then. Any other exception ends the process.
template <class Refusal, class Call>
bool accepts(const Call& call) {
    try {
        call();
        return true;
    } catch (const Refusal&) {
        return false;
    }
}

/// The first line of an input, which holds letters that choose options, cut off its text.
class OptionLine {
public:
    explicit OptionLine(std::string_view input);

    bool has(char letter) const { return letters_.find(letter) != std::string_view::npos; }
    std::string_view text() const { return text_; }

private:
    std::string_view letters_;
    std::string_view text_;
};

}  // namespace redoubt::fuzz
