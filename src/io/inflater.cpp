#include "io/inflater.hpp"

#include "redoubt/error.hpp"

#ifdef REDOUBT_ZLIB
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <vector>
#endif

namespace redoubt::io {

#ifdef REDOUBT_ZLIB

struct Inflater::State {
    std::string name;
    Source source;
    z_stream stream{};
    std::vector<char> packed = std::vector<char>(std::size_t{1} << 16);
    bool is_between_members = false;

    [[noreturn]] void fail(const char* problem) const { throw ParseError(name, 0, 0, problem); }

    bool refill() {
        const std::size_t n = source(packed.data(), packed.size());
        stream.next_in = reinterpret_cast<Bytef*>(packed.data());
        stream.avail_in = static_cast<uInt>(n);
        return n > 0;
    }
};

Inflater::Inflater(std::string name, Source source)
    : state_(new State{std::move(name), std::move(source)}) {
    constexpr int kWindowBitsOfGzip = 15 + 16;
    if (inflateInit2(&state_->stream, kWindowBitsOfGzip) != Z_OK) throw std::bad_alloc();
}

Inflater::~Inflater() {
    inflateEnd(&state_->stream);
}

std::size_t Inflater::read(char* to, std::size_t n) {
    State& state = *state_;
    z_stream& stream = state.stream;
    const auto most = static_cast<uInt>(std::min<std::size_t>(n, std::numeric_limits<uInt>::max()));
    stream.next_out = reinterpret_cast<Bytef*>(to);
    stream.avail_out = most;
    while (stream.avail_out == most) {
        if (stream.avail_in == 0 && !state.refill()) {
            if (!state.is_between_members) state.fail("the gzip data end too early");
            return 0;
        }
        if (state.is_between_members) {
            inflateReset(&stream);
            state.is_between_members = false;
        }
        const int code = inflate(&stream, Z_NO_FLUSH);
        if (code == Z_MEM_ERROR) throw std::bad_alloc();
        if (code == Z_STREAM_END) state.is_between_members = true;
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
            state.fail("the gzip data are damaged");
        }
    }
    return most - stream.avail_out;
}

#else

struct Inflater::State {};

Inflater::Inflater(std::string name, Source) {
    throw ParseError(name, 0, 0,
                     "expected text, found gzip data, which this build without zlib cannot read; "
                     "unpack it with gunzip, as in 'gunzip -c FILE | redoubt .. -'");
}

Inflater::~Inflater() = default;

std::size_t Inflater::read(char*, std::size_t) {
    return 0;
}

#endif

}  // namespace redoubt::io
