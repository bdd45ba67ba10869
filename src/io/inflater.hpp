#pragma once

/// Unpacks gzip data.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace redoubt::io {

class Inflater {
public:
    /// Stores up to this many packed bytes and returns their number; 0 is the end.
    using Source = std::function<std::size_t(char*, std::size_t)>;

    /// Messages use `name` for the file. Throws ParseError, saying what to do, if the library was
    /// built without zlib.
    Inflater(std::string name, Source source);
    ~Inflater();

    /// Stores up to `n` bytes there and returns their number; 0 is the end, after the last of
    /// several members. Throws ParseError for data that are damaged or end too early.
    std::size_t read(char* to, std::size_t n);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace redoubt::io
