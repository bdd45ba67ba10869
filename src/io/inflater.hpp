#pragma once

/// Gzip data as the bytes that were packed.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace redoubt::io {

class Inflater {
public:
    /// Puts up to so many packed bytes somewhere and returns their number; 0 is the end.
    using Source = std::function<std::size_t(char*, std::size_t)>;

    /// `name` stands for the file in messages. Throws ParseError, which says what to do, if the
    /// library was built without zlib.
    Inflater(std::string name, Source source);
    ~Inflater();

    /// Puts up to `n` bytes there and returns their number; 0 is the end, of the last member if
    /// there are several. Throws ParseError for data that are damaged or end too early.
    std::size_t read(char* to, std::size_t n);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace redoubt::io
